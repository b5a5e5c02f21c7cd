package gate

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/internal/config"
)

// TestSoon: a commit that was said to be scanned gives the findings that it gives otherwise, and what is said of others,
// of one that is not there and of too many, is no matter.
func TestSoon(t *testing.T) {
	h := newQuietHistory(t)
	for _, body := range []string{"x.item()", "x.tolist()", "x", "x.cpu()", "x + 1", "x + 2", "x + 3", "x + 4", "x + 5"} {
		h.commit(map[string]string{"m.py": "def step(x):\n    return " + body + "\n"})
	}
	bare, told := NewTrees(h.repo), NewTrees(h.repo)
	defer bare.Keep()
	defer told.Keep()
	gone := "0123456789012345678901234567890123456789"
	told.Soon(t.Context(), gone)
	for i, id := range h.ids {
		if i%2 == 0 {
			told.Soon(t.Context(), id)
		}
	}
	if n := len(told.soon.lists); n > soonMost {
		t.Errorf("%d lists are kept, want %d", n, soonMost)
	}
	for _, id := range append(h.ids, gone) {
		want, wantErr := bare.Scan(t.Context(), id, config.Default())
		told.Soon(context.Background(), id)
		got, err := told.Scan(t.Context(), id, config.Default())
		if d := cmp.Diff(want, got); d != "" || (err == nil) != (wantErr == nil) || (err == nil) == (id == gone) {
			t.Errorf("%s: %v, without %v: %s", id, err, wantErr, d)
		}
	}
	told.Keep()
	if len(told.soon.lists)+len(told.soon.order) > 0 {
		t.Errorf("kept: %v", told.soon.order)
	}
}
