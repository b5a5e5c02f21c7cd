package pyast

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func shelfSource(n int) []byte {
	return fmt.Appendf(nil, "def f%d(x):\n    return x.item() + %d  # once\n", n, n)
}

// TestShelf: a tree from the shelf is the tree that parsing gives, under whatever path it is asked for, also where several
// ask at once, and the shelf stays as small as it was said.
func TestShelf(t *testing.T) {
	const files = 40
	_, packed, err := ParsePacked(t.Context(), "f.py", shelfSource(0), patient)
	if err != nil {
		t.Fatal(err)
	}
	s := NewShelf(len(packed)*files/2, 1<<20)
	defer s.Close()
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for i := range files {
				name, src := fmt.Sprintf("%d.py", i), shelfSource(i)
				want, err1 := Parse(t.Context(), name, src, patient)
				got, _, err2 := s.Parse(t.Context(), name, src, patient)
				if diff := cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })); err1 != nil || err2 != nil || diff != "" {
					t.Errorf("%s: %v, %v:\n%s", name, err1, err2, diff)
				}
			}
		})
	}
	all.Wait()
	if s.Packed(shelfSource(files-1)) == nil || s.Packed(shelfSource(0)) != nil {
		t.Error("the newest tree is not there, or the oldest is")
	}
	if n, used := s.trees.Held(); used > s.trees.Room() || n < files/4 {
		t.Errorf("%d trees of %d bytes, room for %d", n, used, s.trees.Room())
	}
}

// TestShelfLimits: what is on the shelf is no way around a limit or the end of a context.
func TestShelfLimits(t *testing.T) {
	s, src := NewShelf(1<<20, 0), []byte("x = "+strings.Repeat("1 + ", 100)+"1\n")
	if _, _, err := s.Parse(t.Context(), "x.py", src, patient); err != nil || s.Packed(src) == nil {
		t.Fatal(err)
	}
	small := patient
	small.MaxBytes = 10
	if _, _, err := s.Parse(t.Context(), "x.py", src, small); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.Parse(ctx, "x.py", src, patient); !errors.Is(err, context.Canceled) {
		t.Errorf("ended: %v", err)
	}
	var none *Shelf
	if m, _, err := none.Parse(t.Context(), "x.py", src, patient); m == nil || err != nil || none.Packed(src) != nil {
		t.Errorf("no shelf: %v", err)
	}
}
