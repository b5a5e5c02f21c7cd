package tree

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/google/go-cmp/cmp"
)

// lay writes files; a content "-> x" makes a symbolic link to x.
func lay(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			err = os.Symlink(target, full)
		} else {
			err = os.WriteFile(full, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(git.CleanEnv(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a",
		"GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// contents reads a whole source, one by one and, when it can, in one exchange.
func contents(t *testing.T, src checks.Source) map[string]string {
	t.Helper()
	ctx := context.Background()
	files, err := src.Files(ctx)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range files {
		data, err := src.Read(ctx, f)
		if err != nil {
			t.Fatal(err)
		}
		got[f.Path] = string(data)
	}
	if b, ok := src.(BatchReader); ok {
		batch := map[string]string{}
		err := b.ReadAll(ctx, files, func(f checks.File, data []byte, err error) error {
			batch[f.Path] = string(data)
			return err
		})
		if d := cmp.Diff(got, batch); err != nil || d != "" {
			t.Errorf("ReadAll: %v, %s", err, d)
		}
	}
	return got
}

// repository has three versions of a.py: committed, staged and on disk.
func repository(t *testing.T) (string, git.Repository) {
	t.Helper()
	dir := t.TempDir()
	gitIn(t, dir, "init", "-q")
	lay(t, dir, map[string]string{"a.py": "committed\n", "same.py": "same\n", "gone.py": "gone\n", "pkg/b c.py": "b\n",
		"link.py": "-> a.py", ".gitignore": "ignored.py\n", "new\nline.py": "n\n"})
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "c")
	lay(t, dir, map[string]string{"a.py": "staged\n"})
	gitIn(t, dir, "add", "a.py")
	lay(t, dir, map[string]string{"a.py": "on disk\n", "ignored.py": "i\n", "untracked.py": "u\n"})
	if err := os.Remove(filepath.Join(dir, "gone.py")); err != nil {
		t.Fatal(err)
	}
	repo, err := git.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = repo.Close() })
	return dir, repo
}

func TestThreeTreesOfOneRepository(t *testing.T) {
	dir, repo := repository(t)
	rest := map[string]string{"same.py": "same\n", "pkg/b c.py": "b\n", ".gitignore": "ignored.py\n", "new\nline.py": "n\n"}
	with := func(more map[string]string) map[string]string {
		for k, v := range rest {
			more[k] = v
		}
		return more
	}
	for name, c := range map[string]struct {
		src  checks.Source
		want map[string]string
	}{
		"commit":   {NewCommit(repo, "HEAD"), with(map[string]string{"a.py": "committed\n", "gone.py": "gone\n"})},
		"index":    {NewIndex(repo), with(map[string]string{"a.py": "staged\n", "gone.py": "gone\n"})},
		"worktree": {NewWorktree(dir), with(map[string]string{"a.py": "on disk\n", "untracked.py": "u\n"})},
		"below":    {NewWorktree(filepath.Join(dir, "pkg")), map[string]string{"b c.py": "b\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, contents(t, c.src)); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestWorktreeIDs: a content id is given only when the bytes on disk are those of the blob.
func TestWorktreeIDs(t *testing.T) {
	dir, repo := repository(t)
	ids := func() map[string]string {
		files, err := NewWorktree(dir).Files(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]string{}
		for _, f := range files {
			m[f.Path] = f.ID
		}
		return m
	}
	entries, err := repo.Tree(context.Background(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		want := e.Blob
		if e.Path == "a.py" {
			want = ""
		}
		if got, listed := ids()[e.Path]; listed && got != want {
			t.Errorf("%s has id %q; want %q", e.Path, got, want)
		}
	}
	lay(t, dir, map[string]string{".gitattributes": "same.py filter=upper\n"})
	gitIn(t, dir, "add", ".gitattributes")
	if m := ids(); m["same.py"] != "" || m["pkg/b c.py"] == "" {
		t.Errorf("with a filter on same.py: %v", m)
	}
	gitIn(t, dir, "config", "core.autocrlf", "true")
	if m := ids(); m["pkg/b c.py"] != "" {
		t.Errorf("with line end conversion: %v", m)
	}
}

func TestWalkOutsideARepository(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, map[string]string{"a/x.py": "x\n", "a/loop": "-> ..", "a/to_b": "-> ../b", "b/y.py": "y\n", "broken.py": "-> nowhere",
		"linked.py": "-> a/x.py", ".venv/z.py": "z\n", "self": "-> self"})
	outside := t.TempDir()
	lay(t, outside, map[string]string{"far.py": "far\n"})
	lay(t, dir, map[string]string{"out": "-> " + outside})
	want := map[string]string{"a/x.py": "x\n", "b/y.py": "y\n", "linked.py": "x\n", "out/far.py": "far\n"}
	if d := cmp.Diff(want, contents(t, NewWorktree(dir))); d != "" {
		t.Error(d)
	}
	if _, err := NewWorktree(filepath.Join(dir, "nowhere")).Files(context.Background()); err == nil {
		t.Error("a root that does not exist is no error")
	}
}

func TestReadFile(t *testing.T) {
	dir, repo := repository(t)
	builtin, err := git.OpenGoGit(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = builtin.Close() })
	for _, r := range []git.Repository{repo, builtin} {
		for path, want := range map[string]string{"a.py": "committed\n", "pkg/b c.py": "b\n", "new\nline.py": "n\n"} {
			if data, err := ReadFile(context.Background(), r, "HEAD", path); err != nil || string(data) != want {
				t.Errorf("%T: ReadFile(%q) = %q, %v", r, path, data, err)
			}
		}
		for _, path := range []string{"no such.py", "pkg", "", "../a.py", "./a.py"} {
			if _, err := ReadFile(context.Background(), r, "HEAD", path); !errors.Is(err, git.ErrNotFound) {
				t.Errorf("%T: ReadFile(%q): %v; want ErrNotFound", r, path, err)
			}
		}
	}
}
