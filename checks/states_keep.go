package checks

import (
	"cmp"
	"slices"
)

// A state that another scan of this process has found out is taken as it is, when what it rests on has not changed and
// every file that it refers to is the one that it was.

// keptBytes of states are kept from scan to scan, most of which the last scan holds too.
const keptBytes = 24 << 20

// keptState is a state of an earlier scan.
type keptState struct {
	run  *stateRun
	used int // the scan that met it last
}

// again gives r what key stored in an earlier scan.
func (t *table) again(s *scan, r *stateRun, key stateKey, level int) bool {
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	f := s.p.stateFact(key, level)
	k := t.kept[f]
	if k == nil {
		return false
	}
	n := t.peek(s, t.id(f))
	if n < 0 || t.slots[t.id(f)].states[n].sum != k.run.basis.sum {
		return false
	}
	for m := range k.run.mods {
		if s.p.byPath[m.path] != m {
			return false
		}
	}
	old := k.run
	r.obj, r.basis, r.whole, r.height, r.size, r.mods = old.obj, old.basis, old.whole, old.height, old.size, old.mods
	k.used = t.scan
	return true
}

// peek is tell for whoever must not wait for another state: -1 where that would have to be found out. It is called with
// the lock.
func (t *table) peek(s *scan, id uint32) int32 {
	x := &t.slots[id]
	if x.fact.kind != factState || x.turn == t.turn {
		return t.now(s, id)
	}
	if x.missed == t.turn {
		return -1
	}
next:
	for _, m := range t.states[id] {
		for _, w := range m.facts {
			if t.peek(s, w.id) != int32(w.state) {
				continue next
			}
		}
		m.used = t.scan
		x.turn, x.now = t.turn, int32(m.state)
		return x.now
	}
	x.missed = t.turn
	return -1
}

// keepState keeps a state for later scans.
func (t *table) keepState(r *stateRun) {
	if t == nil || r.broken != nil || r.mods == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if old := t.kept[r.basis.fact]; old != nil {
		t.keptCost -= old.run.size + stateCost
	}
	if t.kept == nil {
		t.kept = map[fact]*keptState{}
	}
	t.kept[r.basis.fact] = &keptState{r, t.scan}
	if t.keptCost += r.size + stateCost; t.keptCost > keptBytes {
		t.shrinkKept()
	}
}

// shrinkKept drops the states that were not met for longest.
func (t *table) shrinkKept() {
	facts := make([]fact, 0, len(t.kept))
	for f := range t.kept {
		facts = append(facts, f)
	}
	slices.SortFunc(facts, func(a, b fact) int {
		return cmp.Or(cmp.Compare(t.kept[a].used, t.kept[b].used), cmp.Compare(t.kept[a].run.used, t.kept[b].run.used))
	})
	for _, f := range facts {
		if t.keptCost <= keptBytes*3/4 {
			return
		}
		t.keptCost -= t.kept[f].run.size + stateCost
		delete(t.kept, f)
	}
}
