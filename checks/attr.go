package checks

import (
	"strings"

	"github.com/gatebot/gatebot/internal/pyast"
)

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
			return fr.in.externalAttr(v.Name, name)
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

// attrIn is an attribute of something outside of the project.
type attrIn struct{ owner, name string }

func (in *interp) externalAttr(owner, name string) *Value {
	key := attrIn{owner, name}
	v := in.outside[key]
	if v == nil {
		v = newExternalAttr(owner, name)
		in.outside[key] = v
	}
	return v
}

func newExternalAttr(owner, name string) *Value {
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
