package checks

import (
	"slices"

	"github.com/gatebot/gatebot/internal/pyast"
)

// block runs statements until one of them leaves. Guards that an early return sets hold for the rest of the block.
func (fr *frame) block(body []pyast.Stmt) {
	depth, once, ran := len(fr.guards), fr.once, 0
	for _, s := range body {
		if fr.env.dead || !fr.in.budget(1) {
			break
		}
		fr.stmt(s)
		ran++
	}
	fr.mark(body, ran)
	fr.guards, fr.once = fr.guards[:depth], once
}

func (fr *frame) stmt(s pyast.Stmt) {
	switch s := s.(type) {
	case *pyast.ExprStmt:
		fr.eval(s.X)
	case *pyast.Assign:
		v := fr.eval(s.Value)
		for _, t := range s.Targets {
			fr.assign(t, v, s, s.Value)
		}
	case *pyast.AnnAssign:
		fr.annotated(s)
	case *pyast.AugAssign:
		fr.augmented(s)
	case *pyast.Return:
		fr.returns(s)
	case *pyast.If:
		fr.branch(s)
	case *pyast.While:
		fr.while(s)
	case *pyast.For:
		fr.forLoop(s)
	case *pyast.With:
		fr.with(s)
	case *pyast.Try:
		fr.try(s)
	case *pyast.Raise:
		fr.raise(s)
	case *pyast.Assert:
		holds := fr.test(s.Test, TruthAssert, s)
		if s.Msg != nil {
			fr.quietly(func() { fr.eval(s.Msg) }) // runs only when the assertion fails
		}
		fr.narrow(s.Test, true)
		if b, known := holds.Bool(); known && !b && fr.in.rest == nil {
			fr.env.dead = true // `assert x is not None` where x is None: what follows is for other callers
		}
	case *pyast.Delete:
		for _, t := range s.Targets {
			if n, ok := t.(*pyast.Name); ok {
				fr.env.unset(n.ID)
			}
		}
	case *pyast.FuncDef:
		fr.define(s)
	case *pyast.ClassDef:
		for _, c := range fr.u.mod.allCls {
			if c.Line == int(s.Start.Line) {
				fr.in.asked.of(c, askShape, "")
				fr.env.set(s.Name, &Value{Kind: KindClass, Rank: -1, Place: PlaceHost, Sure: Likely, Class: c})
			}
		}
	case *pyast.Import, *pyast.ImportFrom:
		fr.localImport(s)
	case *pyast.Match:
		fr.match(s)
	case *pyast.Jump:
		fr.jump(s)
	case *pyast.BadStmt:
		for _, e := range s.Children {
			fr.eval(e)
		}
	}
}

func (fr *frame) annotated(s *pyast.AnnAssign) {
	if s.Value == nil {
		return
	}
	v := fr.eval(s.Value)
	if v.IsUnknown() && s.Annotation != nil {
		if a := fr.in.annotation(fr.u.mod, fr.u.tree.Text(s.Annotation), false); a != nil {
			v = a
		}
	}
	fr.assign(s.Target, v, s, s.Value)
}

func (fr *frame) returns(s *pyast.Return) {
	v := none
	if s.X != nil {
		v = fr.eval(s.X)
		v = fr.step(v, s, "returned", "")
	}
	if fr.in.emits() {
		fr.in.hooks.ret(fr, &Return{Stmt: s, Value: v})
	}
	fr.ret = join(fr.ret, v)
	fr.env.dead = true
}

func (fr *frame) raise(s *pyast.Raise) {
	// The message of an exception is made only when it is raised: that is not the step as it should be.
	if s.X != nil {
		fr.quietly(func() { fr.eval(s.X) })
	}
	fr.env.dead = true
}

func (fr *frame) jump(s *pyast.Jump) {
	if s.Keyword == "pass" {
		return
	}
	if n := len(fr.loops); n > 0 {
		l := fr.loops[n-1]
		into := &l.continues
		if s.Keyword == "break" {
			into = &l.breaks
		}
		if *into == nil {
			*into = fr.env.clone()
		} else {
			(*into).merge(fr.env)
		}
	}
	fr.env.dead = true
}

func (fr *frame) with(s *pyast.With) {
	var left []*Value
	for _, it := range s.Items {
		v := fr.eval(it.X)
		name := ""
		if call, ok := it.X.(*pyast.Call); ok {
			name = fr.calleeName(call)
		}
		if fr.in.emits() {
			fr.in.hooks.with(fr, &With{Stmt: s, Node: it.X, Value: v, Name: name})
		}
		in := fr.entered(v)
		if it.As != nil {
			fr.assign(it.As, in, s, it.X)
		}
		left = append(left, v)
	}
	fr.block(s.Body)
	for _, v := range slices.Backward(left) {
		fr.left(v)
	}
}

// entered is what `with v as x` binds: the object itself for most context managers.
func (fr *frame) entered(v *Value) *Value {
	if in := fr.protocol(v, nil, "__enter__"); in != nil {
		return in
	}
	if v.Kind == KindList && v.Elem != nil { // a generator made a context manager
		return v.Elem
	}
	return v
}

// quietly evaluates without events: code that a healthy step does not run.
func (fr *frame) quietly(f func()) {
	fr.in.quiet++
	f()
	fr.in.quiet--
}

func (fr *frame) guarded(g *guard, f func()) {
	n := len(fr.guards)
	if g != nil {
		fr.guards = append(fr.guards[:n:n], *g)
	}
	f()
	fr.guards = fr.guards[:n]
}

func (fr *frame) define(s *pyast.FuncDef) {
	f := fr.in.funcAt(fr.u, s)
	if f == nil {
		return
	}
	v := &Value{Kind: KindFunc, Rank: -1, Place: PlaceHost, Sure: Likely, Func: f, more: &moreValue{closure: fr.env}}
	fr.env.set(s.Name, v)
}

// funcAt finds the index entry of a def.
func (in *interp) funcAt(u *unit, s *pyast.FuncDef) *Func {
	for _, f := range u.mod.all {
		if f.off == s.Off {
			return f
		}
	}
	return nil
}

func (fr *frame) localImport(s pyast.Stmt) {
	// The index has entered imports of every scope at the top level, where names are looked up in the end. A local
	// variable of the same name must not hide it.
	switch s := s.(type) {
	case *pyast.Import:
		for _, a := range s.Names {
			fr.env.unset(a.As)
		}
	case *pyast.ImportFrom:
		for _, a := range s.Names {
			fr.env.unset(a.Name)
			fr.env.unset(a.As)
		}
	}
}
