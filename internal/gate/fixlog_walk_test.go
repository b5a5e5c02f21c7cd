package gate

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/fixlog"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/pyast"
)

// walks reads the commits after the first one twice: every commit scanned, and with the quick look that leaves quiet ones
// out. It says how many trees each of the two asked for.
func walks(t *testing.T, repo git.Repository, cfg *config.Config, ids []string) (exact, quick *fixlog.Ledger, scans, asked int) {
	t.Helper()
	trees, known, shelf := NewTrees(repo), map[string][]finding.Finding{}, pyast.NewShelf(shelfBytes, versionBytes)
	defer shelf.Close()
	defer trees.Keep()
	scan := func(n *int) fixlog.ScanFunc {
		return func(ctx context.Context, rev string) ([]finding.Finding, error) {
			*n++
			if fs, ok := known[rev]; ok {
				return fs, nil
			}
			fs, err := trees.Scan(ctx, rev, cfg)
			known[rev] = fs
			return fs, err
		}
	}
	read := func(n *int, look fixlog.Looker) *fixlog.Ledger {
		l := &fixlog.Ledger{}
		o := fixlog.Options{After: ids[0], Tip: ids[len(ids)-1], Cap: len(ids), Look: look}
		if _, err := fixlog.Update(t.Context(), repo, scan(n), l, o); err != nil {
			t.Fatal(err)
		}
		return l
	}
	exact = read(&scans, nil)
	quick = read(&asked, func(ctx context.Context, c git.Commit, changes []git.Change) (fixlog.Look, error) {
		return look(ctx, repo, shelf, cfg, c, changes)
	})
	return exact, quick, scans, asked
}

// TestQuietCommitsOfVLLM: the log of a real history is the same, commit for commit, when quiet commits are left out.
// GATEBOT_UNTIL names the last commit that is looked at.
func TestQuietCommitsOfVLLM(t *testing.T) {
	repo, cfg, ids := vllm(t, 200)
	if until := os.Getenv("GATEBOT_UNTIL"); until != "" {
		line, err := repo.Commits(t.Context(), []string{until}, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		ids = line[:len(ids)]
		slices.Reverse(ids)
	}
	exact, quick, scans, asked := walks(t, repo, cfg, ids)
	if d := cmp.Diff(exact, quick); d != "" {
		t.Errorf("scanning every commit (-) and leaving quiet ones out (+):\n%s", d)
	}
	for _, r := range exact.Records {
		t.Logf("%.10s %s %s %s %s %s", r.Commit, r.State, r.Rule, r.Path, r.Symbol, r.Doubt)
	}
	t.Logf("%d commits up to %.10s, %d records; %d trees scanned, %d when quiet commits are left out; %s", len(ids)-1, ids[len(ids)-1],
		len(exact.Records), scans, asked, strings.Join(cfg.HotPath.Include, ","))
}

// TestQuietCommits: what the files of a commit do not show by themselves is logged all the same. Here they show nothing:
// that `int(x)` waits is known from who calls it.
func TestQuietCommits(t *testing.T) {
	h := newQuietHistory(t)
	const (
		model = "import torch\nfrom ops import peak, last\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x: torch.Tensor):\n" +
			"        y = peak(x)\n        return last(x, y)\n"
		ops = "def peak(x):\n    return float(x)\n\n\ndef last(x, y):\n    return int(x)\n"
	)
	mended := strings.Replace(ops, "int(x)", "x", 1)
	h.commit(map[string]string{"model.py": model, "ops.py": ops})
	h.noise(3)
	h.commit(map[string]string{"model.py": strings.Replace(model, "peak(x)", "x", 1)}) // nobody calls it: no fix
	h.noise(3)
	h.commit(map[string]string{"model.py": model})
	h.commit(map[string]string{"ops.py": mended})
	h.noise(1)
	h.commit(map[string]string{"ops.py": ops}) // back, before anything that is not quiet
	h.noise(3)
	h.commit(map[string]string{"ops.py": strings.Replace(mended, "float(x)", "x", 1)})
	h.noise(3)
	exact, quick, scans, asked := walks(t, h.repo, config.Default(), h.ids)
	if d := cmp.Diff(exact, quick); d != "" {
		t.Errorf("scanning every commit (-) and leaving quiet ones out (+):\n%s", d)
	}
	var got []string
	for _, r := range exact.Records {
		got = append(got, string(r.State)+" "+r.Symbol)
	}
	if want := []string{"superseded last", "fixed peak", "fixed last"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if asked >= scans {
		t.Errorf("%d trees scanned, and no fewer (%d) when quiet commits are left out", scans, asked)
	}
	t.Logf("%d trees scanned, %d when quiet commits are left out", scans, asked)
}

type quietHistory struct {
	t    *testing.T
	dir  string
	repo git.Repository
	ids  []string
}

func newQuietHistory(t *testing.T) *quietHistory {
	t.Helper()
	t.Setenv(CacheEnv, filepath.Join(t.TempDir(), "cache"))
	h := &quietHistory{t: t, dir: t.TempDir()}
	h.git("init", "-q", "-b", "main")
	repo, err := git.Open(t.Context(), h.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = repo.Close() })
	h.repo = repo
	return h
}

func (h *quietHistory) git(args ...string) string {
	h.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", h.dir, "-c", "user.name=a", "-c", "user.email=a@example.invalid"}, args...)...)
	cmd.Env = append(git.CleanEnv(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes files and commits them; an empty content deletes.
func (h *quietHistory) commit(files map[string]string) {
	h.t.Helper()
	for name, content := range files {
		file := filepath.Join(h.dir, name)
		err := os.MkdirAll(filepath.Dir(file), 0o750)
		if err == nil && content == "" {
			err = os.Remove(file)
		} else if err == nil {
			err = os.WriteFile(file, []byte(content), 0o600)
		}
		if err != nil {
			h.t.Fatal(err)
		}
	}
	h.git("add", "-A")
	h.git("commit", "-q", "-m", "change")
	h.ids = append(h.ids, h.git("rev-parse", "HEAD"))
}

// noise commits what no scan cares for, n times.
func (h *quietHistory) noise(n int) {
	h.t.Helper()
	for range n {
		h.commit(map[string]string{"n.py": fmt.Sprintf("n = %d\n", len(h.ids))})
	}
}
