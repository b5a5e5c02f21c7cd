package git

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type opener struct {
	name string
	open func(t *testing.T, dir string) Repository
}

// backends are both implementations; every conformance test runs over each.
var backends = []opener{
	{"cli", func(t *testing.T, dir string) Repository {
		t.Helper()
		r, err := OpenCLI(context.Background(), dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close() })
		return r
	}},
	{"go-git", func(t *testing.T, dir string) Repository {
		t.Helper()
		r, err := OpenGoGit(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close() })
		return r
	}},
}

func each(t *testing.T, f func(t *testing.T, open func(t *testing.T, dir string) Repository)) {
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) { f(t, b.open) })
	}
}

// shape is one way in which the sample repository can lie on disk.
type shape struct {
	name string
	make func(t *testing.T) (r *testRepo, dir string)
}

var shapes = []shape{
	{"plain", func(t *testing.T) (*testRepo, string) { r := sample(t); return r, r.dir }},
	{"subdirectory", func(t *testing.T) (*testRepo, string) { r := sample(t); return r, filepath.Join(r.dir, "dir") }},
	{"packed", func(t *testing.T) (*testRepo, string) {
		r := sample(t)
		r.git("gc", "-q")
		r.git("pack-refs", "--all")
		return r, r.dir
	}},
	{"bare", func(t *testing.T) (*testRepo, string) {
		r := sample(t)
		bare := filepath.Join(t.TempDir(), "bare.git")
		r.git("clone", "-q", "--bare", "--no-local", r.dir, bare)
		return r, bare
	}},
	{"linked worktree", func(t *testing.T) (*testRepo, string) {
		r := sample(t)
		wt := filepath.Join(t.TempDir(), "wt")
		r.git("worktree", "add", "-q", wt, "-b", "wt", "main")
		return r, wt
	}},
}

// TestConformance holds both backends against what porcelain git says about the same repository.
func TestConformance(t *testing.T) {
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			r, dir := s.make(t)
			each(t, func(t *testing.T, open func(*testing.T, string) Repository) {
				repo := open(t, dir)
				t.Run("resolve", func(t *testing.T) { testResolve(t, r, repo) })
				t.Run("commit", func(t *testing.T) { testCommit(t, r, repo) })
				t.Run("tree", func(t *testing.T) { testTree(t, r, repo) })
				t.Run("diff", func(t *testing.T) { testDiff(t, r, repo) })
				t.Run("history", func(t *testing.T) { testHistory(t, r, repo) })
				if repo.Shallow() {
					t.Error("a full clone is said to be shallow")
				}
			})
		})
	}
}

func testResolve(t *testing.T, r *testRepo, repo Repository) {
	ctx := context.Background()
	main := r.git("rev-parse", "main")
	for rev, want := range map[string]string{"main": main, "main~1": r.git("rev-parse", "main~1"), main: main,
		"refs/heads/main": main, "light": r.git("rev-parse", "light"), "v1": r.git("rev-parse", "v1^{commit}"),
		"v1-again": r.git("rev-parse", "v1^{commit}"), r.git("rev-parse", "v1-again"): r.git("rev-parse", "v1^{commit}"),
		main[:12]: main} {
		got, err := repo.Resolve(ctx, rev)
		if err != nil || got != want {
			t.Errorf("Resolve(%q) = %q, %v; want %q", rev, got, err, want)
		}
	}
	for _, rev := range []string{"", "nope", "--all", "-n", "a\nb", strings.Repeat("1", 40), strings.Repeat("0", 40),
		r.git("rev-parse", "main^{tree}"), r.git("rev-parse", "main:last.py")} {
		if got, err := repo.Resolve(ctx, rev); !errors.Is(err, ErrNotFound) {
			t.Errorf("Resolve(%q) = %q, %v; want ErrNotFound", rev, got, err)
		}
	}
	if !repo.Has(ctx, main) || !repo.Has(ctx, r.git("rev-parse", "main:last.py")) {
		t.Error("Has denies an object that is there")
	}
	if repo.Has(ctx, strings.Repeat("1", 40)) || repo.Has(ctx, "main") || repo.Has(ctx, "") {
		t.Error("Has claims an object that is not there")
	}
}

