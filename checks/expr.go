package checks

import (
	"strconv"
	"strings"

	"github.com/gatebot/gatebot/internal/pyast"
)

// eval is the value of an expression. It is never nil.
func (fr *frame) eval(e pyast.Expr) *Value {
	if e == nil || !fr.in.budget(1) {
		return unknown
	}
	if fr.in.nest++; fr.in.nest > maxExprNest {
		fr.in.nest--
		return unknown
	}
	v := fr.evalNode(e)
	fr.in.nest--
	if v == nil {
		v = unknown
	}
	fr.values.set(e, v)
	if fr.in.trace != nil {
		fr.in.trace.value(fr, e, v)
	}
	return v
}

func (fr *frame) evalNode(e pyast.Expr) *Value {
	switch e := e.(type) {
	case *pyast.Name:
		return fr.name(e.ID)
	case *pyast.Attr:
		return fr.attr(e, fr.eval(e.X))
	case *pyast.Call:
		return fr.call(e)
	case *pyast.Subscript:
		base := fr.eval(e.X)
		return fr.load(e, base, fr.indices(e), false)
	case *pyast.Slice:
		return fr.slice(e)
	case *pyast.Binary:
		return fr.binaryExpr(e)
	case *pyast.Unary:
		return fr.unary(e)
	case *pyast.Bool:
		return fr.boolean(e)
	case *pyast.Compare:
		return fr.compare(e)
	case *pyast.IfExp:
		return fr.ternary(e)
	case *pyast.Lambda:
		return &Value{Kind: KindFunc, Rank: -1, Place: PlaceHost, Sure: Likely, Func: fr.fn,
			more: &moreValue{lambda: &lambdaRef{fr.u.mod, e.Off}, closure: fr.env}}
	case *pyast.Const:
		return literal(e)
	case *pyast.FString:
		for _, v := range e.Values {
			fr.format(v.X, fr.eval(v.X), FormatFString, "")
		}
		return text
	case *pyast.Tuple:
		return fr.display(KindTuple, e.Elts)
	case *pyast.List:
		return fr.display(KindList, e.Elts)
	case *pyast.Set:
		return fr.display(KindList, e.Elts)
	case *pyast.Dict:
		return fr.dict(e)
	case *pyast.Comp:
		return fr.comprehension(e)
	case *pyast.Walrus:
		v := fr.eval(e.Value)
		if e.Target != nil {
			fr.env.set(e.Target.ID, v)
		}
		return v
	case *pyast.Starred:
		return fr.eval(e.X)
	case *pyast.Await:
		return fr.eval(e.X)
	case *pyast.Yield:
		return fr.yields(e)
	case *pyast.Bad:
		for _, c := range e.Children {
			fr.eval(c)
		}
	}
	return unknown
}

func (fr *frame) yields(e *pyast.Yield) *Value {
	fr.gen = true
	if e.X == nil {
		fr.yield = join(fr.yield, none)
		return unknown
	}
	v := fr.eval(e.X)
	if e.From {
		v = v.Element()
	}
	fr.yield = join(fr.yield, v)
	return unknown
}

func literal(e *pyast.Const) *Value {
	switch e.Kind {
	case pyast.ConstNone:
		return none
	case pyast.ConstTrue:
		return constant(true)
	case pyast.ConstFalse:
		return constant(false)
	case pyast.ConstInt:
		if n, ok := parseInt(e.Text); ok {
			return constant(n)
		}
		return number
	case pyast.ConstFloat:
		if f, err := strconv.ParseFloat(strings.ReplaceAll(e.Text, "_", ""), 64); err == nil {
			return constant(f)
		}
		return number
	case pyast.ConstComplex:
		return number
	case pyast.ConstString:
		return constant(e.Text)
	case pyast.ConstBytes:
		return text
	case pyast.ConstEllipsis:
		return ellipsis
	}
	return unknown
}

func (fr *frame) display(k Kind, elts []pyast.Expr) *Value {
	v := &Value{Kind: k, Rank: -1, Sure: Likely}
	if len(elts) > 0 {
		v.Items = make([]*Value, 0, len(elts))
	}
	var rest *Value
	open := false
	for _, e := range elts {
		item := fr.eval(e)
		if _, star := e.(*pyast.Starred); star {
			fr.iterates(e, item, IterStar)
			rest = join(rest, fr.iterated(item, e))
			open = true
			continue
		}
		v.Items = append(v.Items, item)
	}
	if open || len(v.Items) > 64 {
		for _, it := range v.Items {
			rest = join(rest, it)
		}
		v.Kind, v.Items, v.Elem = KindList, nil, rest
	}
	return v
}

