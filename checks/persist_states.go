package checks

import (
	"cmp"
	"maps"
	"slices"
)

// codeFacts is what a memo rests on, the states of classes last, as they are looked at. There are a million in the memory
// of a large repository: each is the distance from the one before, and most take one byte.
func (t *table) codeFacts(c *coder, m *memo) {
	if c.reading {
		m.facts = t.readFacts(c)
		return
	}
	last := func(w factWas) int {
		if t.slots[w.id].fact.kind == factState {
			return 1
		}
		return 0
	}
	facts := slices.Clone(m.facts)
	slices.SortFunc(facts, func(a, b factWas) int { return cmp.Or(last(a)-last(b), cmp.Compare(a.id, b.id)) })
	c.length(len(facts))
	from := int64(0)
	for _, w := range facts {
		far := int64(w.id) - from
		from = int64(w.id)
		x := (uint64(far<<1) ^ uint64(far>>63)) << 1
		if w.state > 0 {
			x |= 1
		}
		if c.number(&x); w.state > 0 {
			count(c, &w.state)
		}
	}
}

func (t *table) readFacts(c *coder) []factWas {
	n := c.length(0)
	facts := make([]factWas, n)
	from := int64(0)
	for i := range facts {
		var x uint64
		if len(c.data) > 0 && c.data[0] < 0x80 {
			x, c.data = uint64(c.data[0]), c.data[1:]
		} else {
			c.number(&x)
		}
		w := &facts[i]
		if x&1 != 0 {
			count(c, &w.state)
		}
		far := x >> 1
		from += int64(far>>1) ^ -int64(far&1)
		if c.bad || from < 0 || from >= int64(len(t.slots)) || int(w.state) >= len(t.slots[from].states) {
			c.bad = true
			return nil
		}
		w.id = uint32(from)
	}
	return facts
}

// check holds a number that was read against the facts.
func (t *table) check(c *coder, id, state uint32) {
	if c.reading && (id >= uint32(len(t.slots)) || state >= uint32(len(t.slots[id].states))) {
		c.bad = true
	}
}

// codeTold is what facts are in the tree whose wiring is kept: the next scan takes it over where the two do not differ.
func (t *table) codeTold(c *coder) {
	newest := t.newest && t.base > 0 && len(t.told) == len(t.slots)
	if c.flag(&newest); !newest {
		return
	}
	if c.reading {
		t.told, t.turn, t.base = make([]told, len(t.slots)), 1, 1
	}
	for i := range t.told {
		w := &t.told[i]
		x := uint64(0)
		if !c.reading && w.turn >= t.base {
			x = uint64(w.now + 2)
		}
		if c.number(&x); !c.reading || x == 0 {
			continue
		}
		*w = told{1, int32(x) - 2}
		c.bad = c.bad || x > uint64(len(t.slots[i].states))+1
	}
}

// codeStates is what is known of the states of classes.
func (t *table) codeStates(c *coder) {
	ids := slices.Sorted(maps.Keys(t.states))
	series(c, &ids, func(c *coder, id *uint32) {
		count(c, id)
		ms := t.states[*id]
		series(c, &ms, func(c *coder, m **memo) {
			if c.reading {
				*m = &memo{}
			}
			t.codeRests(c, *m)
			count(c, &(*m).state)
			t.check(c, *id, (*m).state)
		})
		if c.reading {
			t.states[*id] = ms
		}
	})
}
