package checks

import (
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/pyast"
)

// call evaluates a call: what is called, the arguments, and what comes back.
func (fr *frame) call(e *pyast.Call) *Value {
	if v, ok := fr.super(e); ok {
		return v
	}
	callee := fr.callee(e.Func)
	if s, ok := e.Func.(*pyast.Subscript); ok {
		fr.grid(e, s)
	}
	args := fr.args(e)
	v, ok := fr.special(e, callee, args)
	if !ok {
		v = fr.callValue(callee, args, e)
	}
	fr.done(args)
	return v
}

// callee evaluates what is called. A method of something unknown gets a name here, where it is known to be a method.
func (fr *frame) callee(f pyast.Expr) *Value {
	a, ok := f.(*pyast.Attr)
	if !ok {
		return fr.eval(f)
	}
	recv := fr.eval(a.X)
	v := fr.attrOf(recv, a.Name)
	if v == nil || v.Kind == KindUnknown && v.Recv == nil {
		v = unknownMethod(recv, a.Name)
	}
	fr.values.set(f, v)
	return v
}

// unknownMethod names a method of a value of which nothing is known as if it were a tensor's when that is likely
// from the name alone.
func unknownMethod(recv *Value, name string) *Value {
	n := "?." + name
	if recv.Kind == KindUnknown && recv.Place != PlaceHost && isTensorMethod(name) && !sharedMethods[name] {
		n = "Tensor." + name
	}
	if recv.Kind == KindUnknown && recv.Place != PlaceHost && name == "to" {
		n = "Tensor.to"
	}
	return bound(n, recv)
}

// calleeName is the canonical name of what a call that has been evaluated called.
func (fr *frame) calleeName(e *pyast.Call) string {
	v := fr.values.get(e.Func)
	if v == nil {
		fr.quietly(func() { v = fr.eval(e.Func) })
	}
	switch {
	case v.Kind == KindExternal:
		return v.Name
	case v.Kind == KindFunc && v.Func != nil && v.lambda() == nil:
		return "user:" + v.Func.Name
	}
	return ""
}

// args evaluates the arguments of a call. They lie on a stack of all calls that are being evaluated, until done: nobody
// keeps what a call was given, but for the values.
func (fr *frame) args(e *pyast.Call) []Arg {
	in := fr.in
	from := len(in.args)
	for i := range e.Args {
		a := &e.Args[i]
		v := fr.eval(a.Value)
		if a.Star == 1 {
			fr.iterates(a.Value, v, IterStar)
			// f(*(a, b)) is f(a, b)
			if v.Kind == KindTuple && v.Elem == nil {
				for _, it := range v.Items {
					in.args = append(in.args, Arg{Value: it, Node: a.Value})
				}
				continue
			}
		}
		in.args = append(in.args, Arg{Name: a.Name, Star: a.Star, Value: v, Node: a.Value})
	}
	return in.args[from:len(in.args):len(in.args)]
}

// done takes the arguments of the innermost call off the stack.
func (fr *frame) done(args []Arg) {
	in := fr.in
	rest := len(in.args) - len(args)
	clear(in.args[rest:])
	in.args = in.args[:rest]
}

// callValue calls a value.
func (fr *frame) callValue(callee *Value, args []Arg, e *pyast.Call) *Value {
	var out *Value
	switch callee.Kind {
	case KindFunc:
		out = fr.callFunc(callee, args, e)
		fr.called(Call{Node: e, Name: "user", Recv: callee.Recv, Args: args, Result: out, Func: callee.Func})
	case KindClass:
		out = fr.construct(callee.Class, args, e)
		fr.called(Call{Node: e, Name: "user", Args: args, Result: out})
	case KindInstance:
		out = fr.callInstance(callee, args, e)
	case KindExternal:
		out = fr.callExternal(callee, args, e)
	default:
		out = unknown
		fr.called(Call{Node: e, Name: "?", Args: args, Result: out})
	}
	for _, o := range callee.also() {
		out = join(out, fr.callValue(o, args, e))
	}
	return out
}

func (fr *frame) callEvent(c *Call) {
	if fr.in.emits() {
		fr.in.hooks.call(fr, c)
	}
}

