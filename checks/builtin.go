package checks

import (
	"strings"
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
		if name == "int" || name == "len" {
			fr.protocol(arg, nil, "__"+name+"__")
		}
		return fr.toInt(name, arg), true
	case "float", "complex":
		fr.protocol(arg, nil, "__float__")
		if f, ok := arg.Int(); ok {
			return constant(float64(f)), true
		}
		return number.with(func(v *Value) { v.DType = DTypeFloat }), true
	case "bool":
		fr.protocol(arg, nil, "__bool__", "__len__")
		return fr.toBool(name, c, arg), true
	case "isinstance", "issubclass", "callable", "hasattr":
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
