package checks

import (
	"maps"
	"slices"
)

// tally counts words. What another process has counted is a sorted list, which is not made a table for the few words that
// are asked for.
type tally struct {
	words  []string
	counts []int
	more   map[string]int // since then
}

func (t *tally) of(word string) int {
	n := t.more[word]
	if i, found := slices.BinarySearch(t.words, word); found {
		n += t.counts[i]
	}
	return n
}

func (t *tally) add(word string, n int) {
	if t.more == nil {
		t.more = map[string]int{}
	}
	if t.more[word] += n; t.more[word] == 0 {
		delete(t.more, word)
	}
}

// all is every word with its count.
func (t *tally) all() map[string]int {
	out := maps.Clone(t.more)
	if out == nil {
		out = map[string]int{}
	}
	for i, w := range t.words {
		if out[w] += t.counts[i]; out[w] == 0 {
			delete(out, w)
		}
	}
	return out
}

func (t *tally) code(c *coder) {
	var all map[string]int
	var words []string
	if !c.reading {
		all = t.all()
		words = sortedKeys(all)
	}
	texts(c, &words)
	if c.reading {
		t.words, t.counts = words, make([]int, len(words))
		for i := range t.counts {
			count(c, &t.counts[i])
		}
		c.bad = c.bad || !slices.IsSorted(words)
		return
	}
	for _, w := range words {
		n := all[w]
		count(c, &n)
	}
}