// called is callEvent for a call that is described for it alone: nothing is made where nobody listens.
func (fr *frame) called(c Call) {
	if fr.in.emits() {
		heard := c
		fr.in.hooks.call(fr, &heard)
	}
}

// callInstance calls an object: __call__, or forward of a module.
func (fr *frame) callInstance(v *Value, args []Arg, e *pyast.Call) *Value {
	if v.Class == nil {
		if len(v.Name) > 9 && v.Name[:9] == "torch.nn." {
			out := moduleResult(v, args)
			fr.called(Call{Node: e, Name: "torch.nn.Module.__call__", Recv: v, Args: args, Result: out})
			return out
		}
		fr.called(Call{Node: e, Name: "?", Recv: v, Args: args, Result: unknown})
		return unknown
	}
	m := fr.in.method(v.Class, "__call__")
	if m == nil {
		m = fr.in.method(v.Class, "forward")
	}
	if m == nil {
		return unknown
	}
	one := v
	if len(v.also()) > 0 {
		one = v.onlyFirst()
	}
	out := fr.callUser(m, one, args, e)
	fr.called(Call{Node: e, Name: "user", Recv: v, Args: args, Result: out, Func: m})
	return out
}

// moduleResult is what torch.nn.Linear and friends return: a tensor where their input is.
func moduleResult(v *Value, args []Arg) *Value {
	for _, a := range args {
		if a.Value.Kind == KindTensor {
			out := a.Value.with(func(c *Value) { c.Rank = -1; c.DType = DTypeFloat; c.NonDense = false })
			if last(v.Name) != "Embedding" {
				out.Rank = a.Value.Rank
			} else if a.Value.Rank >= 0 {
				out.Rank = a.Value.Rank + 1
			}
			if out.Place == PlaceUnknown {
				out.Place = PlaceDevice
			}
			return out
		}
	}
	return tensor(PlaceDevice, Likely)
}

// super handles super().name(…), which Python resolves along the ancestors of the object's class.
func (fr *frame) super(e *pyast.Call) (*Value, bool) {
	a, ok := e.Func.(*pyast.Attr)
	if !ok || fr.fn == nil || fr.fn.Class == nil {
		return nil, false
	}
	call, ok := a.X.(*pyast.Call)
	if !ok {
		return nil, false
	}
	if n, ok := call.Func.(*pyast.Name); !ok || n.ID != "super" {
		return nil, false
	}
	args := fr.args(e)
	defer fr.done(args)
	self := fr.self
	cls := fr.fn.Class
	if self != nil && self.Class != nil {
		cls = self.Class
	}
	m := fr.in.methodAfter(cls, fr.fn.Class, a.Name)
	if m == nil {
		if self == nil {
			return unknown, true
		}
		if b := moduleMethod(a.Name, self); b != nil {
			return fr.callExternal(b, args, e), true
		}
		return unknown, true
	}
	return fr.callUser(m, self, args, e), true
}

// callExternal calls something that is not of the project. What describes the call is used again for others.
func (fr *frame) callExternal(callee *Value, args []Arg, e *pyast.Call) *Value {
	in := fr.in
	var c *Call
	if last := len(in.spent) - 1; last >= 0 {
		c, in.spent = in.spent[last], in.spent[:last]
	} else {
		c = new(Call)
	}
	*c = Call{Node: e, Name: callee.Name, Recv: callee.Recv, Args: args}
	out := fr.external(c, callee, args, e)
	*c = Call{}
	in.spent = append(in.spent, c)
	return out
}

func (fr *frame) external(c *Call, callee *Value, args []Arg, e *pyast.Call) *Value {
	switch {
	case callee.Recv == nil && len(c.Name) > 13 && c.Name[:13] == "torch.Tensor.":
		// Tensor.item(t) is t.item()
		if len(args) > 0 {
			*c = Call{Node: e, Name: c.Name[6:], Recv: args[0].Value, Args: args[1:]}
		}
	case callee.Recv != nil:
		if v, ok := fr.hostMethod(callee, args, e); ok {
			c.Result = v
			fr.callEvent(c)
			return v
		}
	}
	if v, ok := fr.builtin(c); ok {
		c.Result = v
		fr.callEvent(c)
		return v
	}
	op, _ := torchop.Lookup(c.Name)
	c.Result = fr.opResult(c, op)
	fr.callEvent(c)
	return c.Result
}
