package checks

import (
	"maps"
	"slices"
)

// codeRests is what a memo rests on.
func (t *table) codeRests(c *coder, m *memo) {
	t.codeFacts(c, m)
	series(c, &m.reads, count[uint32])
	if c.reading {
		c.bad = c.bad || !t.readable(m.reads)
	}
}

// readable holds a list that was read against facts and names.
func (t *table) readable(list []uint32) bool {
	for len(list) > 0 {
		if len(list) < 2 || list[0] >= uint32(len(t.slots)) || list[1] > uint32(len(list)-2) {
			return false
		}
		n := 2 + int(list[1])
		if slices.ContainsFunc(list[2:n], func(name uint32) bool { return name >= uint32(len(t.words.text)) }) {
			return false
		}
		list = list[n:]
	}
	return true
}

// codeWords is the names of attributes.
func (t *table) codeWords(c *coder) {
	if texts(c, &t.words.text); !c.reading {
		return
	}
	t.words.ids = make(map[string]uint32, len(t.words.text))
	for i, w := range t.words.text {
		t.words.ids[w] = uint32(i)
	}
}

// codeParts is the parts of states.
func (t *table) codeParts(c *coder) {
	var sums []digest
	if !c.reading {
		sums = slices.SortedFunc(maps.Keys(t.parts), func(a, b digest) int { return slices.Compare(a[:], b[:]) })
	} else {
		t.parts = map[digest]*parts{}
	}
	series(c, &sums, func(c *coder, sum *digest) {
		c.digest(sum)
		p := t.parts[*sum]
		if c.reading {
			p = &parts{}
			t.parts[*sum] = p
		}
		c.digest(&p.head)
		series(c, &p.names, count[uint32])
		series(c, &p.sums, (*coder).digest)
		c.bad = c.bad || len(p.names) != len(p.sums)
	})
}
