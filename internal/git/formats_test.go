package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestShallowAndUnrelated(t *testing.T) {
	r := sample(t)
	shallow := filepath.Join(t.TempDir(), "shallow")
	r.git("clone", "-q", "--depth", "1", "file://"+r.dir, shallow)
	r.git("checkout", "-q", "--orphan", "island")
	island := r.commit("island")
	each(t, func(t *testing.T, open func(*testing.T, string) Repository) {
		ctx := context.Background()
		repo := open(t, shallow)
		if !repo.Shallow() {
			t.Error("Shallow() = false")
		}
		head, err := repo.Resolve(ctx, "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		c, err := repo.Commit(ctx, head)
		if err != nil || len(c.Parents) != 1 || repo.Has(ctx, c.Parents[0]) {
			t.Errorf("Commit = %+v, %v; want the written parent, which is not here", c, err)
		}
		if ids, err := repo.Commits(ctx, []string{"HEAD"}, nil, false); err != nil || len(ids) != 1 {
			t.Errorf("Commits = %v, %v; want the one commit", ids, err)
		}
		if ids, err := repo.Commits(ctx, []string{"HEAD"}, []string{"--remotes=origin"}, false); err != nil || len(ids) != 0 {
			t.Errorf("Commits without the remote's = %v, %v; want none", ids, err)
		}
		if ids, err := repo.Commits(ctx, []string{"HEAD"}, []string{"--remotes=other"}, false); err != nil || len(ids) != 1 {
			t.Errorf("Commits without another remote's = %v, %v; want one", ids, err)
		}
		if _, err := repo.Diff(ctx, c.Parents[0], head, false); !errors.Is(err, ErrNotFound) {
			t.Errorf("Diff with the missing parent: %v; want ErrNotFound", err)
		}
		if _, err := open(t, r.dir).MergeBase(ctx, "main", island); !errors.Is(err, ErrNotFound) {
			t.Errorf("MergeBase of unrelated histories: %v; want ErrNotFound", err)
		}
	})
}

func TestEmptyRepository(t *testing.T) {
	r := newRepo(t)
	each(t, func(t *testing.T, open func(*testing.T, string) Repository) {
		repo := open(t, r.dir)
		if _, err := repo.Resolve(context.Background(), "HEAD"); !errors.Is(err, ErrNotFound) {
			t.Errorf("Resolve(HEAD) in an empty repository: %v; want ErrNotFound", err)
		}
		if err := repo.Blobs(context.Background(), nil, nil); err != nil {
			t.Errorf("Blobs of nothing: %v", err)
		}
	})
}

func TestNotRepository(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenCLI(context.Background(), dir); !errors.Is(err, ErrNotRepository) {
		t.Errorf("OpenCLI: %v", err)
	}
	if _, err := OpenGoGit(dir); !errors.Is(err, ErrNotRepository) {
		t.Errorf("OpenGoGit: %v", err)
	}
	if _, err := Open(context.Background(), filepath.Join(dir, "nowhere")); err == nil {
		t.Error("Open of a directory that does not exist succeeded")
	}
}

// beyondGoGit makes repositories that the git binary reads and go-git must refuse.
var beyondGoGit = map[string]func(t *testing.T) (dir string){
	"sha256": func(t *testing.T) string {
		r := newRepo(t, "--object-format=sha256")
		r.write("a.py", "a = 1\n")
		r.commit("a")
		return r.dir
	},
	"worktreeConfig": func(t *testing.T) string {
		r := newRepo(t)
		r.write("a.py", "a = 1\n")
		r.commit("a")
		r.git("config", "extensions.worktreeConfig", "true")
		return r.dir
	},
	"alternates": func(t *testing.T) string {
		r := newRepo(t)
		r.write("a.py", "a = 1\n")
		r.commit("a")
		clone := filepath.Join(t.TempDir(), "clone")
		r.git("clone", "-q", "--shared", r.dir, clone)
		return clone
	},
	"partial clone": partialClone,
}

func partialClone(t *testing.T) string {
	r := newRepo(t)
	r.write("a.py", "a = 1\n")
	r.write("b.py", "b = 1\n")
	r.commit("first")
	r.write("a.py", "a = 2\n")
	r.commit("second")
	r.git("config", "uploadpack.allowFilter", "true")
	clone := filepath.Join(t.TempDir(), "partial")
	r.git("clone", "-q", "--filter=blob:none", "file://"+r.dir, clone)
	return clone
}

func TestUnsupportedByGoGit(t *testing.T) {
	for name, build := range beyondGoGit {
		t.Run(name, func(t *testing.T) {
			dir := build(t)
			_, err := OpenGoGit(dir)
			var ue *UnsupportedError
			if !errors.As(err, &ue) || !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "install git") {
				t.Errorf("OpenGoGit: %v; want an UnsupportedError that says what to do", err)
			}
			repo, err := Open(context.Background(), dir)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = repo.Close() })
			files, err := repo.Tree(context.Background(), "HEAD")
			if err != nil || len(files) == 0 || files[0].Path != "a.py" {
				t.Errorf("the git binary reads %v, %v", files, err)
			}
			if _, err := repo.Diff(context.Background(), "", "HEAD", true); err != nil {
				t.Errorf("Diff against the empty tree: %v", err)
			}
		})
	}
}

// TestPartialClone: blobs that were left out are reported one by one, the others are read, and nothing is fetched.
func TestPartialClone(t *testing.T) {
	dir := partialClone(t)
	ctx := context.Background()
	repo, err := OpenCLI(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = repo.Close() })
	old, err := repo.Tree(ctx, "HEAD~1") // a.py as it was: never checked out, so not here
	if err != nil {
		t.Fatal(err)
	}
	now, err := repo.Tree(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{old[0].Blob: false, now[0].Blob: true, now[1].Blob: true}
	for range 2 {
		got := map[string]bool{}
		err := repo.Blobs(ctx, []string{now[0].Blob, old[0].Blob, now[1].Blob}, func(id string, data []byte, err error) error {
			got[id] = err == nil && len(data) > 0
			if err != nil && !errors.Is(err, ErrNotFound) {
				t.Errorf("blob %s: %v; want ErrNotFound", id, err)
			}
			return nil
		})
		if err != nil || len(got) != 3 {
			t.Fatalf("Blobs: %v, %v", got, err)
		}
		for id, here := range want {
			if got[id] != here || repo.Has(ctx, id) != here {
				t.Errorf("blob %s: read %v, Has %v; want %v", id, got[id], repo.Has(ctx, id), here)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ".git", "FETCH_HEAD")); err == nil {
		t.Error("something was fetched")
	}
}
