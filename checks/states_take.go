package checks

// ask gives what key stores, nil at the bottom.
func (in *interp) ask(key stateKey, level int) *stateRun {
	if level < 0 {
		in.cut = true
		return nil
	}
	r := in.states.get(in.ctx, in, key, level)
	if r == nil {
		return nil // ctx has ended, and with it the scan
	}
	in.deps = append(in.deps, r.basis)
	if r.broken != nil {
		panic(r.broken)
	}
	in.cut = in.cut || !r.whole
	in.height = max(in.height, r.height+in.level-level)
	return r
}

// take adds to a state what a method stores.
func (in *interp) take(s *classState, key stateKey, level int) {
	r := in.ask(key, level)
	if r == nil {
		return
	}
	if !r.obj.early {
		s.obj.split()
	}
	for _, name := range sortedKeys(r.obj.attrs) {
		s.obj.attrs[name] = join(s.obj.attrs[name], in.adopt(r.obj.attrs[name]))
	}
	s.obj.elem = join(s.obj.elem, in.adopt(r.obj.elem))
	if s.obj.early {
		return
	}
	for _, name := range r.obj.loaded() {
		if s.obj.load == nil {
			s.obj.load = map[string]*Value{}
		}
		s.obj.load[name] = join(s.obj.load[name], in.adopt(r.obj.atLoad(name)))
	}
}

// rested calls f for all that the interpreter's answers rest on, once for each.
func (in *interp) rested(f func(*stateBasis)) {
	seen := map[*stateBasis]bool{}
	var visit func(deps []*stateBasis)
	visit = func(deps []*stateBasis) {
		for _, r := range deps {
			if !seen[r] {
				seen[r] = true
				f(r)
				visit(r.deps)
			}
		}
	}
	visit(in.deps)
}
