package checks

import (
	"strings"

	"github.com/gatebot/gatebot/internal/pyast"
)

// builtin is the result of a builtin function, with the events that it raises: what it iterates, tests and formats.
// The Call event is raised by the caller; ok is false for what is no builtin.
func (fr *frame) builtin(c *Call) (*Value, bool) {
	name, ok := strings.CutPrefix(c.Name, "builtins.")
	if !ok {
		return fr.libraryCall(c)
	}
	arg := c.Value(0, "")
	if arg == nil {
		arg = unknown
	}
	switch name {
	case "int", "len", "ord", "hash", "id":
		return fr.toInt(name, arg), true
	case "float", "complex":
		if f, ok := arg.Int(); ok {
			return constant(float64(f)), true
		}
		return number.with(func(v *Value) { v.DType = DTypeFloat }), true
	case "bool", "isinstance", "issubclass", "callable", "hasattr":
		return fr.toBool(name, c, arg), true
	case "str", "repr", "format", "ascii":
		if len(c.Args) > 0 {
			fr.format(c.Args[0].Node, arg, FormatStr, "")
		}
		return text, true
	case "print":
		for _, a := range c.Args {
			if a.Name == "" {
				fr.format(a.Node, a.Value, FormatPrint, "")
			}
		}
		return none, true
	case "range":
		return &Value{Kind: KindList, Rank: -1, Sure: Likely, Place: PlaceHost, Elem: hostInt}, true
	case "list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "sum", "any", "all", "min", "max", "enumerate", "zip",
		"next":
		return fr.iterating(name, c, arg), true
	case "dict":
		return fr.newDict(c, arg), true
	case "abs", "round", "divmod", "pow":
		if arg.Kind == KindTensor {
			if name == "round" {
				return arg, true // Tensor.__round__ is not defined by torch; abs stays a tensor
			}
			return arg, true
		}
		if arg.IsUnknown() {
			return arg, true
		}
		return number, true
	case "slice":
		v := &Value{Kind: KindSlice, Rank: -1, Sure: Likely, Items: []*Value{none, none, none}}
		if n, _ := c.Positional(); n == 1 {
			v.Items[1] = arg
		} else {
			for i := 0; i < n && i < 3; i++ {
				v.Items[i] = c.Value(i, "")
			}
		}
		return v, true
	case "type":
		if arg.Kind == KindInstance && arg.Class != nil {
			return &Value{Kind: KindClass, Rank: -1, Place: PlaceHost, Sure: Likely, Class: arg.Class}, true
		}
		return hostUnknown, true
	case "super":
		if fr.self != nil {
			return fr.self, true
		}
		return unknown, true
	case "vars", "globals", "locals":
		return unknown, true
	}
	return hostUnknown, true
}

func (fr *frame) toInt(name string, arg *Value) *Value {
	if name == "int" {
		switch n := arg.Const.(type) {
		case int64:
			return constant(n)
		case bool:
			if n {
				return constant(int64(1))
			}
			return constant(int64(0))
		}
	}
	if name == "len" && arg.IsSequence() && arg.Elem == nil {
		return constant(int64(len(arg.Items)))
	}
	return hostInt
}

func (fr *frame) toBool(name string, c *Call, arg *Value) *Value {
	if b, known := arg.truth(); known && name == "bool" {
		return constant(b)
	}
	if name == "isinstance" && len(c.Args) == 2 {
		if is, known := fr.isInstance(arg, c.Args[1].Value); known {
			return constant(is)
		}
	}
	return boolean
}

