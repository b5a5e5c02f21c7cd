package checks

import (
	"context"
	"fmt"
	"maps"
	"strings"
)

// runState finds out what key stores.
func (in *interp) runState(r *stateRun, key stateKey, level int) {
	u := newInterp(in.ctx, in.p, in.hot, in.hooks, newSink())
	u.states, u.level, u.trace, u.asked.idle = in.states, level, in.trace, in.asked.idle
	defer func() {
		r.broken = recover()
		r.basis = &stateBasis{cls: key.cls, deps: u.deps, failed: u.failed}
		u.noteState(r, key, level)
	}()
	u.base, u.work = stateDepth, maxStateWork
	r.obj = u.runStores(key, level)
	for _, o := range u.objects { // what was stored in the objects of other classes is not theirs
		o.obj.attrs, o.obj.elem, o.obj.load = nil, nil, nil
	}
	r.whole, r.height, r.size = !u.cut, u.height, costOf(r.obj)
}

// noteState says what a state is and what it rests on, for tasks and states that ask for it and are remembered. A task
// hangs on what the states are that it asked for, not on the text that they come from.
func (in *interp) noteState(r *stateRun, key stateKey, level int) {
	s := in.states.s
	if s.table == nil {
		return
	}
	b := r.basis
	b.fact = s.p.stateFact(key, level)
	facts, reads := s.table.note(s, in)
	b.sum = in.sumState(r, facts)
	bad := in.ctx.Err() != nil
	in.rested(func(d *stateBasis) { bad = bad || len(d.failed) > 0 })
	if bad || len(b.failed) > 0 {
		return
	}
	b.deps = nil // nothing failed there
	s.table.rememberState(b, facts, reads, in.partsOf(r, facts))
	if r.broken == nil {
		r.data = r.encode(in.p)
	}
}

// stateFact stands for what key stores at a level, in a project of which the same holds as a whole.
func (p *project) stateFact(key stateKey, level int) fact {
	return fact{kind: factState, path: key.cls.Path, name: key.cls.Name, dup: key.cls.dup,
		arg: fmt.Sprintf("%d %t-%t-%t %d %s %s", level, p.setsDev, p.entersDev, p.keeps, key.fn.dup, key.fn.Name, key.fn.Path)}
}

// find finds out the state that a fact stands for; nil when there is no such class or method any more, or the scan has
// ended.
func (st *states) find(ctx context.Context, f fact) *stateBasis {
	var level, dup int
	var whole, name string
	if n, err := fmt.Sscan(f.arg, &level, &whole, &dup, &name); n != 4 || err != nil || level < 0 || level >= stateLevels {
		return nil
	}
	_, path, _ := strings.Cut(f.arg[strings.Index(f.arg, " "+name+" ")+1:], " ")
	p := st.s.p
	c, m := p.byPath[f.path], p.byPath[path]
	if c == nil || m == nil {
		return nil
	}
	st.s.table.mu.Lock() // what finds them is made on demand
	key := stateKey{c.class(f.name, f.dup), m.function(name, dup)}
	st.s.table.mu.Unlock()
	if key.cls == nil || key.fn == nil {
		return nil
	}
	if p.stateFact(key, level) != f {
		return nil // of a project that was another one as a whole
	}
	in := newInterp(ctx, p, st.s.hot, st.s.hooks, newSink())
	in.states, in.trace = st, st.s.trace
	if r := st.get(ctx, in, key, level); r != nil && ctx.Err() == nil {
		return r.basis
	}
	return nil
}

// runStores runs a method for what it stores.
func (in *interp) runStores(key stateKey, level int) *Object {
	s := in.state(key.cls)
	s.begun = true
	if init := in.method(key.cls, "__init__"); init != nil && init != key.fn {
		in.take(s, stateKey{key.cls, init}, level)
	}
	before := maps.Clone(s.obj.attrs)
	s.obj.elem, s.obj.load, s.obj.early = nil, nil, len(before) == 0
	in.runForState(s, key.cls, key.fn)
	out := &Object{attrs: map[string]*Value{}, elem: s.obj.elem, load: s.obj.load, early: s.obj.early}
	for name, v := range s.obj.attrs {
		if v != before[name] {
			out.attrs[name] = v
			s.obj.reads(name) // it is joined to what the constructor leaves
		}
	}
	return out
}
