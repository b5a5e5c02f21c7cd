package fixlog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// hist is a repository whose every commit is written out in the test.
type hist struct {
	t    *testing.T
	dir  string
	tick int
	repo git.Repository
}

func newHist(t *testing.T) *hist {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git binary")
	}
	h := &hist{t: t, dir: t.TempDir()}
	h.git("init", "-q", "-b", "main")
	repo, err := git.Open(context.Background(), h.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = repo.Close() })
	h.repo = repo
	return h
}

func (h *hist) git(args ...string) string {
	h.t.Helper()
	h.tick++
	date := fmt.Sprintf("2026-03-04T%02d:%02d:00Z", 5+h.tick/60, h.tick%60)
	cmd := exec.Command("git", args...)
	cmd.Dir = h.dir
	cmd.Env = append(git.CleanEnv(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ann",
		"GIT_AUTHOR_EMAIL=ann@x", "GIT_COMMITTER_NAME=Cy", "GIT_COMMITTER_EMAIL=cy@x", "GIT_AUTHOR_DATE="+date,
		"GIT_COMMITTER_DATE="+date, "GIT_EDITOR=true")
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes files and commits them; an empty content deletes.
func (h *hist) commit(message string, files map[string]string) string {
	h.t.Helper()
	for name, content := range files {
		full := filepath.Join(h.dir, name)
		err := os.MkdirAll(filepath.Dir(full), 0o755)
		if err == nil && content == "" {
			err = os.Remove(full)
		} else if err == nil {
			err = os.WriteFile(full, []byte(content), 0o644)
		}
		if err != nil {
			h.t.Fatal(err)
		}
	}
	h.git("add", "-A")
	h.git("commit", "-q", "--allow-empty", "-m", message)
	return h.git("rev-parse", "HEAD")
}

var (
	def  = regexp.MustCompile(`^def (\w+)`)
	item = regexp.MustCompile(`[\w.]+\.item\(\)`)
)

// scan flags `.item()` in Python files: function by the last `def`, tokens by the expression, `# allow` suppresses,
// and a configuration "off: PATH" leaves a file out.
func (h *hist) scan(ctx context.Context, rev string) ([]finding.Finding, error) {
	files, err := h.repo.Tree(ctx, rev)
	if err != nil {
		return nil, err
	}
	config, err := git.ReadFile(ctx, h.repo, rev, ".gatebot.yaml")
	if err == nil && string(config) == "broken" {
		return nil, fmt.Errorf("%w: the configuration is broken", ErrNotAnalysable)
	}
	var out []finding.Finding
	for _, f := range files {
		if !strings.HasSuffix(f.Path, ".py") || strings.Contains(string(config), "off: "+f.Path) {
			continue
		}
		data, err := git.ReadFile(ctx, h.repo, rev, f.Path)
		if err != nil {
			return nil, err
		}
		if _, err := git.ReadFile(ctx, h.repo, rev, "hide.py"); err == nil {
			continue // what is inferred of one file hangs on another
		}
		out = append(out, flagged(f.Path, data)...)
	}
	return out, nil
}

// flagged are the findings of one file.
func flagged(path string, data []byte) (out []finding.Finding) {
	function, ordinals := "", map[string]int{}
	for n, text := range strings.Split(string(data), "\n") {
		if m := def.FindStringSubmatch(text); m != nil {
			function = m[1]
		}
		expr := item.FindString(text)
		if expr == "" {
			continue
		}
		x := finding.Finding{Rule: "GB101", Name: "tensor-item", Severity: finding.Error, Confidence: finding.Likely,
			Path: path, Line: n + 1, Function: function, MoveKey: finding.MoveKey("GB101", []string{expr}),
			Fingerprint: finding.Fingerprint("GB101", path, function, []string{expr}, ordinals[function+expr]),
			Evidence:    []finding.Evidence{{Kind: finding.EvidenceSource, Code: expr}}}
		ordinals[function+expr]++
		if strings.Contains(text, "# allow") {
			x.Suppressed = &finding.Suppression{Reason: "because", By: "inline"}
		}
		out = append(out, x)
	}
	return out
}

func (h *hist) update(l *Ledger, o Options) *Outcome {
	h.t.Helper()
	out, err := Update(context.Background(), h.repo, ScanFunc(h.scan), l, o)
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// log is the ledger in short: "<subject of the commit>: <state> <path> <symbol> <number of fingerprints>".
func (h *hist) log(l *Ledger) []string {
	var out []string
	for _, r := range l.Records {
		s := fmt.Sprintf("%s: %s %s %s %d", h.git("log", "-1", "--format=%s", r.Commit), r.State, r.Path, r.Symbol, len(r.Fingerprints))
		if r.RegressedIn != "" {
			s += " back in " + h.git("log", "-1", "--format=%s", r.RegressedIn)
		}
		out = append(out, s)
	}
	return out
}

const (
	bad   = "def post_block(x):\n    return x.item()\n"
	good  = "def post_block(x):\n    return x\n"
	twice = "def a(x):\n    return x.item()\n\ndef b(y):\n    return y.item()\n"
	long  = "# a long file that renames can be told from\n# two\n# three\n# four\n# five\n# six\n# seven\n"
)

func TestAttribution(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(h *hist)
		want  []string
	}{
		{"fix", func(h *hist) {
			h.commit("bad", map[string]string{"mhc.py": bad})
			h.commit("other", map[string]string{"other.py": "x = 1\n"})
			h.commit("fix", map[string]string{"mhc.py": good})
		}, []string{"fix: fixed mhc.py post_block 1"}},
		{"what the message claims does not count", func(h *hist) {
			h.commit("bad", map[string]string{"mhc.py": bad})
			h.commit("fix: remove .item()", map[string]string{"mhc.py": bad + "# really\n"})
		}, nil},
		{"squash", func(h *hist) {
			h.commit("bad", map[string]string{"mhc.py": twice})
			h.git("checkout", "-q", "-b", "pr")
			h.commit("half", map[string]string{"mhc.py": strings.Replace(twice, "x.item()", "x", 1)})
			h.commit("whole", map[string]string{"mhc.py": "def a(x):\n    return x\n"})
			h.git("checkout", "-q", "main")
			h.git("merge", "-q", "--squash", "pr")
			h.commit("Squashed (#12)", nil)
		}, []string{"Squashed (#12): fixed mhc.py a 1", "Squashed (#12): removed mhc.py b 1"}},
		{"rebase-merge", func(h *hist) {
			h.commit("bad", map[string]string{"mhc.py": twice})
			h.git("checkout", "-q", "-b", "pr")
			h.commit("first", map[string]string{"mhc.py": strings.Replace(twice, "x.item()", "x", 1)})
			h.commit("second", map[string]string{"mhc.py": "def a(x):\n    return x\n"})
			h.git("checkout", "-q", "main")
			h.commit("meanwhile", map[string]string{"other.py": "x = 1\n"})
			h.git("rebase", "-q", "main", "pr")
			h.git("checkout", "-q", "main")
			h.git("merge", "-q", "--ff-only", "pr")
		}, []string{"first: fixed mhc.py a 1", "second: removed mhc.py b 1"}},
		{"merge commit", func(h *hist) {
			h.commit("bad", map[string]string{"mhc.py": bad})
			h.git("checkout", "-q", "-b", "pr")
			h.commit("fix in pr", map[string]string{"mhc.py": good})
			h.git("checkout", "-q", "main")
			h.commit("meanwhile", map[string]string{"other.py": "x = 1\n"})
			h.git("merge", "-q", "--no-ff", "-m", "Merge pull request #7 from x/pr", "pr")
		}, []string{"Merge pull request #7 from x/pr: fixed mhc.py post_block 1"}},
		{"revert and fix again", func(h *hist) {
			h.commit("bad", map[string]string{"mhc.py": bad})
			h.commit("fix", map[string]string{"mhc.py": good})
			h.git("revert", "--no-edit", "HEAD")
			h.commit("fix again", map[string]string{"mhc.py": "# once more\n" + good})
		}, []string{`fix: superseded mhc.py post_block 1 back in Revert "fix"`, "fix again: fixed mhc.py post_block 1"}},
		{"re-introduction", func(h *hist) {
			h.commit("bad", map[string]string{"mhc.py": bad})
			h.commit("fix", map[string]string{"mhc.py": good})
			h.commit("harmless", map[string]string{"mhc.py": "import torch\n\n" + good})
			h.commit("oops", map[string]string{"mhc.py": "import torch\n\n\n" + bad})
		}, []string{"fix: regressed mhc.py post_block 1 back in oops"}},
		{"re-introduction after a rename", func(h *hist) {
			h.commit("bad", map[string]string{"mhc.py": long + bad})
			h.commit("fix", map[string]string{"mhc.py": long + good})
			h.git("mv", "mhc.py", "moved.py")
			h.commit("rename", nil)
			h.commit("oops", map[string]string{"moved.py": long + bad})
		}, []string{"fix: regressed mhc.py post_block 1 back in oops"}},
		{"rename and fix", func(h *hist) {
			h.commit("bad", map[string]string{"mhc.py": long + twice})
			h.git("mv", "mhc.py", "moved.py")
			h.commit("rename and fix", map[string]string{"moved.py": long + strings.Replace(twice, "x.item()", "x", 1)})
		}, []string{"rename and fix: fixed mhc.py a 1"}},
		{"rename alone", func(h *hist) {
			h.commit("bad", map[string]string{"mhc.py": long + twice})
			h.git("mv", "mhc.py", "moved.py")
			h.commit("rename", nil)
		}, nil},
		{"move to another file", func(h *hist) {
			h.commit("bad", map[string]string{"mhc.py": bad, "other.py": "x = 1\n"})
			h.commit("move", map[string]string{"mhc.py": "x = 1\n", "other.py": "x = 1\n" + bad})
		}, nil},
		{"the function is renamed", func(h *hist) {
			h.commit("bad", map[string]string{"mhc.py": bad})
			h.commit("rename it", map[string]string{"mhc.py": strings.Replace(bad, "post_block", "after_block", 1)})
		}, nil},
		{"the expression is rewritten", func(h *hist) {
			h.commit("bad", map[string]string{"mhc.py": bad})
			h.commit("rewrite", map[string]string{"mhc.py": strings.Replace(bad, "x.item()", "x.y.item()", 1)})
		}, nil},
		{"hidden by another file", func(h *hist) {
			h.commit("bad", map[string]string{"mhc.py": bad})
			h.commit("hide", map[string]string{"hide.py": "# hides mhc.py\n"})
		}, nil},
		{"one of two equals", func(h *hist) {
			h.commit("bad", map[string]string{"mhc.py": "def f(x):\n    x.item()\n    x.item()\n    x.item()\n"})
			h.commit("fix two", map[string]string{"mhc.py": "def f(x):\n    x.item()\n"})
		}, []string{"fix two: fixed mhc.py f 2"}},
		{"suppression", func(h *hist) {
			h.commit("bad", map[string]string{"mhc.py": bad})
			h.commit("allow", map[string]string{"mhc.py": strings.Replace(bad, "x.item()", "x.item() # allow", 1)})
		}, nil},
		{"suppressed and then gone", func(h *hist) {
			h.commit("bad", map[string]string{"mhc.py": strings.Replace(bad, "x.item()", "x.item() # allow", 1)})
			h.commit("gone", map[string]string{"mhc.py": good})
		}, nil},
		{"delete", func(h *hist) {
			h.commit("bad", map[string]string{"mhc.py": bad, "keep.py": "x = 1\n"})
			h.commit("delete", map[string]string{"mhc.py": ""})
		}, []string{"delete: removed mhc.py post_block 1"}},
		{"switched off by the configuration", func(h *hist) {
			h.commit("bad", map[string]string{"mhc.py": bad})
			h.commit("off", map[string]string{".gatebot.yaml": "off: mhc.py"})
		}, nil},
		{"parent cannot be scanned", func(h *hist) {
			h.commit("bad", map[string]string{"mhc.py": bad})
			h.commit("break", map[string]string{".gatebot.yaml": "broken", "mhc.py": good})
			h.commit("mend", map[string]string{".gatebot.yaml": "fine"})
		}, nil},
		{"two commits", func(h *hist) {
			h.commit("bad", map[string]string{"a.py": bad, "b.py": bad})
			h.commit("fix a", map[string]string{"a.py": good})
			h.commit("fix b", map[string]string{"b.py": good})
		}, []string{"fix a: fixed a.py post_block 1", "fix b: fixed b.py post_block 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHist(t)
			c.build(h)
			l := &Ledger{}
			h.update(l, Options{})
			if got := h.log(l); !slices.Equal(got, c.want) {
				t.Errorf("ledger:\n %s\nwant:\n %s", strings.Join(got, "\n "), strings.Join(c.want, "\n "))
			}
			if l.Tip != h.git("rev-parse", "main") {
				t.Errorf("tip = %s", l.Tip)
			}
			// One by one gives the same as all at once.
			steps := &Ledger{}
			for out := h.update(steps, Options{After: h.git("rev-list", "--max-parents=0", "HEAD"), Cap: 1}); out.More > 0; {
				out = h.update(steps, Options{Cap: 1})
			}
			if got := h.log(steps); !slices.Equal(got, c.want) {
				t.Errorf("ledger, a commit at a time:\n %s", strings.Join(got, "\n "))
			}
			// And again changes nothing.
			before, _ := l.Bytes()
			h.update(l, Options{})
			h.update(l, Options{After: h.git("rev-list", "--max-parents=0", "HEAD")})
			if after, _ := l.Bytes(); string(after) != string(before) {
				t.Errorf("a second update changed the ledger:\n%s\n%s", before, after)
			}
		})
	}
}

func TestRecordDetails(t *testing.T) {
	h := newHist(t)
	h.commit("bad", map[string]string{"mhc.py": bad})
	parent := h.git("rev-parse", "HEAD")
	h.git("checkout", "-q", "-b", "pr")
	inner := h.commit("fix in pr", map[string]string{"mhc.py": good})
	h.git("checkout", "-q", "main")
	h.git("merge", "-q", "--no-ff", "-m", "Merge pull request #7 from x/pr", "pr")
	l := &Ledger{}
	out := h.update(l, Options{})
	r := l.Records[0]
	if r.PR != 7 || r.Parent != parent || r.Author != "Ann <ann@x>" || !slices.Equal(r.Commits, []string{inner}) ||
		r.Source != SourceStatic || r.Rule != "GB101" || r.Description != "mhc.py: .item() removed from post_block" {
		t.Errorf("record = %+v", r)
	}
	if len(out.Changed) != 1 || out.Changed[0].ID != r.ID || out.Commits != 2 {
		t.Errorf("outcome = %+v", out)
	}
	if pullRequest("Faster decode (#123)") != 123 || pullRequest("see (#5) first") != 0 {
		t.Error("pull request numbers are misread")
	}
}

func TestCapAndShallow(t *testing.T) {
	h := newHist(t)
	for i := range 6 {
		h.commit(fmt.Sprintf("bad %d", i), map[string]string{"m.py": strings.Repeat("#\n", i) + bad})
	}
	h.commit("fix", map[string]string{"m.py": good})
	l := &Ledger{}
	out := h.update(l, Options{Cap: 3})
	if out.Commits != 3 || len(l.Records) != 1 || len(out.Notes) != 1 || !strings.Contains(out.Notes[0], "4 commits before") {
		t.Errorf("first run: %+v, %d records", out, len(l.Records))
	}
	shallow := filepath.Join(t.TempDir(), "s")
	h.git("clone", "-q", "--depth", "1", "file://"+h.dir, shallow)
	repo, err := git.Open(context.Background(), shallow)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = repo.Close() })
	l = &Ledger{}
	out, err = Update(context.Background(), repo, ScanFunc(h.scan), l, Options{})
	if err != nil || len(l.Records) != 0 || len(out.Notes) != 1 || !strings.Contains(out.Notes[0], "not in this clone") {
		t.Errorf("shallow: %+v, %v", out, err)
	}
}

