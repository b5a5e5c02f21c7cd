package checks

import (
	"strings"

	"github.com/gatebot/gatebot/internal/pyast"
)

// name is the value of a variable: local, of a function around, global, builtin.
func (fr *frame) name(id string) *Value {
	if v, ok := fr.env.get(id); ok {
		return v
	}
	if v := fr.in.globalValue(fr.u.mod, id); v != nil {
		return v
	}
	if builtins[id] {
		return external("builtins." + id)
	}
	if strings.HasSuffix(id, "Error") || strings.HasSuffix(id, "Exception") || strings.HasSuffix(id, "Warning") {
		return external("builtins." + id)
	}
	return hint(id)
}

var builtins = set("abs all any ascii bin bool breakpoint bytearray bytes callable chr classmethod complex delattr dict " +
	"dir divmod enumerate eval exec filter float format frozenset getattr globals hasattr hash help hex id input int " +
	"isinstance issubclass iter len list locals map max memoryview min next object oct open ord pow print property range " +
	"repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip __import__ " +
	"NotImplemented __name__ __file__ __debug__")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// globalValue is the value of a name at the top level of a module, nil when there is no such name.
func (in *interp) globalValue(m *module, name string) *Value {
	return in.symbolValue(in.p.lookup(m, name))
}

func (in *interp) symbolValue(s symbol) *Value {
	switch {
	case s.fn != nil:
		return &Value{Kind: KindFunc, Rank: -1, Place: PlaceHost, Sure: Likely, Func: s.fn}
	case s.cls != nil:
		return &Value{Kind: KindClass, Rank: -1, Place: PlaceHost, Sure: Likely, Class: s.cls}
	case s.mod != nil:
		return &Value{Kind: KindModule, Rank: -1, Place: PlaceHost, Sure: Likely, Name: s.mod.path}
	case s.ext != "":
		return external(s.ext)
	case s.val != nil:
		return in.variable(*s.val)
	}
	return nil
}

// variable evaluates the assignments to a variable at the top level of a module.
func (in *interp) variable(g globalVar) *Value {
	if v, ok := in.globals[g]; ok {
		return v
	}
	in.globals[g] = unknown // while it is being computed: a cycle
	u := in.unit(g.mod)
	if u == nil {
		return unknown
	}
	fr := in.moduleFrame(u)
	var v *Value
	in.quiet++
	in.frames = append(in.frames, fr)
	walkStmts(u.tree.Body, func(n pyast.Node) bool {
		switch s := n.(type) {
		case *pyast.FuncDef, *pyast.ClassDef, pyast.Expr:
			return false
		case *pyast.Assign:
			for _, t := range s.Targets {
				if id, ok := t.(*pyast.Name); ok && id.ID == g.name {
					v = join(v, fr.eval(s.Value))
				}
			}
		case *pyast.AnnAssign:
			if id, ok := s.Target.(*pyast.Name); ok && id.ID == g.name && s.Value != nil {
				v = join(v, fr.eval(s.Value))
			}
		}
		return true
	})
	in.frames = in.frames[:len(in.frames)-1]
	in.quiet--
	if v == nil || v.IsUnknown() {
		v = hint(g.name)
	}
	in.globals[g] = v
	return v
}

// moduleFrame evaluates expressions at the top level of a module.
func (in *interp) moduleFrame(u *unit) *frame {
	return &frame{in: in, u: u, env: newEnv(nil), values: map[pyast.Expr]*Value{}}
}

// attr is v.Name where v is read, not called.
func (fr *frame) attr(e *pyast.Attr, v *Value) *Value {
	out := fr.attrOf(v, e.Name)
	switch {
	case out == nil || out.IsUnknown() && out.Place == PlaceUnknown && v.Kind != KindTensor:
		return hint(e.Name)
	case out.IsTensor():
		return named(e.Name, out)
	case out.IsUnknown() && numberName(strings.ToLower(e.Name)):
		return hostInt // of a configuration
	}
	return out
}

