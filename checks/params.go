package checks

import (
	"strings"

	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/pyast"
)

// annotation is the value that a type annotation promises, nil when it says nothing that matters. It reads the text:
// annotations are written as expressions, strings and comments alike. In a module class tensors are on the device.
func (in *interp) annotation(m *module, text string, _ bool) *Value {
	t := strings.TrimSpace(strings.Trim(strings.TrimSpace(text), `"'`))
	optional := false
	if inner, ok := cutBrackets(t, "Optional"); ok {
		t, optional = inner, true
	}
	if parts := splitTop(t, '|'); len(parts) > 1 {
		return in.union(m, parts)
	}
	if inner, ok := cutBrackets(t, "Union"); ok {
		return in.union(m, splitTop(inner, ','))
	}
	if inner, ok := cutBrackets(t, "Annotated"); ok {
		t = splitTop(inner, ',')[0]
	}
	v := in.plainAnnotation(m, strings.TrimSpace(t))
	if v != nil && optional {
		return optionalOf(v)
	}
	return v
}

func optionalOf(v *Value) *Value { return v.with(func(c *Value) { c.Optional = true }) }

func (in *interp) union(m *module, parts []string) *Value {
	var v *Value
	for _, p := range parts {
		if p = strings.TrimSpace(p); p == "None" {
			v = join(v, none)
			continue
		}
		a := in.annotation(m, p, false)
		if a == nil {
			a = unknown
		}
		v = join(v, a)
	}
	if v != nil && v.IsUnknown() && v.Place != PlaceHost {
		return nil
	}
	return v
}

// kernelTypes are the usual names of modules whose tensors are not torch's.
var kernelTypes = set("cute cutlass tl gl T wp warp tf jnp jax mx")

func (in *interp) plainAnnotation(m *module, t string) *Value {
	head, inner := t, ""
	if i := strings.IndexByte(t, '['); i > 0 && strings.HasSuffix(t, "]") {
		head, inner = t[:i], t[i+1:len(t)-1]
	}
	if owner, _, dotted := strings.Cut(head, "."); dotted && kernelTypes[owner] {
		return hostUnknown // cute.Tensor: a value of device code, or a host description of one
	}
	sym := in.p.lookup(m, head)
	if first, _, _ := strings.Cut(sym.ext, "."); sym.ext != "" && strings.HasSuffix(head, "Tensor") && first != "torch" && first != "jaxtyping" {
		return nil // of another framework: cute.Tensor
	}
	switch last(head) {
	case "Tensor", "Parameter":
		return tensor(PlaceDevice, Likely)
	case "LongTensor", "IntTensor":
		return tensor(PlaceDevice, Likely).with(func(c *Value) { c.DType = DTypeInt })
	case "BoolTensor":
		return tensor(PlaceDevice, Likely).with(func(c *Value) { c.DType = DTypeBool })
	case "FloatTensor", "HalfTensor":
		return tensor(PlaceDevice, Likely).with(func(c *Value) { c.DType = DTypeFloat })
	case "Float", "Float32", "Int", "Bool", "Shaped", "Num", "BFloat16", "Float16", "Int32", "Int64": // jaxtyping
		if strings.Contains(inner, "Tensor") {
			return tensor(PlaceDevice, Likely)
		}
	case "int", "SymInt":
		return hostInt
	case "bool":
		return boolean
	case "float", "complex":
		return number
	case "str", "bytes", "Path":
		return textValue
	case "ndarray", "NDArray", "ArrayLike":
		return array
	case "Size":
		return shape
	case "device":
		return device(PlaceDevice, "")
	case "dtype":
		return &Value{Kind: KindDType, Rank: -1, Place: PlaceHost, Sure: Likely}
	case "Stream":
		return &Value{Kind: KindStream, Rank: -1, Place: PlaceHost, Sure: Likely}
	case "Event":
		return &Value{Kind: KindEvent, Rank: -1, Place: PlaceHost, Sure: Likely}
	case "Generator":
		if strings.HasPrefix(head, "torch") {
			return &Value{Kind: KindGenerator, Rank: -1, Place: PlaceHost, Sure: Likely}
		}
	case "list", "List", "Sequence", "Iterable", "Iterator", "set", "Set", "deque", "Collection", "frozenset":
		return list(in.elementOf(m, inner))
	case "tuple", "Tuple":
		return in.tupleOf(m, inner)
	case "dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "OrderedDict":
		return in.dictOf(m, inner)
	case "Callable", "Type", "type", "Logger", "Namespace":
		return hostUnknown
	case "None":
		return none
	}
	if s := sym; s.cls != nil {
		for _, e := range s.cls.ext {
			if strings.HasSuffix(e, "Enum") {
				return hostUnknown
			}
		}
		return in.generic(s.cls)
	}
	if strings.HasSuffix(head, "Config") || strings.HasSuffix(head, "Args") {
		return hostUnknown
	}
	return nil
}