// TestFaultStopsTheUpdate: a fault of the machine must not make a fix go unlogged.
func TestFaultStopsTheUpdate(t *testing.T) {
	h := newHist(t)
	h.commit("bad", map[string]string{"m.py": bad})
	h.commit("fix", map[string]string{"m.py": good})
	h.commit("more", map[string]string{"n.py": "n = 1\n"})
	fault, n := errors.New("out of memory"), 0
	l := &Ledger{}
	failing := ScanFunc(func(ctx context.Context, rev string) ([]finding.Finding, error) {
		if n++; n == 2 {
			return nil, fault
		}
		return h.scan(ctx, rev)
	})
	out, err := Update(context.Background(), h.repo, failing, l, Options{})
	if !errors.Is(err, fault) || len(l.Records) != 0 || out.More != 2 {
		t.Fatalf("Update: %v, %+v", err, out)
	}
	if _, err := Update(context.Background(), h.repo, failing, l, Options{}); err != nil || len(l.Records) != 1 {
		t.Errorf("after the fault: %v, %d records", err, len(l.Records))
	}
}

// TestLogCommitsAreNoEntries also checks that commits without source files cost no scan.
func TestLogCommitsAreNoEntries(t *testing.T) {
	h := newHist(t)
	h.commit("bad", map[string]string{"m.py": bad, "LOG.md": "x\n"})
	h.commit("log", map[string]string{"LOG.md": "y\n"})
	h.commit("docs", map[string]string{"README.md": "y\n"})
	scans := 0
	l := &Ledger{}
	_, err := Update(context.Background(), h.repo, ScanFunc(func(ctx context.Context, rev string) ([]finding.Finding, error) {
		scans++
		return h.scan(ctx, rev)
	}), l, Options{LogPaths: []string{"LOG.md"}})
	if err != nil || scans != 0 || len(l.Records) != 0 {
		t.Errorf("%v, %d scans, %d records; want none", err, scans, len(l.Records))
	}
}