// attrOf is v.name, nil when nothing is known.
func (fr *frame) attrOf(v *Value, name string) *Value {
	switch v.Kind {
	case KindModule:
		if m := fr.in.p.byPath[v.Name]; m != nil {
			return fr.in.globalValue(m, name)
		}
	case KindExternal:
		if v.Recv == nil {
			return externalAttr(v.Name, name)
		}
	case KindTensor:
		return tensorAttr(v, name)
	case KindClass:
		return fr.in.classAttr(v.Class, name)
	case KindInstance:
		return fr.instanceAttr(v, name)
	case KindTuple: // (values, indices) of max, sort and topk
		if len(v.Items) == 2 && name == "values" {
			return v.Items[0]
		}
		if len(v.Items) == 2 && name == "indices" {
			return v.Items[1]
		}
		return bound("tuple."+name, v)
	case KindList:
		return bound("list."+name, v)
	case KindDict:
		if v.Obj != nil { // an EasyDict or ModuleDict is read by attribute too
			if held := fr.held(v.Obj, name); held != nil {
				return held
			}
		}
		return bound("dict."+name, v)
	case KindString:
		return bound("str."+name, v)
	case KindArray:
		switch name {
		case "shape":
			return shape
		case "size", "ndim", "nbytes", "itemsize":
			return number
		case "T", "real", "imag":
			return v
		case "dtype":
			return hostUnknown
		}
		return bound("numpy.ndarray."+name, v)
	case KindStream:
		return bound("torch.cuda.Stream."+name, v)
	case KindEvent:
		return bound("torch.cuda.Event."+name, v)
	case KindGraph:
		return bound("torch.cuda.CUDAGraph."+name, v)
	case KindGenerator:
		return bound("torch.Generator."+name, v)
	case KindShape:
		return bound("tuple."+name, v)
	case KindDevice:
		switch name {
		case "type":
			return text
		case "index":
			return number
		}
	case KindDType, KindNumber:
		return bound("builtins.object."+name, v)
	case KindFunc:
		return unknown
	}
	if v.Place == PlaceHost {
		return hostUnknown
	}
	return nil
}

// bound is a method of something that is not of the project.
func bound(name string, recv *Value) *Value {
	return &Value{Kind: KindExternal, Rank: -1, Place: PlaceHost, Sure: Likely, Name: name, Recv: recv}
}

func externalAttr(owner, name string) *Value {
	full := canonical(owner + "." + name)
	switch owner {
	case "math":
		switch name {
		case "pi", "e", "inf", "nan", "tau":
			return number
		}
	case "numpy":
		switch name {
		case "pi", "e", "inf", "nan":
			return number
		case "newaxis":
			return none
		}
	case "torch":
		switch name {
		case "inf", "nan", "pi", "e":
			return number
		case "newaxis":
			return none
		}
	case "torch.version", "sys", "os":
		if name != "environ" && name != "path" && strings.ToLower(name) == name && owner == "torch.version" {
			return text
		}
	}
	return external(full)
}

// tensorAttr is an attribute of a tensor: metadata of the host, a view, or a method.
func tensorAttr(v *Value, name string) *Value {
	switch name {
	case "shape":
		if n, ok := v.Dim(); ok && n < 16 {
			items := make([]*Value, n)
			for i := range items {
				items[i] = hostInt
			}
			return shape.with(func(c *Value) { c.Items, c.Elem = items, nil })
		}
		return shape
	case "ndim", "nbytes", "itemsize", "output_nr", "_version":
		return hostInt
	case "is_cuda", "is_cpu", "is_leaf", "requires_grad", "is_sparse", "is_quantized", "is_meta", "is_nested", "is_mps", "is_xpu":
		return boolean
	case "dtype":
		return &Value{Kind: KindDType, Rank: -1, Place: PlaceHost, Sure: Likely, DType: v.DType, Name: v.Name}
	case "device":
		if v.Place == PlaceUnknown {
			return device(PlaceDevice, "") // on the hot path tensors live there
		}
		return device(v.Place, "")
	case "layout", "names", "name", "grad_fn":
		return hostUnknown
	case "T", "mT", "H", "mH":
		return v.with(func(c *Value) { c.Optional = false })
	case "data", "real", "imag", "grad":
		return v
	}
	return bound("Tensor."+name, v)
}