var textValue = text

func (in *interp) elementOf(m *module, inner string) *Value {
	if inner == "" {
		return nil
	}
	return in.annotation(m, inner, false)
}

func (in *interp) tupleOf(m *module, inner string) *Value {
	parts := splitTop(inner, ',')
	if len(parts) == 2 && strings.TrimSpace(parts[1]) == "..." || inner == "" {
		return list(in.elementOf(m, strings.TrimSpace(parts[0])))
	}
	items := make([]*Value, len(parts))
	for i, p := range parts {
		if items[i] = in.annotation(m, p, false); items[i] == nil {
			items[i] = unknown
		}
	}
	return tuple(items...)
}

func (in *interp) dictOf(m *module, inner string) *Value {
	o := in.newObject()
	if parts := splitTop(inner, ','); len(parts) == 2 {
		o.elem = in.annotation(m, parts[1], false)
	}
	return &Value{Kind: KindDict, Rank: -1, Sure: Likely, Obj: o}
}

func cutBrackets(t, name string) (string, bool) {
	i := strings.IndexByte(t, '[')
	if i < 0 || !strings.HasSuffix(t, "]") || last(t[:i]) != name {
		return "", false
	}
	return t[i+1 : len(t)-1], true
}

// splitTop splits at separators that are not inside brackets.
func splitTop(t string, sep byte) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i < len(t); i++ {
		switch t[i] {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case sep:
			if depth == 0 {
				out = append(out, t[from:i])
				from = i + 1
			}
		}
	}
	return append(out, t[from:])
}

// entryArgs are the values of the parameters of a function that is looked at on its own.
func (in *interp) entryArgs(u *unit, f *Func, node *pyast.FuncDef) map[string]*Value {
	out := map[string]*Value{}
	for i, p := range node.Params {
		switch {
		case i == 0 && f.Class != nil && f.outer == nil && f.Kind != FuncStatic:
			if f.Kind == FuncClassMethod || f.short == "__new__" || f.short == "__init_subclass__" {
				out[p.Name] = &Value{Kind: KindClass, Rank: -1, Place: PlaceHost, Sure: Likely, Class: f.Class}
			} else {
				out[p.Name] = in.generic(f.Class)
			}
			continue
		case p.Star == 1:
			out[p.Name] = list(nil)
			continue
		case p.Star == 2:
			out[p.Name] = &Value{Kind: KindDict, Rank: -1, Sure: Likely, Obj: in.newObject()}
			continue
		}
		if p.Annotation != nil {
			if v := in.annotation(f.mod, u.tree.Text(p.Annotation), true); v != nil {
				out[p.Name] = in.placed(u, v, p)
				continue
			}
		}
		out[p.Name] = in.unannotated(u, f, p, in.usesOf(f, node))
	}
	if v := in.protocolState(f); v != nil && len(node.Params) == 2 {
		out[node.Params[0].Name] = v
		out[node.Params[1].Name] = hostInt
	}
	return out
}

// placed gives a tensor parameter its place: where its name says host, it is on the host.
func (in *interp) placed(u *unit, v *Value, p pyast.Param) *Value {
	if v.Kind == KindDevice {
		if h := hint(p.Name); h.Kind == KindDevice {
			return h
		}
		return v
	}
	if v.Kind != KindTensor {
		return v
	}
	if h := hint(p.Name); h.OnCPU() {
		return h
	}
	if v.DType == DTypeUnknown {
		v = v.with(func(c *Value) { c.DType = typeByName(p.Name) })
	}
	return flowAt(u, v, p, "parameter of a function on the hot path")
}

func flowAt(u *unit, v *Value, n pyast.Node, note string) *Value {
	pos := n.Pos()
	return v.with(func(c *Value) {
		c.Flow = &Flow{Path: u.mod.path, Line: int(pos.Start.Line), Note: note, off: pos.Off, end: pos.EndOff, n: 1}
	})
}

// unannotated decides what a parameter without a type is: what its default is, what its name says, and what the
// function does with it.
func (in *interp) unannotated(u *unit, f *Func, p pyast.Param, use *paramUse) *Value {
	if p.Default != nil {
		fr := in.moduleFrame(u)
		in.quiet++
		in.frames = append(in.frames, fr)
		d := fr.eval(p.Default)
		in.frames = in.frames[:len(in.frames)-1]
		in.quiet--
		switch d.Kind {
		case KindNumber, KindString:
			return d.with(func(c *Value) { c.Const = nil })
		case KindDType, KindDevice, KindList, KindTuple:
			return d
		}
	}
	h := hint(p.Name)
	if !h.IsUnknown() || h.Place == PlaceHost && use.tensor[p.Name] == 0 {
		return h
	}
	if use.tensor[p.Name] > 0 && use.other[p.Name] == 0 {
		return flowAt(u, tensor(PlaceDevice, Likely).with(func(c *Value) { c.DType = typeByName(p.Name) }), p, "parameter of a function on the hot path, used as a tensor")
	}
	if use.math[p.Name] > 0 && use.other[p.Name] == 0 && f.Class != nil && f.short == "forward" {
		return flowAt(u, tensor(PlaceDevice, Likely), p, "parameter of forward, used as a tensor")
	}
	return unknown
}

