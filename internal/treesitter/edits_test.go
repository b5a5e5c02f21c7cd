package treesitter

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestEditsMakeTheOtherText: what edits say is true, and what stayed is not among it.
func TestEditsMakeTheOtherText(t *testing.T) {
	var long []string
	for i := range 200 {
		long = append(long, fmt.Sprintf("line %d\n", i))
	}
	text := func(lines ...[]string) []byte {
		var all []string
		for _, l := range lines {
			all = append(all, l...)
		}
		return []byte(strings.Join(all, ""))
	}
	x := []string{"new\n"}
	for name, c := range map[string]struct {
		old, new []byte
		want     int // bytes that are new
	}{
		"nothing": {nil, nil, 0}, "equal": {text(long), text(long), 0}, "from nothing": {nil, []byte("a\nb"), 3}, "to nothing": {[]byte("a\nb"), nil, 0},
		"a line comes":              {text(long), text(long[:50], x, long[50:]), 4},
		"a line goes":               {text(long), text(long[:50], long[51:]), 0},
		"two places":                {text(long), text(long[:20], x, long[20:150], long[160:]), 4},
		"the last line has no end":  {[]byte("a\nb\nc"), []byte("a\nb\nd"), 1},
		"the last line gets an end": {[]byte("a\nb"), []byte("a\nb\n"), 2},
		"the last line loses it":    {[]byte("a\nb\n"), []byte("a\nb"), 1},
		"equal lines":               {[]byte(strings.Repeat("a\n", 90)), []byte(strings.Repeat("a\n", 100)), 20},
	} {
		es := edits(c.old, c.new)
		checkEdits(t, name, es, c.old, c.new)
		n := 0
		for _, e := range es {
			n += int(e.newEnd - e.start)
		}
		if n != c.want {
			t.Errorf("%s: %d bytes are new; want %d", name, n, c.want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	old := text(long)
	for i := range 300 {
		now := mutate(r, old, [][]byte{[]byte("x\n"), []byte("line 7\n"), []byte("y")})
		checkEdits(t, fmt.Sprint("random ", i), edits(old, now), old, now)
		old = now
	}
}

// checkEdits does what edits say.
func checkEdits(t *testing.T, name string, es []edit, old, now []byte) {
	t.Helper()
	got, moved := bytes.Clone(old), len(now)-len(old)
	for _, e := range es {
		// Edits come from the end, so that the rest of the new text is known to lie this much further on.
		moved -= int(e.newEnd) - int(e.oldEnd)
		piece := now[int(e.start)+moved : int(e.newEnd)+moved]
		if at := pointAt(got, e.start); at != e.startAt {
			t.Fatalf("%s: %d is at %v, not %v", name, e.start, at, e.startAt)
		}
		if at := pointAt(got, e.oldEnd); at != e.oldEndAt {
			t.Fatalf("%s: the old end %d is at %v, not %v", name, e.oldEnd, at, e.oldEndAt)
		}
		got = append(append(bytes.Clone(got[:e.start]), piece...), got[e.oldEnd:]...)
		if at := pointAt(got, e.newEnd); at != e.newEndAt {
			t.Fatalf("%s: the new end %d is at %v, not %v", name, e.newEnd, at, e.newEndAt)
		}
	}
	if !bytes.Equal(got, now) {
		t.Fatalf("%s: the edits %v make %q of %q; want %q", name, es, got, old, now)
	}
}

func pointAt(src []byte, off uint32) point {
	before := src[:off]
	return point{uint32(bytes.Count(before, []byte("\n"))), uint32(len(before) - 1 - bytes.LastIndexByte(before, '\n'))}
}

// mutate changes a text in one to three places: a piece goes, is doubled, or another one comes in.
func mutate(r *rand.Rand, src []byte, pieces [][]byte) []byte {
	for range 1 + r.IntN(3) {
		from := r.IntN(len(src) + 1)
		to := min(len(src), from+r.IntN(80))
		if r.IntN(2) == 0 { // whole lines
			from = bytes.LastIndexByte(src[:from], '\n') + 1
			if i := bytes.IndexByte(src[to:], '\n'); i >= 0 {
				to += i + 1
			}
		}
		var piece []byte
		switch r.IntN(4) {
		case 0:
		case 1:
			piece = bytes.Repeat(src[from:to], 2)
		default:
			piece = append(bytes.Clone(pieces[r.IntN(len(pieces))]), src[from:to]...)
		}
		src = append(append(bytes.Clone(src[:from]), piece...), src[to:]...)
	}
	return src
}
