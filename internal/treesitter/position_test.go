package treesitter

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPositionsCountCodePoints: lines and columns are what somebody gets who counts, whatever lies between.
func TestPositionsCountCodePoints(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"é", "日本", "\xff", "\xe6\x97", "\n", "x", strings.Repeat("a", 63), strings.Repeat("b", 64), strings.Repeat("c", 200), "\n\n", "😀"}
	var p Positions
	for range 300 {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		src := []byte(b.String())
		p.Reset(src)
		for off := 0; off <= len(src); {
			line := src[bytes.LastIndexByte(src[:off], '\n')+1 : off]
			want := Pos{int32(1 + bytes.Count(src[:off], []byte("\n"))), int32(1 + utf8.RuneCount(line))}
			if got := p.At(uint32(off)); got != want {
				t.Fatalf("%q: byte %d is at %v; want %v", src, off, got, want)
			}
			_, size := utf8.DecodeRune(src[off:])
			off += max(1, size)
		}
	}
}
