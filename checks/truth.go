package checks

import "github.com/gatebot/gatebot/internal/pyast"

// test evaluates a condition and raises Truth events at its leaves: `not`, `and` and `or` inside a condition test
// their operands, and the event says what the condition is for.
func (fr *frame) test(e pyast.Expr, kind TruthKind, s pyast.Stmt) *Value {
	switch t := e.(type) {
	case *pyast.Unary:
		if t.Op == "not" {
			v := fr.test(t.X, kind, s)
			out := boolean
			if b, known := v.truth(); known {
				out = constant(!b)
			}
			fr.values.set(e, out)
			return out
		}
	case *pyast.Bool:
		return fr.testBoth(t, kind, s)
	}
	v := fr.eval(e)
	fr.truth(e, v, kind, s)
	return v
}

func (fr *frame) testBoth(t *pyast.Bool, kind TruthKind, s pyast.Stmt) *Value {
	l := fr.test(t.L, kind, s)
	then, els := fr.guardOf(t.L)
	if t.Op == "or" {
		then = els
	}
	base := fr.env
	fr.env = base.clone()
	fr.narrow(t.L, t.Op == "and")
	var r *Value
	fr.guarded(then, func() { r = fr.test(t.R, kind, s) })
	// A walrus in the second part stays visible.
	for _, b := range fr.env.vars {
		if base.at(b.holder) == nil {
			base.put(b.holder, b.v)
		}
	}
	fr.env = base
	out := boolean
	for _, v := range []*Value{l, r} {
		if b, known := v.Bool(); known && b == (t.Op == "or") {
			out = constant(b) // one part is enough
		}
	}
	fr.values.set(t, out)
	return out
}

func (fr *frame) truth(e pyast.Expr, v *Value, kind TruthKind, s pyast.Stmt) {
	fr.protocol(v, nil, "__bool__", "__len__")
	if fr.in.emits() {
		fr.in.hooks.truth(fr, &Truth{Node: e, Kind: kind, Value: v, Stmt: s})
	}
}

func (fr *frame) iterates(e pyast.Expr, v *Value, kind IterKind) {
	if fr.in.emits() {
		fr.in.hooks.iterate(fr, &Iterate{Node: e, Kind: kind, Value: v})
	}
}

func (fr *frame) format(e pyast.Expr, v *Value, kind FormatKind, level string) {
	if fr.in.emits() {
		fr.in.hooks.format(fr, &Format{Node: e, Kind: kind, Value: v, Level: level})
	}
}

// emits reports whether events are raised at all.
func (in *interp) emits() bool { return in.quiet == 0 && in.hooks != nil }

// compare handles comparison chains. The result of one comparison with a tensor is a bool tensor; a chain of two
// truth-tests the first.
func (fr *frame) compare(e *pyast.Compare) *Value {
	l := fr.eval(e.First)
	var out *Value
	for i, op := range e.Ops {
		r := fr.compared(op, e.Rest[i])
		switch op {
		case "in", "not in":
			if fr.in.emits() {
				fr.in.hooks.membership(fr, &Membership{Node: e, Elt: l, Container: r, ContainerNode: e.Rest[i]})
			}
			out = boolean
		case "is", "is not":
			out = fr.identity(l, r, op)
		default:
			out = fr.compareOne(e, op, l, r)
		}
		if i+1 < len(e.Ops) {
			fr.truth(e, out, TruthAnd, nil)
		}
		l = r
	}
	return out
}

func (fr *frame) identity(l, r *Value, op string) *Value {
	known, is := false, false
	switch {
	case r.Kind == KindNone && l.Kind == KindNone:
		known, is = true, true
	case r.Kind == KindNone && !l.Optional && (l.Kind == KindTensor || l.Kind == KindNumber) && l.Sure == Likely:
		known = true
	}
	if !known {
		return boolean
	}
	return constant(is == (op == "is"))
}

func (fr *frame) compareOne(e *pyast.Compare, op string, l, r *Value) *Value {
	var out *Value
	switch {
	case l.Kind == KindTensor || r.Kind == KindTensor:
		out = fr.arith("==", l, r).with(func(c *Value) { c.DType = DTypeBool })
		// A tensor compared with a string, None or a class is Python's own comparison.
		if o := other(l, r); o.Kind == KindString || o.Kind == KindNone || o.Kind == KindDType || o.Kind == KindDevice {
			out = boolean
		}
	case l.Kind == KindArray || r.Kind == KindArray:
		out = array.with(func(c *Value) { c.DType = DTypeBool })
	case l.IsUnknown() && l.Place != PlaceHost && !r.HostData(), r.IsUnknown() && r.Place != PlaceHost && !l.HostData():
		out = unknown
	case l.IsUnknown() && l.Place != PlaceHost || r.IsUnknown() && r.Place != PlaceHost:
		out = unknown // might be a tensor
	default:
		out = boolean
	}
	fr.binaryEvent(e, op, l, r, out, false)
	return out
}

// other is the operand that is not the tensor.
func other(l, r *Value) *Value {
	if l.Kind == KindTensor {
		return r
	}
	return l
}

// compared is what stands on the right of a comparison. Behind `in` a variable of a module that is a dict display is a dict, and
// which one does not matter: it is not evaluated, and a table of all settings can get one more without a second look at who
// asks for another.
func (fr *frame) compared(op string, e pyast.Expr) *Value {
	name, ok := e.(*pyast.Name)
	if !ok || op != "in" && op != "not in" {
		return fr.eval(e)
	}
	if _, local := fr.env.get(name.ID); local {
		return fr.eval(e)
	}
	v := fr.in.lookup(fr.u.mod, name.ID).val
	if v == nil {
		return fr.eval(e)
	}
	if fr.in.asked.dicts[*v] = true; !v.mod.vars[v.name] {
		return fr.eval(e)
	}
	out := &Value{Kind: KindDict, Rank: -1, Sure: Likely}
	fr.values.set(e, out)
	return out
}
