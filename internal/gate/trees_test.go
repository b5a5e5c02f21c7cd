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

// TestTreesThatLookTheSame: a commit that changes nothing that a scan looks at has the findings of its parent without a
// scan, and each commit has those that a scan of it alone gives.
func TestTreesThatLookTheSame(t *testing.T) {
	t.Setenv(CacheEnv, filepath.Join(t.TempDir(), "cache"))
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.invalid"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("init", "-q", "-b", "main")
	ctx := context.Background()
	repo, err := git.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = repo.Close() })
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
