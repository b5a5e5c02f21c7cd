package fixlog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gatebot/gatebot/internal/git"
)

// straight makes n commits after a first one that each change a file, and gives them oldest first. One is a fix.
func straight(h *hist, n int) (root string, ids []string) {
	var states []map[string]string
	for i := range n + 1 {
		files := map[string]string{"n.py": fmt.Sprintf("n = %d\n", i), "a.py": bad}
		if i > n/2 {
			files["a.py"] = good
		}
		states = append(states, files)
	}
	ids = h.stream(states)
	return ids[0], ids[1:]
}

// TestLooksInAnyOrder: the log does not hang on which of two looks ends first.
func TestLooksInAnyOrder(t *testing.T) {
	h := newHist(t)
	root, ids := straight(h, 14)
	want := &Ledger{}
	h.update(want, Options{After: root})
	for _, late := range []int{-1, 0, 1} { // which of each two waits for the other one
		seen := map[string]chan struct{}{}
		for _, id := range ids {
			seen[id] = make(chan struct{})
		}
		got := &Ledger{}
		h.update(got, Options{After: root, Look: func(ctx context.Context, c git.Commit, changes []git.Change) (Look, error) {
			i := slices.Index(ids, c.ID)
			defer close(seen[c.ID])
			if other := i ^ 1; late >= 0 && i%2 == late {
				select {
				case <-seen[ids[other]]:
				case <-ctx.Done():
				}
			}
			return h.look(ctx, c, changes)
		}})
		if a, b := h.log(want), h.log(got); !slices.Equal(a, b) || got.Tip != want.Tip || len(a) != 1 {
			t.Errorf("%d: %q, want %q", late, b, a)
		}
	}
}

// TestLooksEnd: an error of a look ends the update with that error where the look's commit would have been, an ended
// context ends it at once, and no look goes on afterwards.
func TestLooksEnd(t *testing.T) {
	h := newHist(t)
	root, ids := straight(h, 70)
	broken := errors.New("disk on fire")
	for name, c := range map[string]struct {
		at   int
		want error
	}{"error": {60, broken}, "ended": {5, context.Canceled}} {
		ctx, cancel := context.WithCancel(t.Context())
		var running, begun atomic.Int32
		var once sync.Once
		l := &Ledger{}
		out, err := Update(ctx, h.repo, ScanFunc(h.scan), l, Options{After: root, Look: func(ctx context.Context, x git.Commit, changes []git.Change) (Look, error) {
			running.Add(1)
			begun.Add(1)
			defer running.Add(-1)
			if x.ID == ids[c.at] {
				if name == "error" {
					return Look{}, broken
				}
				once.Do(cancel)
				<-ctx.Done()
				return Look{}, ctx.Err()
			}
			return h.look(ctx, x, changes)
		}})
		cancel()
		if !errors.Is(err, c.want) || running.Load() != 0 {
			t.Errorf("%s: %v, %d looks go on", name, err, running.Load())
		}
		if n := int(begun.Load()); n > c.at+aheadMost+4 {
			t.Errorf("%s: %d looks, of which %d were asked for", name, n, c.at)
		}
		if name == "error" && (len(l.Records) != 1 || l.Tip != ids[out.Commits-1] || out.More != len(ids)-out.Commits) {
			t.Errorf("%s: %d commits done, %d more, records %q", name, out.Commits, out.More, h.log(l))
		}
	}
}