var hostInt = number.with(func(c *Value) { c.DType = DTypeInt })

// instanceAttr is an attribute of an object.
func (fr *frame) instanceAttr(v *Value, name string) *Value {
	if len(v.also) > 0 {
		one := v.with(func(c *Value) { c.also = nil })
		out := fr.instanceAttr(one, name)
		for _, o := range v.also {
			out = join(out, fr.instanceAttr(o, name))
		}
		return out
	}
	if held := fr.held(v.Obj, name); held != nil {
		if !held.IsNone() || v.Class == nil {
			return held
		}
	}
	if v.Class == nil {
		return outsideAttr(v, name)
	}
	if m := v.Class.method(name); m != nil {
		return fr.methodValue(m, v)
	}
	if held := fr.in.instanceState(v.Class, v, name); held != nil && !held.IsUnknown() {
		return held
	}
	if v.Class.isModule() {
		if b := moduleMethod(name, v); b != nil {
			return b
		}
	}
	return hint(name)
}

func (fr *frame) methodValue(m *Func, recv *Value) *Value {
	f := &Value{Kind: KindFunc, Rank: -1, Place: PlaceHost, Sure: Likely, Func: m}
	switch m.Kind {
	case FuncProperty:
		return fr.callUser(m, recv, nil, nil)
	case FuncStatic:
		return f
	case FuncClassMethod:
		f.Recv = &Value{Kind: KindClass, Rank: -1, Place: PlaceHost, Sure: Likely, Class: recv.Class}
		return f
	}
	f.Recv = recv
	return f
}

// outsideAttr is an attribute of an object whose class is not of the project: nn.Linear and friends, SimpleNamespace.
func outsideAttr(v *Value, name string) *Value {
	if v.Obj != nil && v.Obj.elem != nil {
		return v.Obj.elem
	}
	if strings.HasPrefix(v.Name, "torch.nn.") {
		switch name {
		case "weight", "bias", "running_mean", "running_var", "in_proj_weight", "in_proj_bias":
			t := tensor(PlaceDevice, Likely)
			t.DType = DTypeFloat
			return t
		case "in_features", "out_features", "num_embeddings", "embedding_dim", "padding_idx", "eps", "p", "training",
			"normalized_shape":
			return hostUnknown
		}
		if b := moduleMethod(name, v); b != nil {
			return b
		}
		return bound("torch.nn.Module."+name, v)
	}
	if v.Name != "" {
		return bound(v.Name+"."+name, v)
	}
	return nil
}

// moduleMethod is a method that every torch module has.
func moduleMethod(name string, v *Value) *Value {
	switch name {
	case "to", "cuda", "cpu", "half", "bfloat16", "float", "double", "eval", "train", "requires_grad_", "to_empty",
		"apply", "register_buffer", "register_parameter", "register_module", "add_module", "zero_grad", "parameters",
		"named_parameters", "buffers", "named_buffers", "modules", "named_modules", "children", "named_children",
		"state_dict", "load_state_dict", "register_forward_hook", "register_forward_pre_hook", "compile":
		return bound("torch.nn.Module."+name, v)
	case "training":
		return boolean
	}
	return nil
}

