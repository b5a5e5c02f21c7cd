package checks

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"unsafe"
)

// coder writes values to a short form or reads them back: one description of each type does both, so that they cannot
// disagree. What is written is not touched. Numbers are uvarints, texts are numbers of a table that holds each text once.
// What is damaged ends in bad and in no panic.
type coder struct {
	reading bool
	data    []byte   // what was written last, or what is left to read
	full    [][]byte // what was written before, in pieces that need not grow
	texts   []string
	numbers map[string]uint64 // of texts, when writing
	bad     bool
	first   int // bytes of the first of two parts, when writing
	piece   int // bytes of a piece, when it is another size
}

var errMemory = errors.New("scan memory: damaged, or written by another version (it is made again)")

func (c *coder) number(v *uint64) {
	if !c.reading {
		c.room()
		c.data = binary.AppendUvarint(c.data, *v)
		return
	}
	if len(c.data) > 0 && c.data[0] < 0x80 { // most of them
		*v, c.data = uint64(c.data[0]), c.data[1:]
		return
	}
	x, n := binary.Uvarint(c.data)
	if n <= 0 {
		c.bad, c.data = true, nil
		*v = 0
		return
	}
	*v = x
	c.data = c.data[n:]
}

// piece is the size of what is written at a time: one text that grew to 25 MB would take three times as much.
const piece = 256 << 10

// room makes place for a number or a digest.
func (c *coder) room() {
	if cap(c.data)-len(c.data) < max(binary.MaxVarintLen64, len(digest{})) {
		if len(c.data) > 0 {
			c.full = append(c.full, c.data)
		}
		c.data = make([]byte, 0, cmp.Or(c.piece, piece))
	}
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// count is a number that is not negative.
func count[T integer](c *coder, v *T) {
	x := uint64(*v)
	if c.number(&x); c.reading {
		*v = T(x)
	}
}

// signed is any number.
func signed[T integer](c *coder, v *T) {
	x := int64(*v)
	z := uint64(x<<1) ^ uint64(x>>63)
	if c.number(&z); c.reading {
		*v = T(int64(z>>1) ^ -int64(z&1))
	}
}

func (c *coder) flag(v *bool) {
	var x uint64
	if *v {
		x = 1
	}
	if c.number(&x); c.reading {
		*v = x == 1
	}
}

func word[T ~string](c *coder, v *T) {
	if c.reading {
		var n uint64
		if c.number(&n); n >= uint64(len(c.texts)) {
			c.bad, n = true, 0
		}
		if !c.bad {
			*v = T(c.texts[n])
		}
		return
	}
	n := c.textNumber(string(*v))
	c.number(&n)
}

// textNumber is the number of a text, when writing.
func (c *coder) textNumber(s string) uint64 {
	n, ok := c.numbers[s]
	if !ok {
		n = uint64(len(c.texts))
		c.texts = append(c.texts, s)
		c.numbers[s] = n
	}
	return n
}

// bytesOf writes bytes as they are.
func bytesOf[T string | []byte](c *coder, b T) {
	for len(b) > 0 {
		c.room()
		k := min(len(b), cap(c.data)-len(c.data))
		c.data = append(c.data, b[:k]...)
		b = b[k:]
	}
}

func (c *coder) digest(d *digest) {
	if !c.reading {
		c.room()
		c.data = append(c.data, d[:]...)
		return
	}
	if len(c.data) < len(d) {
		c.bad, c.data = true, nil
		return
	}
	c.data = c.data[copy(d[:], c.data):]
}

// length is the number of elements to follow, each of which takes a byte at least.
func (c *coder) length(n int) int {
	x := uint64(n)
	if c.number(&x); c.reading && x > uint64(len(c.data)) {
		c.bad, x = true, 0
	}
	return int(x)
}

func series[T any](c *coder, s *[]T, each func(*coder, *T)) {
	n := c.length(len(*s))
	if c.reading {
		*s = nil
		if n > 0 {
			*s = make([]T, n)
		}
	}
	for i := range *s {
		if c.bad {
			return
		}
		each(c, &(*s)[i])
	}
}

func mapped[V any](c *coder, m *map[string]V, each func(*coder, *V)) {
	n := c.length(len(*m))
	if !c.reading {
		for _, k := range sortedKeys(*m) {
			v := (*m)[k]
			word(c, &k)
			each(c, &v)
		}
		return
	}
	*m = make(map[string]V, n)
	for range n {
		if c.bad {
			return
		}
		var k string
		var v V
		word(c, &k)
		each(c, &v)
		(*m)[k] = v
	}
}

func texts(c *coder, s *[]string) { series(c, s, word[string]) }

// part begins the second of two parts, which can be read at the same time.
func (c *coder) part() {
	n := len(c.data)
	for _, p := range c.full {
		n += len(p)
	}
	c.first = n
}

// pack puts the table of texts before what was written.
func (c *coder) pack() [][]byte {
	c.numbers = nil
	body := append(c.full, c.data)
	c.full, c.data = nil, nil
	n := uint64(c.first)
	c.number(&n)
	n = uint64(len(c.texts))
	c.number(&n)
	for _, t := range c.texts {
		n = uint64(len(t))
		c.number(&n)
	}
	for _, t := range c.texts {
		bytesOf(c, t)
	}
	return append(append(c.full, c.data), body...)
}

// unpack reads the table of texts and gives the two parts behind it.
func unpack(data []byte) (first, second *coder) {
	c := &coder{reading: true, data: data}
	second = &coder{reading: true}
	size := c.length(0)
	n := c.length(0)
	ends := make([]int, n)
	at := 0
	for i := range ends {
		at += c.length(0)
		ends[i] = at
		if c.bad {
			return c, second
		}
	}
	if at > len(c.data) || size > len(c.data)-at {
		c.bad = true
		return c, second
	}
	all := unsafe.String(unsafe.SliceData(c.data), at) // one text that all share; nobody writes to what is read
	c.data, second.data = c.data[at:at+size], c.data[at+size:]
	c.texts = slices.Grow(c.texts, n)
	from := 0
	for _, end := range ends {
		c.texts = append(c.texts, all[from:end])
		from = end
	}
	second.texts = c.texts
	return c, second
}