func testCommit(t *testing.T, r *testRepo, repo Repository) {
	ctx := context.Background()
	for _, rev := range []string{"main", "main~1", "side", "v1^{commit}"} {
		id := r.git("rev-parse", rev)
		c, err := repo.Commit(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%s|%s|%s|%s|%d", c.Tree, strings.Join(c.Parents, " "), c.Subject, c.Author, c.When.Unix())
		if want := r.git("log", "-1", "--format=%T|%P|%s|%an <%ae>|%ct", id); got != want {
			t.Errorf("Commit(%s) = %s; want %s", rev, got, want)
		}
	}
	for _, id := range []string{strings.Repeat("1", 40), r.git("rev-parse", "main^{tree}"), "main"} {
		if _, err := repo.Commit(ctx, id); !errors.Is(err, ErrNotFound) {
			t.Errorf("Commit(%s): %v; want ErrNotFound", id, err)
		}
	}
}

func testTree(t *testing.T, r *testRepo, repo Repository) {
	ctx := context.Background()
	for _, rev := range []string{"main", r.git("rev-parse", "v1"), r.git("rev-parse", "main^{tree}")} {
		entries, err := repo.Tree(ctx, rev)
		if err != nil {
			t.Fatal(err)
		}
		var lines, ids []string
		for _, e := range entries {
			kind := "blob"
			if e.Mode == ModeSubmodule {
				kind = "commit"
			} else {
				ids = append(ids, e.Blob)
			}
			lines = append(lines, fmt.Sprintf("%06o %s %s\t%s", e.Mode, kind, e.Blob, e.Path))
		}
		want := strings.Split(strings.TrimSuffix(r.git("ls-tree", "-r", "-z", rev), "\x00"), "\x00")
		if d := cmp.Diff(want, lines); d != "" {
			t.Errorf("Tree(%s): %s", rev, d)
		}
		testBlobs(t, r, repo, ids)
	}
	if _, err := repo.Tree(ctx, "nope"); !errors.Is(err, ErrNotFound) {
		t.Errorf("Tree(nope): %v; want ErrNotFound", err)
	}
}

func testBlobs(t *testing.T, r *testRepo, repo Repository, ids []string) {
	t.Helper()
	ids = append(slices.Clone(ids), strings.Repeat("1", 40), r.git("rev-parse", "main^{tree}"), ids[0])
	var seen []string
	err := repo.Blobs(context.Background(), ids, func(id string, data []byte, err error) error {
		seen = append(seen, id)
		switch {
		case id == strings.Repeat("1", 40) || id == r.git("rev-parse", "main^{tree}"):
			if !errors.Is(err, ErrNotFound) || data != nil {
				t.Errorf("missing blob %s: %q, %v; want ErrNotFound", id, data, err)
			}
		case err != nil:
			t.Errorf("blob %s: %v", id, err)
		case strings.TrimSpace(string(data)) != r.git("cat-file", "blob", id):
			t.Errorf("blob %s: %q", id, data)
		}
		return nil
	})
	if err != nil || !slices.Equal(seen, ids) {
		t.Errorf("Blobs: %v, order %v; want %v", err, seen, ids)
	}
	stop := errors.New("stop")
	if err := repo.Blobs(context.Background(), ids, func(string, []byte, error) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("Blobs gave %v; want the callback's error", err)
	}
}

func testDiff(t *testing.T, r *testRepo, repo Repository) {
	for _, pair := range [][2]string{{"main~3", "v1^{commit}"}, {"v1^{commit}", "main~3"}, {"main~1", "main"},
		{"main~2", "main~1"}, {"main", "main"}, {"", "main"}} {
		for _, renames := range []bool{false, true} {
			a, b := pair[0], r.git("rev-parse", pair[1])
			from := r.git("hash-object", "-t", "tree", "/dev/null")
			if a != "" {
				a = r.git("rev-parse", a)
				from = a
			}
			want := porcelainDiff(r, from, b, renames)
			if d := cmp.Diff(want, diffLines(t, repo, a, b, renames)); d != "" {
				t.Errorf("Diff(%s, %s, renames %v): -git +got\n%s", pair[0], pair[1], renames, d)
			}
			if a == "" {
				continue
			}
			if d := cmp.Diff(want, diffLines(t, repo, treeOf(t, repo, a), treeOf(t, repo, b), renames)); d != "" {
				t.Errorf("Diff of the trees of %s and %s, renames %v: -git +got\n%s", pair[0], pair[1], renames, d)
			}
		}
	}
}

// treeOf is the tree that a commit names.
func treeOf(t *testing.T, repo Repository, commit string) string {
	t.Helper()
	c, err := repo.Commit(context.Background(), commit)
	if err != nil {
		t.Fatal(err)
	}
	return c.Tree
}

func diffLines(t *testing.T, repo Repository, a, b string, renames bool) (lines []string) {
	t.Helper()
	changes, err := repo.Diff(context.Background(), a, b, renames)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		status := string(c.Status)
		if c.Status == 'R' {
			status += " " + c.OldPath
		}
		lines = append(lines, fmt.Sprintf("%06o %06o %.7s %.7s %s %s", c.OldMode, c.NewMode, c.OldBlob, c.Blob, status, c.Path))
	}
	return lines
}