// hint takes a value of which nothing is known for what its name says it is. Names are the last resort; what they
// say is enough to keep guesses about host data from becoming findings, and for devices and dtypes, which code passes
// around under two or three names only.
func hint(name string) *Value {
	n := strings.ToLower(strings.Trim(name, "_"))
	switch {
	case n == "device" || strings.HasSuffix(n, "_device") || n == "dev":
		if strings.Contains(n, "cpu") || strings.Contains(n, "host") {
			return device(PlaceCPU, "cpu")
		}
		return device(PlaceDevice, "")
	case strings.HasSuffix(n, "dtype"):
		return &Value{Kind: KindDType, Rank: -1, Place: PlaceHost, Sure: Likely}
	case strings.HasSuffix(n, "_cpu") || strings.HasSuffix(n, "_host") || strings.HasPrefix(n, "cpu_") || strings.HasPrefix(n, "host_"):
		if strings.HasSuffix(n, "device") || strings.HasPrefix(n, "cpu_to") {
			break
		}
		return &Value{Kind: KindTensor, Place: PlaceCPU, Rank: -1, Sure: Possible, DType: typeByName(n)}
	case n == "gpu" || strings.HasSuffix(n, "_gpu"):
		return &Value{Kind: KindTensor, Place: PlaceDevice, Rank: -1, Sure: Likely, DType: typeByName(n)}
	case strings.HasSuffix(n, "_np") || strings.HasSuffix(n, "_numpy") || strings.HasPrefix(n, "np_"):
		return array
	case strings.HasSuffix(n, "_list"):
		return &Value{Kind: KindList, Rank: -1, Place: PlaceHost, Sure: Possible}
	case numberName(n):
		return hostInt
	case hostNames[n] || strings.HasSuffix(n, "config") || strings.HasSuffix(n, "_cfg") || strings.HasSuffix(n, "_args") ||
		strings.HasSuffix(n, "_kwargs") || strings.HasSuffix(n, "_name") || strings.HasSuffix(n, "_path") ||
		flagName(n) || strings.HasSuffix(n, "_enabled") || strings.HasSuffix(n, "_size") ||
		strings.HasSuffix(n, "_dim") || strings.HasSuffix(n, "_idx") && strings.Contains(n, "layer") ||
		strings.HasSuffix(n, "_id") && strings.Contains(n, "layer"):
		return hostUnknown
	case (strings.HasPrefix(n, "num_") || strings.HasPrefix(n, "n_")) && !strings.Contains(n, "_per_") && !strings.Contains(n, "accepted"):
		return hostUnknown
	}
	return unknown
}

// numberName reports whether a name is that of a size, rank or count that the host knows. Counts that follow the data
// (per expert, accepted) are the ones in question and are left alone.
func numberName(n string) bool {
	switch {
	case numberNames[n], strings.HasSuffix(n, "_size"), strings.HasSuffix(n, "_dim"), strings.HasSuffix(n, "_rank"):
		return true
	case strings.HasPrefix(n, "layer_"):
		return n == "layer_idx" || n == "layer_id"
	case strings.HasPrefix(n, "num_") || strings.HasPrefix(n, "n_"):
		return !strings.Contains(n, "_per_") && !strings.Contains(n, "accepted") && !strings.Contains(n, "tokens") &&
			!strings.Contains(n, "computed")
	}
	return false
}

var numberNames = set("rank world_size tp_size tp_rank dp_size dp_rank head_dim hidden_size vocab_size batch_size max_seq_len " +
	"max_model_len block_size page_size num_heads num_layers layer_id layer_idx eps epsilon")

// flagName reports whether a name is that of a yes-or-no setting: is_causal, and not is_token_ids.
func flagName(n string) bool {
	for _, p := range []string{"is_", "has_", "use_", "enable_"} {
		if strings.HasPrefix(n, p) {
			return !strings.HasSuffix(n, "s") && !strings.Contains(n, "mask")
		}
	}
	return false
}

// typeByName is the element type that the name of a tensor speaks of. It matters where the tensor is an index: masks
// select, indices gather.
func typeByName(name string) DType {
	n := strings.ToLower(name)
	for _, w := range strings.Split(n, "_") {
		switch w {
		case "mask", "masks":
			return DTypeBool
		case "idx", "indices", "index", "ids", "slots", "mapping", "positions", "lens", "lengths", "indptr", "offsets", "counts":
			return DTypeInt
		}
	}
	return DTypeUnknown
}

var hostNames = set("config cfg args kwargs options opts settings logger log prefix name path training " +
	"verbose debug step i j step_idx iteration tokenizer env " +
	"quant_config model_config cache_config")
