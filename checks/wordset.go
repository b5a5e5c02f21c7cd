package checks

import "hash/maphash"

// wordFilter says of most words that they are not used in a file.
type wordFilter [128]uint64

// wordBit is the place of a word in such a filter.
type wordBit uint16

func bitOf(word string) wordBit { return wordBit(maphash.String(outlineSeed, word) & (128*64 - 1)) }

func (f *wordFilter) add(word string) {
	b := bitOf(word)
	f[b>>6] |= 1 << (b & 63)
}

// mayHold reports whether one of the words may have been added.
func (f *wordFilter) mayHold(words []wordBit) bool {
	for _, b := range words {
		if f[b>>6]&(1<<(b&63)) != 0 {
			return true
		}
	}
	return false
}

// wordSet is words with their places in filters.
type wordSet struct {
	has  map[string]bool
	bits []wordBit
}

func newWordSet(words map[string]bool) *wordSet {
	s := &wordSet{has: words}
	for w := range words {
		s.bits = append(s.bits, bitOf(w))
	}
	return s
}

// spread adds the words that stand for one that is in the set.
func (s *wordSet) spread(p *project) {
	for fresh := s.bits; len(fresh) > 0; {
		before := len(s.bits)
		for _, m := range p.modules {
			list := m.aliasList()
			if !m.aliasFrom.mayHold(fresh) {
				continue
			}
			for _, a := range list {
				if s.has[a.from] && !s.has[a.to] {
					s.has[a.to] = true
					s.bits = append(s.bits, bitOf(a.to))
				}
			}
		}
		fresh = s.bits[before:]
	}
}
