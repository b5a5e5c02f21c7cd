package git

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDiffOfKnownTreesIsAnsweredByOneChild: the answers are those of a diff-tree of its own, also after that child has died.
func TestDiffOfKnownTreesIsAnsweredByOneChild(t *testing.T) {
	r := sample(t)
	repo := openCLI(t, r.dir)
	a, b := treeOf(t, repo, r.git("rev-parse", "main~3")), treeOf(t, repo, r.git("rev-parse", "main"))
	want := diffLines(t, openCLI(t, r.dir), a, b, true) // asks for trees that it has not met
	if len(want) < 8 || !strings.Contains(strings.Join(want, "\n"), " R ") {
		t.Fatalf("the sample has few differences: %q", want)
	}
	for try := range 3 {
		if d := cmp.Diff(want, diffLines(t, repo, a, b, true)); d != "" {
			t.Errorf("try %d: -own +shared\n%s", try, d)
		}
		if len(diffLines(t, repo, a, a, true)) != 0 {
			t.Error("a tree differs from itself")
		}
		if n := len(repo.diffs[1].idle); n != 1 {
			t.Fatalf("%d children wait for questions; want one", n)
		}
		if child := repo.diffs[1].idle[0]; try == 1 {
			child.stop()
			if d := cmp.Diff(want, diffLines(t, repo, a, b, true)); d != "" {
				t.Errorf("after the child has died: -own +shared\n%s", d)
			}
		}
	}
}

// TestDiffOfTreeThatIsGone: what is not here is told from what cannot be read.
func TestDiffOfTreeThatIsGone(t *testing.T) {
	r := sample(t)
	repo := openCLI(t, r.dir)
	a, gone := treeOf(t, repo, r.git("rev-parse", "main")), strings.Repeat("1", 40)
	repo.trees.add(gone)
	for _, pair := range [][2]string{{a, gone}, {gone, a}} {
		if _, err := repo.Diff(context.Background(), pair[0], pair[1], true); !errors.Is(err, ErrNotFound) {
			t.Errorf("Diff: %v; want ErrNotFound", err)
		}
	}
	commit := r.git("rev-parse", "main~1")
	repo.trees.add(commit) // as if somebody had said so
	want := diffLines(t, openCLI(t, r.dir), commit, a, true)
	if d := cmp.Diff(want, diffLines(t, repo, commit, a, true)); d != "" || len(want) == 0 {
		t.Errorf("a commit taken for a tree: -own +shared\n%s", d)
	}
}

// TestDiffEndsWithItsContext: the child goes with the call that was given up.
func TestDiffEndsWithItsContext(t *testing.T) {
	r := sample(t)
	repo := openCLI(t, r.dir)
	a, b := treeOf(t, repo, r.git("rev-parse", "main~3")), treeOf(t, repo, r.git("rev-parse", "main"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := repo.Diff(ctx, a, b, true); !errors.Is(err, context.Canceled) {
		t.Errorf("Diff: %v; want that it was given up", err)
	}
	if len(diffLines(t, repo, a, b, true)) == 0 {
		t.Error("no differences after a call that was given up")
	}
}
