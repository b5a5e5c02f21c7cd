package checks

import (
	"github.com/gatebot/gatebot/internal/pyast"
)

// special handles calls whose meaning is not their result: getattr, functools.partial, register_buffer, setattr.
func (fr *frame) special(e *pyast.Call, callee *Value, args []Arg) (*Value, bool) {
	if callee.Kind != KindExternal {
		return nil, false
	}
	switch callee.Name {
	case "builtins.getattr":
		if len(args) < 2 {
			return unknown, true
		}
		name, ok := args[1].Value.Str()
		if !ok {
			if v := fr.dispatched(args[0].Value, args[1].Node); v != nil {
				return v, true
			}
			return unknown, true
		}
		v := fr.attrOf(args[0].Value, name)
		if v == nil || v.IsUnknown() {
			if v = hint(name); v.IsUnknown() && isTensorMethod(name) && !sharedMethods[name] {
				v = unknownMethod(args[0].Value, name)
			}
		}
		if len(args) > 2 && !args[2].Value.IsNone() {
			v = join(v, args[2].Value)
		}
		return v, true
	case "builtins.setattr":
		if len(args) == 3 && args[0].Value.Obj != nil {
			if name, ok := args[1].Value.Str(); ok {
				fr.put(args[0].Value.Obj, name, args[2].Value)
			}
		}
		return none, true
	case "torch.nn.Module.register_buffer", "torch.nn.Module.register_parameter":
		return fr.registerBuffer(e, callee, args), true
	case "types.MethodType": // a function with its first argument
		if len(args) == 2 && args[0].Value.Kind == KindFunc {
			return args[0].Value.with(func(c *Value) {
				c.setMore(func(m *moreValue) { m.partial = append([]Arg{}, Arg{Value: args[1].Value}) })
			}), true
		}
	case "functools.partial":
		if len(args) > 0 && args[0].Value.Kind == KindFunc {
			v := args[0].Value
			return v.with(func(c *Value) {
				c.setMore(func(m *moreValue) { m.partial = append(append([]Arg{}, m.partial...), args[1:]...) })
			}), true
		}
	case "functools.lru_cache", "functools.cache", "functools.wraps", "torch.compile", "torch.jit.script", "torch.no_grad",
		"torch.inference_mode", "torch.compiler.disable":
		if len(args) > 0 && args[0].Value.Kind == KindFunc {
			fr.called(Call{Node: e, Name: callee.Name, Args: args, Result: args[0].Value})
			return args[0].Value, true
		}
	case "torch.utils.checkpoint.checkpoint":
		if len(args) > 0 {
			return fr.callValue(args[0].Value, args[1:], e), true
		}
	case "builtins.map", "builtins.filter":
		return fr.mapped(e, callee.Name, args), true
	}
	return fr.higher(e, callee, args)
}

// registerBuffer stores a buffer. Buffers move to the device with their module.
func (fr *frame) registerBuffer(e *pyast.Call, callee *Value, args []Arg) *Value {
	c := &Call{Node: e, Name: callee.Name, Recv: callee.Recv, Args: args, Result: none}
	if name, ok := c.Value(0, "name").Str(); ok && callee.Recv.Obj != nil {
		v := c.Value(1, "tensor")
		if v == nil {
			v = c.Value(1, "param")
		}
		if v != nil && v.IsTensor() {
			v = fr.step(v.with(func(t *Value) { t.Place, t.Sure = PlaceDevice, Likely }), e, "registered as ", name)
		} else if v.IsUnknown() {
			v = tensor(PlaceDevice, Likely)
		}
		fr.put(callee.Recv.Obj, name, v)
	}
	fr.callEvent(c)
	return none
}

// mapped is map(f, xs) and filter(f, xs).
func (fr *frame) mapped(e *pyast.Call, name string, args []Arg) *Value {
	if len(args) < 2 {
		return list(nil)
	}
	items := make([]Arg, 0, len(args)-1)
	for _, a := range args[1:] {
		fr.iterateCall(a, name)
		items = append(items, Arg{Value: fr.iterated(a.Value, a.Node), Node: a.Node})
	}
	out := fr.callValue(args[0].Value, items, e)
	if name == "builtins.filter" {
		fr.truth(e, out, TruthFilter, nil)
		out = items[0].Value
	}
	v := list(out)
	fr.called(Call{Node: e, Name: name, Args: args, Result: v})
	return v
}

func (fr *frame) iterateCall(a Arg, name string) {
	if fr.in.emits() {
		fr.in.hooks.iterate(fr, &Iterate{Node: a.Node, Kind: IterCall, Value: a.Value, Call: name})
	}
}
