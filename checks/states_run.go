package checks

import "maps"

// runState finds out what key stores.
func (in *interp) runState(r *stateRun, key stateKey, level int) {
	u := newInterp(in.ctx, in.p, in.hot, in.hooks, newSink())
	u.states, u.level, u.trace, u.asked.idle = in.states, level, in.trace, in.asked.idle
	defer func() {
		r.broken = recover()
		r.basis = &stateBasis{deps: u.deps, failed: u.failed}
		if t := in.states.s.table; t != nil {
			r.basis.facts = t.note(in.states.s, u.asked.facts())
		}
	}()
	u.base, u.work = stateDepth, maxStateWork
	r.obj = u.runStores(key, level)
	for _, o := range u.objects { // what was stored in the objects of other classes is not theirs
		o.obj.attrs, o.obj.elem, o.obj.load = nil, nil, nil
	}
	r.whole, r.height, r.size = !u.cut, u.height, costOf(r.obj)
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
		}
	}
	return out
}