func (fr *frame) dict(e *pyast.Dict) *Value {
	o := fr.objectAt(e)
	v := &Value{Kind: KindDict, Rank: -1, Sure: Likely, Obj: o}
	for i, ve := range e.Values {
		val := fr.eval(ve)
		if i >= len(e.Keys) || e.Keys[i] == nil { // **other
			if val.Obj != nil {
				for _, k := range sortedKeys(val.Obj.all()) {
					fr.put(o, k, val.Obj.attrs[k])
				}
				o.elem = join(o.elem, val.Obj.elem)
			}
			continue
		}
		if key, ok := fr.eval(e.Keys[i]).Str(); ok {
			fr.put(o, key, val)
		} else {
			o.elem = join(o.elem, val)
		}
	}
	return v
}

// objectAt makes the object of a display or constructor. A place that runs again in a loop makes the same one.
func (fr *frame) objectAt(e pyast.Expr) *Object {
	if v := fr.values.get(e); v != nil && v.Obj != nil {
		return v.Obj
	}
	return fr.in.newObject()
}

func (fr *frame) comprehension(e *pyast.Comp) *Value {
	outer := fr.env
	fr.env = newEnv(outer)
	fr.loop++
	for _, c := range e.Clauses {
		it := fr.eval(c.Iter)
		fr.iterates(c.Iter, it, IterComp)
		fr.assign(c.Target, fr.iterated(it, c.Iter), &pyast.ExprStmt{X: c.Iter}, nil)
		for _, cond := range c.Ifs {
			fr.test(cond, TruthFilter, nil)
			fr.narrow(cond, true)
		}
	}
	key := fr.eval(e.Elt)
	var out *Value
	if e.Kind == pyast.CompDict {
		o := fr.objectAt(e)
		o.elem = join(o.elem, fr.eval(e.Value))
		out = &Value{Kind: KindDict, Rank: -1, Sure: Likely, Obj: o}
	} else {
		out = list(key)
	}
	fr.loop--
	fr.env = outer
	return out
}

func (fr *frame) ternary(e *pyast.IfExp) *Value {
	t := fr.test(e.Test, TruthTernary, nil)
	then, els := fr.decided(e.Test, t)
	guardThen, guardElse := fr.guardOf(e.Test)
	base := fr.env
	var a, b *Value
	if then {
		fr.env = base.clone()
		fr.narrow(e.Test, true)
		once := fr.once
		if fr.leftOut(e.Test, true) {
			fr.once++
		}
		fr.guarded(guardThen, func() { a = fr.eval(e.Then) })
		fr.once = once
	}
	if els {
		fr.env = base.clone()
		fr.narrow(e.Test, false)
		once := fr.once
		if fr.leftOut(e.Test, false) {
			fr.once++
		}
		fr.guarded(guardElse, func() { b = fr.eval(e.Else) })
		fr.once = once
	}
	fr.env = base
	return join(a, b)
}

// boolean is `and`/`or` used for its value.
func (fr *frame) boolean(e *pyast.Bool) *Value {
	kind := TruthAnd
	if e.Op == "or" {
		kind = TruthOr
	}
	l := fr.test(e.L, kind, nil)
	base := fr.env
	fr.env = base.clone()
	fr.narrow(e.L, e.Op == "and")
	var r *Value
	then, els := fr.guardOf(e.L)
	if e.Op == "or" {
		then = els
	}
	fr.guarded(then, func() { r = fr.eval(e.R) })
	fr.env = base
	if l.Kind == KindNone && e.Op == "or" {
		return r
	}
	return join(l.with(func(c *Value) { c.Optional = c.Optional && e.Op == "and" }), r)
}

func (fr *frame) unary(e *pyast.Unary) *Value {
	if e.Op == "not" {
		v := fr.test(e.X, TruthNot, nil)
		if b, known := v.truth(); known {
			return constant(!b)
		}
		return boolean
	}
	v := fr.eval(e.X)
	switch v.Kind {
	case KindTensor:
		return v.with(func(c *Value) { c.NonDense = false })
	case KindNumber:
		if n, ok := v.Int(); ok && e.Op == "-" {
			return constant(-n)
		}
		if f, ok := v.Const.(float64); ok && e.Op == "-" {
			return constant(-f)
		}
		return v.with(func(c *Value) { c.Const = nil })
	}
	return v
}
