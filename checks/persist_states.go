package checks

import (
	"maps"
	"slices"
)

// codeFacts is what a memo rests on.
func (t *table) codeFacts(c *coder, m *memo) {
	series(c, &m.facts, func(c *coder, w *factWas) {
		count(c, &w.id)
		count(c, &w.state)
		t.check(c, w.id, w.state)
	})
}

// check holds a number that was read against the facts.
func (t *table) check(c *coder, id, state uint32) {
	if c.reading && (id >= uint32(len(t.slots)) || state >= uint32(len(t.slots[id].states))) {
		c.bad = true
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
			t.codeFacts(c, *m)
			count(c, &(*m).state)
			t.check(c, *id, (*m).state)
		})
		if c.reading {
			t.states[*id] = ms
		}
	})
}
