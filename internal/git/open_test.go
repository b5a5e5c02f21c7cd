package git

import (
	"context"
	"errors"
	"testing"
)

// TestReadsSoon: the child that was started while the repository was opened answers the first question, and none is left
// where there is no repository.
func TestReadsSoon(t *testing.T) {
	repo := newRepo(t)
	repo.write("a.py", "a\n")
	id := repo.commit("one")
	cli := openCLI(t, repo.dir, ReadsSoon())
	if n := len(cli.contents.idle); n != 1 {
		t.Fatalf("%d children wait, want 1", n)
	}
	first := cli.contents.idle[0]
	if c, err := cli.Commit(context.Background(), id); err != nil || c.ID != id {
		t.Errorf("commit: %v, %v", c, err)
	}
	if n := len(cli.contents.idle); n != 1 || cli.contents.idle[0] != first {
		t.Errorf("%d children wait, want the first one alone", n)
	}
	if _, err := OpenCLI(context.Background(), t.TempDir(), ReadsSoon()); !errors.Is(err, ErrNotRepository) {
		t.Errorf("no repository: %v", err)
	}
}
