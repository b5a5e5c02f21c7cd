package git

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestKeepBlobs: what was read is not asked for again while there is room, and is what git says when there is none.
func TestKeepBlobs(t *testing.T) {
	r := newRepo(t)
	for i := range 6 {
		r.write(fmt.Sprintf("%d.py", i), strings.Repeat(fmt.Sprint(i), 1000))
	}
	r.commit("files")
	repo := openCLI(t, r.dir)
	read := func(id string) (content string) {
		t.Helper()
		err := repo.Blobs(context.Background(), []string{id}, func(_ string, data []byte, err error) error {
			content = string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	var ids []string
	for i := range 6 {
		ids = append(ids, r.git("rev-parse", fmt.Sprintf("HEAD:%d.py", i)))
	}
	read(ids[0])
	if n, _ := repo.kept.Held(); n != 0 {
		t.Error("a repository that was not told to keeps contents")
	}
	repo.KeepBlobs(4500)
	for range 2 {
		for i, id := range ids {
			if got, want := read(id), strings.Repeat(fmt.Sprint(i), 1000); got != want {
				t.Errorf("file %d is %.10q…, %d bytes; want %.10q…", i, got, len(got), want)
			}
		}
	}
	if n, used := repo.kept.Held(); n != 4 || used != 4000 {
		t.Errorf("%d contents of %d bytes are kept; want four of 1000", n, used)
	}
	if _, ok := repo.kept.Get(ids[5]); !ok {
		t.Error("what was read last is not kept")
	}
	if _, ok := repo.kept.Get(ids[0]); ok {
		t.Error("what was read first is still kept")
	}
}
