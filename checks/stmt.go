package checks

import "github.com/gatebot/gatebot/internal/pyast"

// block runs statements until one of them leaves. Guards that an early return sets hold for the rest of the block.
func (fr *frame) block(body []pyast.Stmt) {
	depth := len(fr.guards)
	for _, s := range body {
		if fr.env.dead || !fr.in.budget(1) {
			break
		}
		fr.stmt(s)
	}
	fr.guards = fr.guards[:depth]
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
		fr.test(s.Test, TruthAssert, s)
		if s.Msg != nil {
			fr.quietly(func() { fr.eval(s.Msg) }) // runs only when the assertion fails
		}
		fr.narrow(s.Test, true)
	case *pyast.Delete:
		for _, t := range s.Targets {
			if n, ok := t.(*pyast.Name); ok {
				delete(fr.env.vars, n.ID)
			}
		}
	case *pyast.FuncDef:
		fr.define(s)
	case *pyast.ClassDef:
		for _, c := range fr.u.mod.allCls {
			if c.Line == int(s.Start.Line) {
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
		v = fr.step(v, s, "returned")
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

// branch runs both sides of an if, each with what the test says about its variables.
func (fr *frame) branch(s *pyast.If) {
	v := fr.test(s.Test, TruthIf, s)
	guardThen, guardElse := fr.guardOf(s.Test)
	runThen, runElse := fr.decided(s.Test, v)
	base := fr.env
	then, els := base.clone(), base
	if runThen {
		fr.env = then
		fr.narrow(s.Test, true)
		first := fr.firstUse(s)
		if first {
			fr.once++
		}
		fr.guarded(guardThen, func() { fr.block(s.Body) })
		if first {
			fr.once--
		}
	} else {
		then.dead = true
	}
	fr.env = els
	if runElse {
		fr.narrow(s.Test, false)
		fr.guarded(guardElse, func() { fr.block(s.Else) })
	} else {
		els.dead = true
	}
	// `if VERBOSE < 2: return` guards what follows.
	switch {
	case then.dead && runThen && guardElse != nil && !els.dead:
		fr.guards = append(fr.guards[:len(fr.guards):len(fr.guards)], *guardElse)
	case els.dead && runElse && guardThen != nil && !then.dead:
		fr.guards = append(fr.guards[:len(fr.guards):len(fr.guards)], *guardThen)
	}
	then.merge(els)
	fr.env = then
}

// decided says which sides of a branch can be taken when the test is an argument or variable with a known value, or
// asks whether something is None that is known to be or not to be.
func (fr *frame) decided(test pyast.Expr, v *Value) (then, els bool) {
	switch t := test.(type) {
	case *pyast.Name, *pyast.Unary, *pyast.Const:
		if b, known := v.Const.(bool); known && fr.decidable(test) {
			return b, !b
		}
		if v.Kind == KindNone && fr.decidable(test) {
			return false, true
		}
	case *pyast.Compare:
		if len(t.Ops) != 1 || (t.Ops[0] != "is" && t.Ops[0] != "is not") {
			return true, true
		}
		if b, known := v.Const.(bool); known && fr.decidable(t.First) {
			return b, !b
		}
	case *pyast.Call:
		if b, known := v.Const.(bool); known {
			return b, !b
		}
	}
	return true, true
}

// decidable limits pruning to local variables: attributes and globals can be changed from anywhere.
func (fr *frame) decidable(e pyast.Expr) bool {
	switch e := e.(type) {
	case *pyast.Name:
		_, local := fr.env.vars[e.ID]
		return local
	case *pyast.Unary:
		return e.Op == "not" && fr.decidable(e.X)
	case *pyast.Const:
		return true
	}
	return false
}

// loopBody runs a loop until the values at its head have settled. setup binds the loop variables and tests the
// condition; it runs before every turn.
func (fr *frame) loopBody(body []pyast.Stmt, setup func()) (breaks *env) {
	head := fr.env
	for turn := 0; turn < maxLoops; turn++ {
		l := &loopState{}
		fr.loops = append(fr.loops, l)
		fr.loop++
		fr.env = head.clone()
		setup()
		fr.block(body)
		fr.loop--
		fr.loops = fr.loops[:len(fr.loops)-1]
		end := fr.env
		end.merge(l.continues)
		if l.breaks != nil {
			if breaks == nil {
				breaks = l.breaks
			} else {
				breaks.merge(l.breaks)
			}
		}
		next := head.clone()
		next.merge(end)
		settled := next.equal(head)
		head = next
		if settled || !fr.in.budget(1) {
			break
		}
	}
	fr.env = head
	return breaks
}

func (fr *frame) forLoop(s *pyast.For) {
	it := fr.eval(s.Iter)
	if fr.in.emits() {
		fr.in.hooks.iterate(fr, &Iterate{Node: s.Iter, Kind: IterFor, Value: it, Stmt: s})
	}
	elem := fr.iterated(it, s.Iter)
	breaks := fr.loopBody(s.Body, func() { fr.assign(s.Target, elem, s, nil) })
	fr.block(s.Else)
	fr.env.merge(breaks)
}

func (fr *frame) while(s *pyast.While) {
	breaks := fr.loopBody(s.Body, func() {
		fr.test(s.Test, TruthWhile, s)
		fr.narrow(s.Test, true)
	})
	if c, ok := s.Test.(*pyast.Const); ok && (c.Kind == pyast.ConstTrue || c.Kind == pyast.ConstInt && c.Text != "0") {
		fr.env.dead = true // only a break leaves it
	}
	fr.block(s.Else)
	fr.env.merge(breaks)
}

func (fr *frame) with(s *pyast.With) {
	for _, it := range s.Items {
		v := fr.eval(it.X)
		name := ""
		if call, ok := it.X.(*pyast.Call); ok {
			name = fr.calleeName(call)
		}
		if fr.in.emits() {
			fr.in.hooks.with(fr, &With{Stmt: s, Node: it.X, Value: v, Name: name})
		}
		if it.As != nil {
			fr.assign(it.As, fr.entered(v), s, it.X)
		}
	}
	fr.block(s.Body)
}

// entered is what `with v as x` binds: the object itself for most context managers.
func (fr *frame) entered(v *Value) *Value {
	if v.Kind == KindInstance && v.Class != nil {
		if m := v.Class.method("__enter__"); m != nil {
			return fr.callUser(m, v, nil, nil)
		}
	}
	if v.Kind == KindList && v.Elem != nil { // a generator made a context manager
		return v.Elem
	}
	return v
}

func (fr *frame) try(s *pyast.Try) {
	before := fr.env.clone()
	fr.block(s.Body)
	after := fr.env
	// A handler may start from any point of the body.
	start := before
	start.merge(after)
	if after.dead {
		start.dead = false
	}
	if !after.dead {
		fr.block(s.Else)
		after = fr.env
	}
	for _, h := range s.Handlers {
		fr.env = start.clone()
		if h.Name != "" {
			fr.env.set(h.Name, hostUnknown)
		}
		fr.block(h.Body)
		if after.dead {
			after = fr.env
		} else {
			after.merge(fr.env)
		}
	}
	fr.env = after
	dead := fr.env.dead
	fr.env.dead = false
	fr.block(s.Final)
	fr.env.dead = fr.env.dead || dead
}

func (fr *frame) match(s *pyast.Match) {
	subject := fr.eval(s.Subject)
	base := fr.env
	out := base.clone()
	for _, c := range s.Cases {
		fr.env = base.clone()
		for _, b := range c.Binds {
			fr.env.set(b, unknown)
			if c.Irrefutable {
				fr.env.set(b, subject)
			}
		}
		for _, v := range c.Values {
			fr.eval(v)
		}
		if len(c.Values) > 0 {
			fr.truth(s.Subject, subject, TruthGuard, s)
		}
		if c.Guard != nil {
			fr.test(c.Guard, TruthGuard, s)
		}
		fr.block(c.Body)
		out.merge(fr.env)
	}
	fr.env = out
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
	v := &Value{Kind: KindFunc, Rank: -1, Place: PlaceHost, Sure: Likely, Func: f, closure: fr.env}
	fr.env.set(s.Name, v)
}

// funcAt finds the index entry of a def.
func (in *interp) funcAt(u *unit, s *pyast.FuncDef) *Func {
	for i, d := range u.funcs {
		if d == s && i < len(u.mod.all) {
			return u.mod.all[i]
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
			delete(fr.env.vars, a.As)
		}
	case *pyast.ImportFrom:
		for _, a := range s.Names {
			delete(fr.env.vars, a.Name)
			delete(fr.env.vars, a.As)
		}
	}
}
