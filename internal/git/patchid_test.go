package git

import (
	"context"
	"strings"
	"testing"
)

// TestPatchIDs: a rebased or cherry-picked commit keeps its patch id, another change does not, and a merge has none.
func TestPatchIDs(t *testing.T) {
	for _, who := range []string{"AUTHOR", "COMMITTER"} { // a note is a commit
		t.Setenv("GIT_"+who+"_NAME", "Cy")
		t.Setenv("GIT_"+who+"_EMAIL", "cy@example.org")
	}
	r := newRepo(t)
	r.write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	r.commit("root")
	root := r.git("rev-parse", "HEAD")
	r.git("checkout", "-q", "-b", "side")
	r.write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n")
	r.commit("change")
	side := r.git("rev-parse", "HEAD")
	r.git("checkout", "-q", "-b", "main2", root)
	r.write("a.txt", "zero\n1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	r.commit("meanwhile")
	other := r.git("rev-parse", "HEAD")
	r.git("cherry-pick", "-x", side)
	picked := r.git("rev-parse", "HEAD")
	r.git("merge", "-q", "--no-ff", "-m", "merge", "-s", "ours", side)
	merge := r.git("rev-parse", "HEAD")

	cli, err := OpenCLI(context.Background(), r.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cli.Close() })
	got, err := cli.PatchIDs(t.Context(), []string{root, side, other, picked, merge, strings.Repeat("1", 40)})
	if err != nil {
		t.Fatal(err)
	}
	if got[side] == "" || got[side] != got[picked] || got[other] == got[side] || len(got) != 3 {
		t.Errorf("patch ids: %v", got)
	}
	if c, err := cli.Commit(t.Context(), picked); err != nil || len(c.Picked) != 1 || c.Picked[0] != side {
		t.Errorf("picked commit: %+v, %v", c, err)
	}

	for _, text := range []string{"one\n", "two\n"} {
		if err := cli.SetNote(t.Context(), "refs/notes/gatebot", side, text); err != nil {
			t.Fatal(err)
		}
	}
	notes, err := cli.Notes(t.Context(), "refs/notes/gatebot")
	if err != nil || len(notes) != 1 {
		t.Fatalf("notes: %v, %v", notes, err)
	}
	err = cli.Blobs(t.Context(), []string{notes[side]}, func(_ string, data []byte, err error) error {
		if string(data) != "two\n" {
			t.Errorf("note: %q", data)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if none, err := cli.Notes(t.Context(), "refs/notes/none"); err != nil || len(none) != 0 {
		t.Errorf("notes of no ref: %v, %v", none, err)
	}
}
