package checks

import "slices"

// recent is how many scans back something must have been of use to be saved: what a walk over a long history has seen
// once is of no use to another process.
const recent = 4

// forget drops what the last scans did not meet.
func (m *Memory) forget() {
	before := m.scans - recent
	for path, ks := range m.files {
		if ks = slices.DeleteFunc(ks, func(k *known) bool { return k.used <= before }); len(ks) == 0 {
			delete(m.files, path)
		} else {
			m.files[path] = ks
		}
	}
	for _, t := range m.tables {
		for key, ms := range t.units {
			if ms = slices.DeleteFunc(ms, func(o *memo) bool { return o.used <= before }); len(ms) == 0 {
				delete(t.units, key)
			} else {
				t.units[key] = ms
			}
		}
		for id, ms := range t.states {
			t.states[id] = slices.DeleteFunc(ms, func(o *memo) bool { return o.used <= before })
		}
		for f, k := range t.kept {
			if k.used <= before {
				t.drop(f)
			}
		}
		if n := t.count(); n > t.dense*5/4 {
			t.compact()
			t.dense = t.count()
		}
	}
}

// count is how many facts there are and what they once were.
func (t *table) count() int {
	n := len(t.slots)
	for i := range t.slots {
		n += len(t.slots[i].states)
	}
	return n
}

// compact drops the facts, and what they once were, that no outcome rests on any more.
func (t *table) compact() {
	was := make([][]bool, len(t.slots))
	var more []uint32 // states that something rests on
	mark := func(f factWas) {
		if was[f.id] == nil {
			was[f.id] = make([]bool, len(t.slots[f.id].states))
			if t.slots[f.id].fact.kind == factState {
				more = append(more, f.id)
			}
		}
		was[f.id][f.state] = true
	}
	for _, ms := range t.units {
		for _, m := range ms {
			for _, f := range m.facts {
				mark(f)
			}
		}
	}
	for len(more) > 0 {
		id := more[len(more)-1]
		more = more[:len(more)-1]
		for _, m := range t.states[id] {
			mark(factWas{id, m.state})
			for _, f := range m.facts {
				mark(f)
			}
		}
	}
	t.renumber(was)
}

// renumber keeps the facts and what they were that are marked.
func (t *table) renumber(was [][]bool) {
	ids := make([]uint32, len(t.slots))
	states := make([][]uint32, len(t.slots))
	var slots []factSlot
	var is []told
	for i, used := range was {
		if used == nil {
			continue
		}
		ids[i], states[i] = uint32(len(slots)), make([]uint32, len(used))
		x := factSlot{fact: t.slots[i].fact} // of no scan so far
		for j, on := range used {
			states[i][j] = uint32(len(x.states))
			if on {
				x.states = append(x.states, t.slots[i].states[j])
			}
		}
		slots = append(slots, x)
		if i < len(t.told) {
			w := t.told[i]
			if w.now >= 0 && used[w.now] {
				w.now = int32(states[i][w.now])
			} else {
				w.now = -1
			}
			is = append(is, w)
		}
	}
	move := func(m *memo) {
		for i, f := range m.facts {
			m.facts[i] = factWas{ids[f.id], states[f.id][f.state]}
		}
		eachRead(m.reads, func(id *uint32, _ []uint32) { *id = ids[*id] })
	}
	for _, ms := range t.units {
		for _, m := range ms {
			move(m)
		}
	}
	known := map[uint32][]*memo{}
	for id, ms := range t.states {
		if was[id] == nil {
			continue
		}
		for _, m := range ms {
			move(m)
			m.state = states[id][m.state]
		}
		if len(ms) > 0 {
			known[ids[id]] = ms
		}
	}
	t.forgetParts(slots)
	// The numbers are made again from the slots.
	t.slots, t.ids, t.states, t.told, t.index = slots, map[fact]uint32{}, known, is, factIndex{}
}
