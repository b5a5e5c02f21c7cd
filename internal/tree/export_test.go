package tree

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/internal/git"
)

// TestExport: a commit is written as it is stored, and a link that leads out of it leads nothing out.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	gitIn(t, dir, "init", "-q")
	lay(t, dir, map[string]string{"a.py": "a\n", "pkg/__init__.py": "", "pkg/again.py": "a\n", "away": "-> ../../outside", "empty.py": "", "run.sh": "#!/bin/sh\n"})
	if err := os.Chmod(filepath.Join(dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "update-index", "--add", "--cacheinfo", "160000,1234567890123456789012345678901234567890,third/party")
	gitIn(t, dir, "commit", "-q", "-m", "c")
	lay(t, dir, map[string]string{"a.py": "later\n", "untracked.py": "u\n"})
	repo, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = repo.Close() })
	id, err := repo.Resolve(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	if err := Export(t.Context(), repo, id, to); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	err = filepath.WalkDir(to, func(name string, d fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(name, to+"/")
		switch {
		case err != nil:
			return err
		case d.Type() == fs.ModeSymlink:
			target, err := os.Readlink(name)
			got[rel] = "-> " + target
			return err
		case d.IsDir():
			if rel == "third/party" {
				got[rel] = "folder"
			}
			return nil
		}
		data, err := os.ReadFile(name)
		got[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a.py": "a\n", "pkg/__init__.py": "", "pkg/again.py": "a\n", "away": "-> ../../outside", "empty.py": "", "run.sh": "#!/bin/sh\n",
		"third/party": "folder"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if info, err := os.Stat(filepath.Join(to, "run.sh")); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("run.sh: %v %v", info, err)
	}
	if err := Export(t.Context(), repo, strings.Repeat("1", 40), t.TempDir()); err == nil {
		t.Error("a commit that is not there")
	}
}
