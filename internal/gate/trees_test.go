package gate

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/tree"
)

// emptyRepo is a new repository, and the git command in it.
func emptyRepo(t *testing.T) (dir string, run func(args ...string) string, repo git.Repository) {
	t.Helper()
	dir = t.TempDir()
	run = func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.invalid"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("init", "-q", "-b", "main")
	repo, err := git.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = repo.Close() })
	return dir, run, repo
}

// TestTipIsKept: a push looks at its tip, then at what the remote has, and leaves a memory whose newest tree is the tip; one
// that looks at each commit from the oldest on has that already.
func TestTipIsKept(t *testing.T) {
	dir, run, repo := emptyRepo(t)
	ctx := context.Background()
	var ids []string
	for _, text := range []string{"def step(x):\n    return x.item()\n", "def step(x):\n    return x.tolist()\n"} {
		if err := os.WriteFile(filepath.Join(dir, "model.py"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		run("add", "-A")
		run("commit", "-q", "-m", "c")
		ids = append(ids, run("rev-parse", "HEAD"))
	}
	old := worthKeeping
	worthKeeping = 0
	defer func() { worthKeeping = old }()
	base, tip := ids[0], ids[1]
	kept := func(tipFirst bool, revs ...string) string {
		t.Helper()
		cache := filepath.Join(t.TempDir(), "cache")
		t.Setenv(CacheEnv, cache)
		trees := NewTrees(repo)
		trees.TipFirst = tipFirst
		for _, rev := range revs {
			if _, err := trees.Scan(ctx, rev, config.Default()); err != nil {
				t.Fatal(err)
			}
			trees.last = nil // each is looked at
		}
		trees.Keep()
		names, err := filepath.Glob(filepath.Join(cache, "*.memory"))
		if err != nil || len(names) != 1 {
			t.Fatalf("memories: %v, %v; want one", names, err)
		}
		data, err := os.ReadFile(names[0])
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	atTip, atBase := kept(false, tip, base, tip), kept(false, tip, base)
	if atTip == atBase {
		t.Fatal("a memory does not say which tree is its newest")
	}
	if kept(true, tip, base) != atTip {
		t.Error("after a push the newest tree of the memory is not its tip")
	}
	if kept(true, tip) != kept(false, tip) {
		t.Error("a push of one tree leaves something else than a scan of it")
	}
}

// TestTreesThatLookTheSame: a commit that changes nothing that a scan looks at has the findings of its parent without a
// scan, and each commit has those that a scan of it alone gives.
func TestTreesThatLookTheSame(t *testing.T) {
	t.Setenv(CacheEnv, filepath.Join(t.TempDir(), "cache"))
	dir, run, repo := emptyRepo(t)
	ctx := context.Background()
	step := "def step(x):\n    return x.item()\n"
	trees := NewTrees(repo)
	defer trees.Keep()
	for _, c := range []struct {
		file, text string
		scans      int // trees that were told apart so far
		found      int
	}{
		{"model.py", step, 1, 1},
		{"README.md", "text\n", 1, 1},
		{"tests/test_model.py", step, 1, 1},
		{"ops.cu", "#include <torch/all.h>\nvoid run(torch::Tensor& x) { x.item(); }\n", 2, -1},
		{"tests/gate_step.py", "def build(device):\n    return 0\n\n\ndef step(state, i):\n    return i\n", 3, -1},
		{"model.py", "def step(x):\n    return x\n", 4, -1},
		{"model.py", step, 4, -1},
	} {
		name := filepath.Join(dir, c.file)
		if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		run("add", "-A")
		run("commit", "-q", "-m", c.file)
		id := run("rev-parse", "HEAD")
		got, err := trees.Scan(ctx, id, config.Default())
		if err != nil {
			t.Fatal(err)
		}
		opts := scanOptions(config.Default(), false)
		opts.Now = time.Now()
		want, err := checks.Scan(ctx, tree.NewCommit(repo, id), opts)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want.Findings, got); d != "" {
			t.Errorf("%s: a scan of its own and this one differ:\n%s", c.file, d)
		}
		if len(trees.last) != c.scans || c.found >= 0 && len(got) != c.found {
			t.Errorf("%s: %d trees told apart and %d findings, want %d and %d", c.file, len(trees.last), len(got), c.scans, c.found)
		}
	}
}