// paramUse counts what a function does with its parameters: things only tensors have, things tensors take part in,
// and things that tensors have not.
type paramUse struct{ tensor, math, other map[string]int }

func (in *interp) usesOf(f *Func, node *pyast.FuncDef) *paramUse {
	use := in.uses[f]
	if use == nil {
		use = countUses(node)
		in.uses[f] = use
	}
	return use
}

func countUses(node *pyast.FuncDef) *paramUse {
	use := &paramUse{tensor: map[string]int{}, math: map[string]int{}, other: map[string]int{}}
	walkStmts(node.Body, func(n pyast.Node) bool {
		switch n := n.(type) {
		case *pyast.Attr:
			id, ok := n.X.(*pyast.Name)
			switch {
			case !ok:
			case tensorOnly[n.Name] || onlyTensorMethod(n.Name):
				use.tensor[id.ID]++
			case !isTensorMethod(n.Name) && n.Name != "T" && n.Name != "data" && n.Name != "grad":
				use.other[id.ID]++
			}
		case *pyast.Call:
			if d, ok := dotted(n.Func); ok {
				if strings.HasPrefix(d, "torch.") || strings.HasPrefix(d, "F.") {
					for _, a := range n.Args {
						if id, ok := a.Value.(*pyast.Name); ok && a.Name == "" {
							use.math[id.ID]++
						}
					}
				}
				if (d == "len" || d == "range" || d == "isinstance") && len(n.Args) > 0 {
					if id, ok := n.Args[0].Value.(*pyast.Name); ok && d == "range" {
						use.other[id.ID]++
					}
				}
			}
		case *pyast.Subscript:
			if id, ok := n.X.(*pyast.Name); ok && len(n.Index) == 1 {
				if c, ok := n.Index[0].(*pyast.Const); ok && c.Kind == pyast.ConstString {
					use.other[id.ID]++
				}
				if c, ok := n.Index[0].(*pyast.Const); ok && c.Kind == pyast.ConstNone {
					use.tensor[id.ID]++
				}
			}
			if id, ok := n.X.(*pyast.Name); ok && len(n.Index) > 1 {
				use.tensor[id.ID]++
			}
		case *pyast.Binary:
			for _, x := range []pyast.Expr{n.L, n.R} {
				if id, ok := x.(*pyast.Name); ok {
					use.math[id.ID]++
					if n.Op == "@" {
						use.tensor[id.ID]++
					}
				}
			}
		}
		return true
	})
	return use
}

// onlyTensorMethod reports whether a call of that name is evidence for a tensor: arrays have many of the same methods,
// and the ones that read a value are the ones in question.
func onlyTensorMethod(name string) bool {
	if !isTensorMethod(name) || sharedMethods[name] || len(name) < 4 || name == "cuda" || name == "numpy" {
		return false
	}
	_, shared := torchop.Lookup("numpy.ndarray." + name)
	return !shared
}

// tensorOnly are attributes by which a tensor is known.
var tensorOnly = set("is_cuda ndim device requires_grad mT is_sparse view unsqueeze squeeze permute transpose contiguous " +
	"masked_fill softmax to_dense new_zeros new_empty new_full copy_ fill_ zero_ expand_as view_as data_ptr")

// protocolState is the state of a step module: what its build returns.
func (in *interp) protocolState(f *Func) *Value {
	if f.Class != nil || f.outer != nil || (f.short != "step" && f.short != "prepare" && f.short != "bucket") || !in.hot.protocol(f.mod) {
		return nil
	}
	key := globalVar{f.mod, "build()"}
	if v, ok := in.globals[key]; ok {
		return v
	}
	u, node := in.syntax(f.mod.funcs["build"])
	if node == nil {
		return nil
	}
	in.quiet++
	work := in.work
	in.work = maxWork
	fr := in.activate(u, f.mod.funcs["build"], node, node.Body, nil, nil)
	fr.env.set(node.Params[0].Name, device(PlaceDevice, ""))
	v := in.run(fr, node.Body)
	in.work = work
	in.quiet--
	in.globals[key] = v
	return v
}

// bindEntry puts the parameters into the frame.
func (in *interp) bindEntry(fr *frame, node *pyast.FuncDef, args map[string]*Value) {
	for i, p := range node.Params {
		fr.env.set(p.Name, args[p.Name])
		if i == 0 && args[p.Name] != nil && args[p.Name].Kind == KindInstance {
			fr.self = args[p.Name]
		}
	}
}
