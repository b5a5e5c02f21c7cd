package git

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTreesOfAWalk: a tree that is listed by what differs from the one before is the tree that git lists.
func TestTreesOfAWalk(t *testing.T) {
	for name, args := range map[string][]string{"sha1": nil, "sha256": {"--object-format=sha256"}} {
		t.Run(name, func(t *testing.T) {
			r := sample(t, args...)
			walk, plain := openCLI(t, r.dir), openCLI(t, r.dir)
			walk.KeepBlobs(1 << 20)
			commits := strings.Fields(r.git("log", "--format=%H", "--all"))
			if len(commits) < 5 {
				t.Fatal(commits)
			}
			for round := range 2 {
				for _, c := range commits {
					want, err := plain.Tree(context.Background(), c)
					if err != nil {
						t.Fatal(err)
					}
					got, err := walk.Tree(context.Background(), c)
					if err != nil {
						t.Fatal(err)
					}
					if d := cmp.Diff(want, got); d != "" {
						t.Errorf("round %d, %.7s: -whole +by what differs\n%s", round, c, d)
					}
					for i := range got {
						got[i].Path = "somebody's own"
					}
				}
			}
			if len(walk.diffs[0].idle) == 0 {
				t.Error("no tree was listed by what differs")
			}
			if _, err := walk.Tree(context.Background(), strings.Repeat("1", len(commits[0]))); err == nil {
				t.Error("a tree that is not there was listed")
			}
		})
	}
}
