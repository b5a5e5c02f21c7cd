package checks

import (
	"github.com/gatebot/gatebot/internal/pyast"
)

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
		first := fr.firstUse(s) || fr.leftOut(s.Test, true) || Raises(s.Body) && len(s.Body) > 1
		if first {
			fr.once++
		}
		fr.guarded(guardThen, func() { fr.block(s.Body) })
		then = fr.env // a branch inside has made another one
		if first {
			fr.once--
		}
	} else {
		then.dead = true
		fr.mark(s.Body, 0)
	}
	fr.env = els
	if runElse {
		fr.narrow(s.Test, false)
		once := fr.once
		if fr.leftOut(s.Test, false) || Raises(s.Else) {
			fr.once++
		}
		fr.guarded(guardElse, func() { fr.block(s.Else) })
		fr.once = once
		els = fr.env
	} else {
		els.dead = true
		fr.mark(s.Else, 0)
	}
	// `if VERBOSE < 2: return` guards what follows.
	switch {
	case then.dead && runThen && guardElse != nil && !els.dead:
		fr.guards = append(fr.guards[:len(fr.guards):len(fr.guards)], *guardElse)
	case els.dead && runElse && guardThen != nil && !then.dead:
		fr.guards = append(fr.guards[:len(fr.guards):len(fr.guards)], *guardThen)
	}
	if then.dead && runThen && fr.present(s) {
		fr.once++ // until the end of the block
	}
	then.merge(els)
	fr.env = then
}

// decided says which sides of a branch can be taken when the test is an argument or variable with a known value, or
// asks whether something is None that is known to be or not to be.
func (fr *frame) decided(test pyast.Expr, v *Value) (then, els bool) {
	if fr.in.rest != nil {
		return true, true
	}
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
		return fr.env.local(e.ID) != nil
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
		fr.once++ // after an error, which no healthy step has
		fr.block(h.Body)
		fr.once--
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
