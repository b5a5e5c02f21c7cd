package checks

import (
	"strings"
)

// instanceAttr is an attribute of an object.
func (fr *frame) instanceAttr(v *Value, name string) *Value {
	if len(v.also()) > 0 {
		one := v.onlyFirst()
		out := fr.instanceAttr(one, name)
		for _, o := range v.also() {
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
	if m := fr.in.method(v.Class, name); m != nil {
		out := fr.methodValue(m, v)
		if m.Kind != FuncProperty {
			m.stands(func(fs ...*Func) {
				for _, f := range fs {
					out = join(out, fr.methodValue(f, v))
				}
			})
		}
		return out
	}
	if held := fr.in.instanceState(v.Class, v, name); held != nil && !held.IsUnknown() {
		return held
	}
	if fr.in.isModule(v.Class) {
		if b := moduleMethod(name, v); b != nil {
			return b
		}
	}
	if name == "_replace" && v.Class.data {
		return bound("dataclasses.replace", v)
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
