package pyast

import "encoding/binary"

// slab hands out zeroed values of one type from chunks. A file has thousands of names and attributes and all of them
// die together.
type slab[T any] struct {
	free []T
	size int // of the last chunk
}

const chunkMost = 64

func (s *slab[T]) next() *T {
	if len(s.free) == 0 {
		s.size = min(max(8, 2*s.size), chunkMost)
		s.free = make([]T, s.size)
	}
	v := &s.free[0]
	s.free = s.free[1:]
	return v
}

type slabs struct {
	names  slab[Name]
	attrs  slab[Attr]
	calls  slab[Call]
	consts slab[Const]
	exprs  []Expr
	args   []Arg
	// sizes of the last chunks of the two
	exprChunk, argChunk int
}

// exprSlice returns an empty slice with room for n expressions.
func (s *slabs) exprSlice(n int) []Expr {
	if n > 64 {
		return make([]Expr, 0, n)
	}
	if len(s.exprs) < n {
		s.exprChunk = min(max(32, n, 2*s.exprChunk), 256)
		s.exprs = make([]Expr, s.exprChunk)
	}
	out := s.exprs[:0:n]
	s.exprs = s.exprs[n:]
	return out
}

func (s *slabs) argSlice(n int) []Arg {
	if n > 16 {
		return make([]Arg, 0, n)
	}
	if len(s.args) < n {
		s.argChunk = min(max(8, n, 2*s.argChunk), 64)
		s.args = make([]Arg, s.argChunk)
	}
	out := s.args[:0:n]
	s.args = s.args[n:]
	return out
}

// interner keeps one copy of each short text. It outlives the file: the same identifiers come back in the next one,
// and a name that the analysis keeps must not keep a whole source alive.
type interner struct {
	m      map[string]string
	recent [4096]string // the last ones, each at a place of its own: most names come back soon
}

// place is where a name is looked for first: its length and both of its ends decide.
func place(b []byte) uint64 {
	var x, y uint64
	switch n := len(b); {
	case n >= 8:
		x, y = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[n-8:])
	case n >= 4:
		x, y = uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[n-4:]))
	default:
		x, y = uint64(b[0]), uint64(b[n-1])<<8|uint64(b[n/2])
	}
	return ((x*0x9e3779b97f4a7c15 ^ y) + uint64(len(b))) * 0xd6e8feb86659fd93 >> 52
}

const internMax, internEntries = 48, 1 << 15

func (t *interner) get(b []byte) string {
	if len(b) > internMax || len(b) == 0 {
		return string(b)
	}
	at := &t.recent[place(b)]
	if *at != string(b) {
		*at = t.known(b)
	}
	return *at
}

func (t *interner) known(b []byte) string {
	if s, ok := t.m[string(b)]; ok {
		return s
	}
	if t.m == nil || len(t.m) >= internEntries {
		t.m = make(map[string]string, 1024)
	}
	s := string(b)
	t.m[s] = s
	return s
}