// isInstance decides isinstance for the cases that prune branches: tensors, numbers, strings and sequences.
func (fr *frame) isInstance(v, cls *Value) (is, known bool) {
	if v.IsUnknown() || v.Optional || v.Sure == Possible || cls.Kind == KindTuple {
		return false, false
	}
	name := ""
	if cls.Kind == KindExternal {
		name = last(cls.Name)
	}
	var want Kind
	switch name {
	case "Tensor", "LongTensor", "FloatTensor":
		want = KindTensor
	case "int", "float", "bool":
		if v.Kind == KindNumber && v.DType == DTypeUnknown {
			return false, false
		}
		if v.Kind == KindNumber {
			t := map[string]DType{"int": DTypeInt, "float": DTypeFloat, "bool": DTypeBool}[name]
			return v.DType == t, true
		}
		want = KindNumber
	case "str":
		want = KindString
	case "ndarray":
		want = KindArray
	case "list", "tuple":
		if v.IsSequence() {
			return false, false
		}
		want = KindList
	case "dict":
		want = KindDict
	default:
		return false, false
	}
	switch v.Kind {
	case KindTensor, KindNumber, KindString, KindArray, KindList, KindTuple, KindNone:
		return v.Kind == want, true
	}
	return false, false
}

// iterating handles the builtins that go through their argument.
func (fr *frame) iterating(name string, c *Call, arg *Value) *Value {
	full := "builtins." + name
	n, _ := c.Positional()
	if (name == "min" || name == "max") && n > 1 {
		return fr.extreme(c)
	}
	var items []*Value
	for _, a := range c.Args {
		if a.Name != "" {
			continue
		}
		fr.iterateCall(a, full)
		items = append(items, fr.iterated(a.Value, a.Node))
		if name != "zip" {
			break
		}
	}
	if len(items) == 0 {
		return list(nil)
	}
	elem := items[0]
	switch name {
	case "enumerate":
		return list(tuple(hostInt, elem))
	case "zip":
		return list(tuple(items...))
	case "next":
		return elem
	case "any", "all":
		fr.truth(c.Node, elem, TruthBuiltin, nil)
		return boolean
	case "min", "max":
		if elem.Kind == KindTensor {
			fr.truth(c.Node, elem, TruthBuiltin, nil)
		}
		if elem.HostData() {
			return elem.with(func(v *Value) { v.Const = nil })
		}
		return elem
	case "sorted":
		if elem.Kind == KindTensor && !c.Has("key") {
			fr.truth(c.Node, elem, TruthBuiltin, nil)
		}
	case "sum":
		return elem
	case "iter", "reversed":
		return list(elem)
	case "list", "tuple":
		if arg.IsSequence() && arg.Kind != KindShape && arg.Elem == nil {
			k := KindList
			if name == "tuple" {
				k = KindTuple
			}
			return arg.with(func(v *Value) { v.Kind = k })
		}
	}
	return list(elem)
}

// extreme is min(a, b, …) and max(a, b, …): they compare, and the comparison of tensors is truth-tested.
func (fr *frame) extreme(c *Call) *Value {
	var out *Value
	for _, a := range c.Args {
		if a.Name != "" {
			continue
		}
		if a.Star == 1 {
			out = join(out, fr.iterated(a.Value, a.Node))
			continue
		}
		out = join(out, a.Value)
		if a.Value.Kind == KindTensor {
			fr.truth(c.Node, a.Value, TruthBuiltin, nil)
			return a.Value
		}
	}
	if out.Kind == KindNumber {
		return number.with(func(v *Value) { v.DType = out.DType })
	}
	return out
}

func (fr *frame) newDict(c *Call, arg *Value) *Value {
	o := fr.objectAt(c.Node)
	v := &Value{Kind: KindDict, Rank: -1, Sure: Likely, Obj: o}
	if arg.Obj != nil {
		for k, held := range arg.Obj.attrs {
			o.attrs[k] = join(o.attrs[k], held)
		}
		o.elem = join(o.elem, arg.Obj.elem)
	} else if e := arg.Element(); e != nil && e.Kind == KindTuple && len(e.Items) == 2 {
		o.elem = join(o.elem, e.Items[1])
	}
	for _, a := range c.Args {
		if a.Name != "" {
			o.attrs[a.Name] = join(o.attrs[a.Name], a.Value)
		}
	}
	return v
}

