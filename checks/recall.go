package checks

import (
	"context"
	"slices"
)

// recall gives a task the outcome that it had when everything it asked for was what it is now.
func (t *table) recall(ctx context.Context, s *scan, k *task) bool {
	if t == nil || s.trace != nil {
		return false
	}
	for i, m := range t.units[k.key] {
		if !t.holds(ctx, s, m, nil) {
			continue
		}
		if i > 0 {
			t.units[k.key] = front(t.units[k.key], m, func(o *memo) bool { return o == m })
		}
		m.used = t.scan
		k.out = m.out
		return true
	}
	return false
}

// holds reports whether the facts that a memo rests on are what they were. The states of classes come last among them: to tell one may mean to
// find it out, and that is done for nothing when the task has to run anyway. Asked are the states that are being told.
func (t *table) holds(ctx context.Context, s *scan, m *memo, asked []uint32) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if m.held == t.turn { // what facts are does not change in a scan
		return true
	}
	for _, w := range m.facts {
		var n int32
		switch {
		case t.valid(w.id):
			n = t.told[w.id].now
		case t.slots[w.id].fact.kind != factState:
			n = t.now(s, w.id)
		default:
			t.mu.Unlock()
			n = t.tell(ctx, s, w.id, asked)
			t.mu.Lock()
		}
		if !t.same(m, w, n) {
			return false
		}
	}
	m.held = t.turn
	return true
}

// tell is now for the state of a class, which is found out where that has to be. One that hangs on itself, by others, is
// not what it was as far as is known: memos of different scans may hang on each other in a ring.
func (t *table) tell(ctx context.Context, s *scan, id uint32, asked []uint32) int32 {
	if slices.Contains(asked, id) {
		return -1
	}
	asked = append(asked, id)
	t.mu.Lock()
	f, known := t.slots[id].fact, t.states[id]
	t.mu.Unlock()
	for _, m := range known {
		if !t.holds(ctx, s, m, asked) {
			continue
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		m.used = t.scan
		t.set(id, int32(m.state))
		return int32(m.state)
	}
	b := s.states.find(ctx, f)
	if b != nil && b.fact != f { // found out at another level, and the same at this one
		t.alias(b, f)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.valid(id) { // there is no such method any more, or the scan has ended
		t.set(id, -1)
	}
	return t.told[id].now
}

// note turns facts into their short form. It is called by tasks that run side by side: what a fact is depends on the
// project alone, and what is made on demand to tell it is made under the lock.
func (t *table) note(s *scan, in *interp) (out []factWas, reads []uint32) {
	facts, deps := in.asked.facts(), in.deps
	t.mu.Lock()
	defer t.mu.Unlock()
	out = make([]factWas, 0, len(facts)+len(deps))
	for _, f := range facts {
		id := t.id(f)
		n := t.now(s, id)
		if n < 0 {
			n = int32(t.is(id, s.stateOf(f)))
		}
		out = append(out, factWas{id, uint32(n)})
	}
	seen := make(map[*stateBasis]bool, len(deps))
	for _, b := range deps {
		if !seen[b] {
			seen[b] = true
			id := t.id(b.fact)
			out = append(out, factWas{id, t.is(id, state{sum: b.sum})})
			reads = t.noteReads(reads, id, in.objects[b.cls])
		}
	}
	return out, slices.Clip(reads)
}

// remember keeps the outcome of a task that has run, unless it could not read something.
func (t *table) remember(k *task) {
	if t == nil || !k.ran || len(k.err) > 0 {
		return
	}
	t.units[k.key] = front(t.units[k.key], &memo{facts: k.facts, reads: k.reads, out: k.out, used: t.scan}, func(*memo) bool { return false })
}

// rememberState keeps what a state rests on and what it is; p may be nil.
func (t *table) rememberState(b *stateBasis, facts []factWas, reads []uint32, p *attrSums) {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := t.id(b.fact)
	if p != nil {
		t.keepParts(b.sum, p)
	}
	m := &memo{facts: facts, reads: reads, state: t.is(id, state{sum: b.sum}), used: t.scan}
	if slices.ContainsFunc(t.states[id], func(o *memo) bool { return o.used == t.scan && o.state == m.state }) {
		return // it was dropped and found out again
	}
	t.states[id] = front(t.states[id], m, func(*memo) bool { return false })
}

// alias remembers that a state at another level is what it is at this one.
func (t *table) alias(b *stateBasis, f fact) {
	t.mu.Lock()
	id := t.id(b.fact)
	was := factWas{id, t.is(id, state{sum: b.sum})}
	t.mu.Unlock()
	t.rememberState(&stateBasis{fact: f, sum: b.sum}, []factWas{was}, nil, nil)
}