// porcelainDiff reads `git diff --raw -z` into the lines that testDiff builds.
func porcelainDiff(r *testRepo, a, b string, renames bool) []string {
	how := "--no-renames"
	if renames {
		how = "-M"
	}
	f := strings.Split(strings.TrimSuffix(r.git("diff", "--raw", "-z", "--abbrev=40", how, a, b), "\x00"), "\x00")
	var lines []string
	for len(f) > 1 {
		h := strings.Fields(strings.TrimPrefix(f[0], ":"))
		for i := 2; i < 4; i++ {
			if IsZeroID(h[i]) {
				h[i] = ""
			}
		}
		status, path, used := h[4], f[1], 2
		if status[0] == 'R' {
			status, path, used = "R "+f[1], f[2], 3
		}
		lines = append(lines, fmt.Sprintf("%s %s %.7s %.7s %s %s", h[0], h[1], h[2], h[3], status, path))
		f = f[used:]
	}
	return lines
}

func testHistory(t *testing.T, r *testRepo, repo Repository) {
	ctx := context.Background()
	for _, c := range []struct {
		include, exclude []string
		first            bool
		args             string
	}{
		{[]string{"main"}, nil, false, "main"},
		{[]string{"main"}, nil, true, "--first-parent main"},
		{[]string{"main", "side"}, []string{"v1"}, false, "main side ^v1"},
		{[]string{"main"}, []string{"side"}, true, "--first-parent main ^side"},
		{[]string{"main"}, []string{"main"}, false, "main ^main"},
	} {
		got, err := repo.Commits(ctx, c.include, c.exclude, c.first)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Fields(r.git(append([]string{"rev-list"}, strings.Fields(c.args)...)...))
		if d := cmp.Diff(want, append([]string{}, got...)); d != "" && len(want)+len(got) > 0 {
			t.Errorf("Commits(%s): %s", c.args, d)
		}
	}
	if _, err := repo.Commits(ctx, []string{"nope"}, nil, false); !errors.Is(err, ErrNotFound) {
		t.Errorf("Commits(nope): %v; want ErrNotFound", err)
	}
	base, err := repo.MergeBase(ctx, "main~2", "side")
	if want := r.git("merge-base", "main~2", "side"); err != nil || base != want {
		t.Errorf("MergeBase = %s, %v; want %s", base, err, want)
	}
}