// iterated is what going through v gives: rows of a tensor, elements of a list, keys of a dict.
func (fr *frame) iterated(v *Value, _ pyast.Expr) *Value {
	switch v.Kind {
	case KindTensor:
		return v.with(func(c *Value) {
			c.Rank = max(v.Rank-1, -1)
			c.Optional = false
		})
	case KindArray:
		if v.Rank == 1 {
			return number
		}
		return array.with(func(c *Value) { c.Rank = max(v.Rank-1, -1) })
	case KindList, KindTuple, KindShape:
		if e := v.Element(); e != nil {
			return e
		}
		if v.Place == PlaceHost {
			return hostUnknown
		}
		return unknown
	case KindDict:
		return text
	case KindString:
		return text
	case KindInstance:
		if v.Class != nil {
			if m := v.Class.method("__iter__"); m != nil {
				return fr.iterated(fr.callUser(m, v, nil, nil), nil)
			}
			if m := v.Class.method("__getitem__"); m != nil {
				return fr.callUser(m, v, []Arg{{Value: hostInt}}, nil)
			}
		}
	}
	if v.Place == PlaceHost {
		return hostUnknown
	}
	return unknown
}

// libraryCall knows the functions of the standard library and of logging that touch values.
func (fr *frame) libraryCall(c *Call) (*Value, bool) {
	switch {
	case c.Name == "warnings.warn":
		for _, a := range c.Args {
			fr.format(a.Node, a.Value, FormatLog, "warning")
		}
		return none, true
	case strings.HasPrefix(c.Name, "logging.") && isLogLevel(last(c.Name)), fr.isLogger(c):
		for _, a := range c.Args {
			if a.Name == "" {
				fr.format(a.Node, a.Value, FormatLog, last(c.Name))
			}
		}
		return none, true
	case c.Name == "torch.device":
		return fr.newDevice(c), true
	case c.Name == "types.SimpleNamespace":
		o := fr.objectAt(c.Node)
		for _, a := range c.Args {
			switch {
			case a.Name != "":
				fr.put(o, a.Name, a.Value)
			case a.Star == 2 && a.Value.Obj != nil:
				for _, k := range sortedKeys(a.Value.Obj.attrs) {
					fr.put(o, k, a.Value.Obj.attrs[k])
				}
			}
		}
		return &Value{Kind: KindInstance, Rank: -1, Place: PlaceHost, Sure: Likely, Obj: o}, true
	case c.Name == "collections.OrderedDict", c.Name == "collections.defaultdict":
		return fr.newDict(c, unknown), true
	case c.Name == "collections.deque":
		if v := c.Value(0, "iterable"); v != nil {
			return list(v.Element()), true
		}
		return list(nil), true
	case strings.HasPrefix(c.Name, "math.") || strings.HasPrefix(c.Name, "time.") || strings.HasPrefix(c.Name, "random."):
		return number, true
	case strings.HasPrefix(c.Name, "itertools."):
		var e *Value
		for _, a := range c.Args {
			fr.iterateCall(a, c.Name)
			e = join(e, fr.iterated(a.Value, a.Node))
		}
		if c.Name == "itertools.chain.from_iterable" {
			e = e.Element()
		}
		return list(e), true
	}
	return nil, false
}

func isLogLevel(s string) bool {
	switch s {
	case "debug", "info", "warning", "warn", "error", "exception", "critical", "log", "info_once", "warning_once", "debug_once":
		return true
	}
	return false
}

// isLogger recognizes logger.info(…) by the name of the object: loggers come from too many places to follow.
func (fr *frame) isLogger(c *Call) bool {
	if c.Node == nil {
		return false
	}
	a, ok := c.Node.Func.(*pyast.Attr)
	if !ok || !isLogLevel(a.Name) {
		return false
	}
	d, ok := dotted(a.X)
	if !ok {
		return false
	}
	n := strings.ToLower(strings.Trim(last(d), "_"))
	return n == "logger" || n == "log" || n == "logging" || strings.HasSuffix(n, "_logger")
}

func (fr *frame) newDevice(c *Call) *Value {
	v := c.Value(0, "type")
	if v == nil {
		v = c.Value(0, "device")
	}
	if p, ok := deviceOf(v); ok {
		s, _ := v.Str()
		return device(p, s)
	}
	if v.IsUnknown() || v.Kind == KindString {
		return device(PlaceDevice, "")
	}
	return v
}
