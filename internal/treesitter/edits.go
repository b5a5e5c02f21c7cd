package treesitter

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"
)

// edit replaces old[start:oldEnd] by what takes up start:newEnd afterwards. Offsets are in bytes, rows and columns count from 0,
// columns in bytes. The layout is that of TSInputEdit.
type edit struct {
	start, oldEnd, newEnd       uint32
	startAt, oldEndAt, newEndAt point
}

type point struct{ row, column uint32 }

// fewLines is what a single edit may span: below it, to read it again costs less than to look for lines that stay.
const fewLines = 24

// edits say how old became new, the last place first, so that none moves what another one speaks of. Lines that stand once in
// both texts and in the same order stay. What they say is true whatever they find; how much they find decides only what it costs.
func edits(old, new []byte) []edit {
	a, b := splitLines(old), splitLines(new)
	ends := [2]int{len(a) - 1, len(b) - 1} // the last element is where the text ends
	from := 0
	for from < min(ends[0], ends[1]) && bytes.Equal(a.line(from), b.line(from)) {
		from++
	}
	for ends[0] > from && ends[1] > from && bytes.Equal(a.line(ends[0]-1), b.line(ends[1]-1)) {
		ends[0]--
		ends[1]--
	}
	var out []edit
	i, j := from, from
	for _, s := range append(stay(a, b, from, ends), ends) {
		if x, ok := between(a, b, [2]int{i, j}, s); ok {
			out = append(out, x)
		}
		i, j = s[0]+1, s[1]+1
	}
	slices.Reverse(out)
	return out
}

// lines are the lines of a text with their ends. There is one more than there are lines, which is empty.
type lines []line

type line struct {
	text  []byte // from here to the end of all
	start uint32
}

func splitLines(src []byte) lines {
	out := make(lines, 0, len(src)/32+2)
	for off := 0; off < len(src); {
		out = append(out, line{src[off:], uint32(off)})
		n := bytes.IndexByte(src[off:], '\n')
		if n < 0 {
			break
		}
		off += n + 1
	}
	return append(out, line{nil, uint32(len(src))})
}

func (l lines) line(i int) []byte { return l[i].text[:l[i+1].start-l[i].start] }

// at is the place where line i begins: the end of the line before it when the text ends there without a line break.
func (l lines) at(i int) point {
	if i > 0 && i == len(l)-1 {
		if last := l.line(i - 1); last[len(last)-1] != '\n' {
			return point{uint32(i - 1), uint32(len(last))}
		}
	}
	return point{uint32(i), 0}
}

// stay pairs lines that stand once on both sides, as many as keep their order.
func stay(a, b lines, from int, ends [2]int) [][2]int {
	if ends[0]-from < fewLines || ends[1]-from < fewLines {
		return nil
	}
	type places struct{ a, b int32 } // -1: none, -2: more than one
	at := make(map[uint64]places, ends[1]-from)
	once := func(was int32, i int) int32 {
		if was == -1 {
			return int32(i)
		}
		return -2
	}
	for j := from; j < ends[1]; j++ {
		h := maphash.Bytes(lineSeed, b.line(j))
		p, ok := at[h]
		if !ok {
			p = places{-1, -1}
		}
		p.b = once(p.b, j)
		at[h] = p
	}
	for i := from; i < ends[0]; i++ {
		h := maphash.Bytes(lineSeed, a.line(i))
		if p, ok := at[h]; ok {
			p.a = once(p.a, i)
			at[h] = p
		}
	}
	var pairs [][2]int
	for _, p := range at {
		if p.a >= 0 && p.b >= 0 && bytes.Equal(a.line(int(p.a)), b.line(int(p.b))) {
			pairs = append(pairs, [2]int{int(p.a), int(p.b)})
		}
	}
	slices.SortFunc(pairs, func(x, y [2]int) int { return cmp.Compare(x[0], y[0]) })
	return rising(pairs)
}

var lineSeed = maphash.MakeSeed()

// rising is a longest part of pairs of which the second numbers grow.
func rising(pairs [][2]int) [][2]int {
	var tails []int // the index of the pair that ends the best run of each length
	before := make([]int, len(pairs))
	for i, p := range pairs {
		n, _ := slices.BinarySearchFunc(tails, p[1], func(t, second int) int { return cmp.Compare(pairs[t][1], second) })
		if before[i] = -1; n > 0 {
			before[i] = tails[n-1]
		}
		if n == len(tails) {
			tails = append(tails, i)
		} else {
			tails[n] = i
		}
	}
	if len(tails) == 0 {
		return nil
	}
	out := make([][2]int, len(tails))
	for n, i := len(tails)-1, tails[len(tails)-1]; i >= 0; n, i = n-1, before[i] {
		out[n] = pairs[i]
	}
	return out
}

// between is the edit of the lines from one pair of places to another, without those that are equal at both ends.
func between(a, b lines, from, to [2]int) (edit, bool) {
	for from[0] < to[0] && from[1] < to[1] && bytes.Equal(a.line(from[0]), b.line(from[1])) {
		from[0], from[1] = from[0]+1, from[1]+1
	}
	for to[0] > from[0] && to[1] > from[1] && bytes.Equal(a.line(to[0]-1), b.line(to[1]-1)) {
		to[0], to[1] = to[0]-1, to[1]-1
	}
	if from == to {
		return edit{}, false
	}
	x := edit{start: a[from[0]].start, oldEnd: a[to[0]].start, startAt: a.at(from[0]), oldEndAt: a.at(to[0]), newEndAt: b.at(to[1])}
	x.newEnd = x.start + b[to[1]].start - b[from[1]].start
	x.newEndAt.row += x.startAt.row - b.at(from[1]).row // what comes before has not moved yet
	return x, true
}
