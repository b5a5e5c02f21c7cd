package fixlog

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// TestQuietRuns: a quick look that is right spares scans, one that is wrong about a commit costs some and loses
// nothing, and the log is the same.
func TestQuietRuns(t *testing.T) {
	h := newHist(t)
	root := h.commit("bad", map[string]string{"a.py": bad, "b.py": long + bad, "c.py": bad})
	noisy := map[string]bool{}
	for i := range 12 {
		files := map[string]string{"n.py": fmt.Sprintf("n = %d\n", i)}
		switch i {
		case 3:
			files["a.py"] = good
		case 6:
			h.git("mv", "b.py", "moved.py")
		case 9:
			files["moved.py"] = long + good
		}
		id := h.commit(fmt.Sprint("commit ", i), files)
		noisy[id] = i == 3 || i == 9
	}
	full := &Ledger{}
	h.update(full, Options{After: root})
	want := h.log(full)
	if len(want) != 2 {
		t.Fatalf("ledger: %v", want)
	}
	for name, c := range map[string]struct {
		quiet func(id string) bool
		most  int
	}{
		"right":      {func(id string) bool { return !noisy[id] }, 10},
		"wrong":      {func(string) bool { return true }, 13},
		"never":      {func(string) bool { return false }, 13},
		"half wrong": {func(id string) bool { return id != root && id[0]%2 == 0 }, 13},
	} {
		scans := 0
		l := &Ledger{}
		_, err := Update(t.Context(), h.repo, ScanFunc(func(ctx context.Context, rev string) ([]finding.Finding, error) {
			scans++
			return h.scan(ctx, rev)
		}), l, Options{After: root, Look: func(_ context.Context, x git.Commit, changes []git.Change) (Look, error) {
			l := Look{Seen: changes}
			if !c.quiet(x.ID) {
				l.Sight = Lost
			}
			return l, nil
		}})
		if got := h.log(l); err != nil || !slices.Equal(got, want) || scans > c.most || l.Tip != full.Tip {
			t.Errorf("%s: %v, %d scans:\n%s", name, err, scans, strings.Join(got, "\n"))
		}
		t.Logf("%s: %d scans", name, scans)
	}
}

// TestToAndFro: what went and came back between two commits that are looked at is in the log, and so is what came and went.
func TestToAndFro(t *testing.T) {
	for name, states := range map[string][3]string{"gone and back": {bad, good, bad}, "come and gone": {good, bad, good}} {
		h := newHist(t)
		root := h.commit("root", map[string]string{"a.py": states[0]})
		for i := range 9 {
			files := map[string]string{"n.py": fmt.Sprintf("n = %d\n", i)}
			if i == 3 || i == 5 {
				files["a.py"] = states[i/2]
			}
			h.commit(fmt.Sprint("commit ", i), files)
		}
		full, quick := &Ledger{}, &Ledger{}
		h.update(full, Options{After: root})
		h.update(quick, Options{After: root, Look: func(_ context.Context, _ git.Commit, changes []git.Change) (Look, error) {
			return Look{Seen: changes}, nil
		}})
		if want, got := h.log(full), h.log(quick); len(want) != 1 || !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
