package treesitter

import (
	"bytes"
	"math/bits"
	"unicode/utf8"
)

// Positions turns byte offsets into lines and columns. For a file that is not pure ASCII it keeps one bit per byte,
// set where a code point starts, and a running count per 64 bytes, so that a column costs the same on any line; a
// byte that is not UTF-8 counts as one code point.
type Positions struct {
	lines  []uint32 // offset of the first byte of each line
	starts []uint64 // nil for ASCII
	counts []uint32 // code points before word i of starts
	bom    bool
	last   int // index in lines of the last answer: the next question is about a place nearby
}

// Reset begins a file.
func (p *Positions) Reset(src []byte) {
	p.lines = append(p.lines[:0], 0)
	p.last = 0
	for off := 0; ; {
		i := bytes.IndexByte(src[off:], '\n')
		if i < 0 {
			break
		}
		off += i + 1
		p.lines = append(p.lines, uint32(off))
	}
	p.bom = bytes.HasPrefix(src, []byte("\xef\xbb\xbf"))
	p.starts, p.counts = p.starts[:0], p.counts[:0]
	if !ASCII(src) {
		p.index(src)
	}
}

func (p *Positions) index(src []byte) {
	var word uint64
	var count uint32
	for off := 0; off <= len(src); {
		if off%64 == 0 && off+64 <= len(src) && ASCII(src[off:off+64]) {
			// A whole word at once; most of a file that is not ASCII is.
			if n := len(p.counts); n > 0 {
				p.starts[n-1] = word
				count += uint32(bits.OnesCount64(word))
			}
			p.counts, p.starts = append(p.counts, count), append(p.starts, 0)
			word = ^uint64(0)
			off += 64
			continue
		}
		for len(p.counts) <= off/64 {
			if n := len(p.counts); n > 0 {
				p.starts[n-1] = word
				count += uint32(bits.OnesCount64(word))
			}
			word = 0
			p.counts, p.starts = append(p.counts, count), append(p.starts, 0)
		}
		word |= 1 << (off % 64)
		size := 1
		if off < len(src) && src[off] >= utf8.RuneSelf {
			_, size = utf8.DecodeRune(src[off:])
		}
		off += size
	}
	p.starts[len(p.starts)-1] = word
}

// Release drops the buffers when one file has blown them up.
func (p *Positions) Release() {
	if cap(p.lines) > 1<<18 || cap(p.starts) > 1<<18 {
		*p = Positions{}
	}
}

// before counts the code points that start before off.
func (p *Positions) before(off uint32) uint32 {
	w := off / 64
	return p.counts[w] + uint32(bits.OnesCount64(p.starts[w]&(1<<(off%64)-1)))
}

// At returns the place of byte off, which is at most the length of the source.
func (p *Positions) At(off uint32) Pos {
	i := p.last
	if off < p.lines[i] || i+1 < len(p.lines) && off >= p.lines[i+1] {
		i = p.search(off)
		p.last = i
	}
	start := p.lines[i]
	col := off - start
	if len(p.starts) > 0 {
		col = p.before(off) - p.before(start)
	}
	if i == 0 && p.bom && col > 0 {
		col-- // a byte order mark is not part of the text
	}
	return Pos{int32(i + 1), int32(col + 1)}
}

func (p *Positions) search(off uint32) int {
	lo, hi := 0, len(p.lines)
	for hi-lo > 1 {
		mid := int(uint(lo+hi) / 2)
		if p.lines[mid] <= off {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// ASCII reports whether b has no byte above 127.
func ASCII(b []byte) bool {
	for len(b) >= 8 {
		if (b[0]|b[1]|b[2]|b[3]|b[4]|b[5]|b[6]|b[7])&0x80 != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
