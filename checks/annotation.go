package checks

import (
	"strings"
)

// annotation is the value that a type annotation promises, nil when it says nothing that matters. It reads the text:
// annotations are written as expressions, strings and comments alike. In a module class tensors are on the device.
func (in *interp) annotation(m *module, text string, _ bool) *Value {
	t := strings.TrimSpace(strings.Trim(strings.TrimSpace(text), `"'`))
	optional := false
	if inner, ok := cutBrackets(t, "Optional"); ok {
		t, optional = inner, true
	}
	if strings.IndexByte(t, '|') >= 0 {
		if parts := splitTop(t, '|'); len(parts) > 1 {
			return in.union(m, parts)
		}
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

func (in *interp) plainAnnotation(m *module, t string) *Value {
	head, inner := t, ""
	if i := strings.IndexByte(t, '['); i > 0 && strings.HasSuffix(t, "]") {
		head, inner = t[:i], t[i+1:len(t)-1]
	}
	if owner, _, dotted := strings.Cut(head, "."); dotted && kernelTypes[owner] {
		return hostUnknown // cute.Tensor: a value of device code, or a host description of one
	}
	sym := in.lookup(m, head)
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
