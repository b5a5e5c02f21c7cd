package checks

import (
	"cmp"
	"slices"
)

// A state that another scan has found out, in this process or in another one, is taken as it is when what it rests on has
// not changed and the functions that it shows places of have the text that they had.

// keptBytes of states in their short form are kept: all of a repository like vLLM.
const keptBytes = 24 << 20

// keptState is a state in its short form, and a digest of it.
type keptState struct {
	data string
	sum  digest
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
	id := t.id(f)
	if n := t.peek(s, id); n < 0 || t.slots[id].states[n].sum != k.sum {
		return false
	}
	var old stateRun
	if !old.decode(s.p, []byte(k.data)) {
		return false
	}
	r.obj, r.whole, r.height, r.size = old.obj, old.whole, old.height, old.size
	r.basis = &stateBasis{cls: key.cls, fact: f, sum: k.sum}
	k.used = t.scan
	return true
}

// peek is tell for whoever must not wait for another state: -1 where that would have to be found out. It is called with
// the lock.
func (t *table) peek(s *scan, id uint32) int32 {
	x := &t.slots[id]
	if x.fact.kind != factState || t.valid(id) {
		return t.now(s, id)
	}
	if x.missed == t.turn {
		return -1
	}
	x.missed = t.turn // also while it is looked at: see tell for memos that hang on each other
next:
	for _, m := range t.states[id] {
		for _, w := range m.facts {
			if !t.same(m, w, t.peek(s, w.id)) {
				continue next
			}
		}
		m.used = t.scan
		t.set(id, int32(m.state))
		return int32(m.state)
	}
	return -1
}

// keepState keeps a state for later scans.
func (t *table) keepState(r *stateRun) {
	if t == nil || r.data == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keep(r.basis.fact, &keptState{string(r.data), r.basis.sum, t.scan})
	r.data = nil
}

func (t *table) keep(f fact, k *keptState) {
	if old := t.kept[f]; old != nil {
		t.keptCost -= len(old.data)
	}
	if t.kept == nil {
		t.kept = map[fact]*keptState{}
	}
	t.kept[f] = k
	if t.keptCost += len(k.data); t.keptCost > keptBytes {
		t.shrinkKept()
	}
}

// shrinkKept drops the states that were not met for longest.
func (t *table) shrinkKept() {
	facts := make([]fact, 0, len(t.kept))
	for f := range t.kept {
		facts = append(facts, f)
	}
	slices.SortFunc(facts, func(a, b fact) int { return cmp.Compare(t.kept[a].used, t.kept[b].used) })
	for _, f := range facts {
		if t.keptCost <= keptBytes*3/4 {
			return
		}
		t.drop(f)
	}
}

func (t *table) drop(f fact) {
	t.keptCost -= len(t.kept[f].data)
	delete(t.kept, f)
}

// codeKept is the states that are kept.
func (t *table) codeKept(c *coder) {
	var ids []uint32
	if !c.reading {
		for i := range t.slots {
			if t.kept[t.slots[i].fact] != nil {
				ids = append(ids, uint32(i))
			}
		}
	}
	series(c, &ids, func(c *coder, id *uint32) {
		if count(c, id); c.reading && *id >= uint32(len(t.slots)) {
			c.bad = true
			return
		}
		f := t.slots[*id].fact
		k := &keptState{}
		if !c.reading {
			k = t.kept[f]
		}
		word(c, &k.data)
		if c.digest(&k.sum); c.reading {
			t.keep(f, k)
		}
	})
}
