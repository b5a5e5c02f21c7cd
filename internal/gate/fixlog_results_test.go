package gate

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/finding"
)

// TestMeasuredFixesAreLogged: a wrong value has no line that a scan finds. The results of a card say in which trees it was
// there; a tree that nobody measured mends nothing.
func TestMeasuredFixesAreLogged(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.invalid"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	commit := func(body string) (id, tree string) {
		if err := os.WriteFile(filepath.Join(dir, "scales.py"), []byte("class Scales:\n    def assemble(self, n):\n        return "+body+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		git("add", "-A")
		git("commit", "-q", "-m", body)
		return git("rev-parse", "HEAD"), git("rev-parse", "HEAD^{tree}")
	}
	_, right := commit("n")
	_, wrong := commit("n + 1")
	commit("n + 1 + 0") // nobody measured this one
	_, other := commit("n + 1 - 0")
	_, again := commit("n + 0")
	results := t.TempDir()
	put := func(tree string, status finding.Status, fs ...finding.Finding) {
		r := finding.Results{Schema: finding.Schema, Tree: tree, Findings: fs,
			Checks: []finding.CheckResult{{Name: finding.CheckReplay, Status: status}}}
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(results, tree+".json"), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(right, finding.StatusPass)
	put(wrong, finding.StatusFail, finding.Finding{Rule: "GB716", Check: finding.CheckReplay, Severity: finding.Error, Confidence: finding.Proven,
		Path: "gate_step.py", Line: 3, Function: "step", Fingerprint: "x", Evidence: []finding.Evidence{{Kind: finding.EvidenceSource, Code: "def step(state, i):"}}})
	put(other, finding.StatusNotRun) // another check ran there: no word about the replay
	put(again, finding.StatusPass)
	l, err := OpenFixLog(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if err := l.WithResults([]string{results}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Update(t.Context(), "", nil); err != nil {
		t.Fatal(err)
	}
	rows := l.Ledger.Rows()
	if len(rows) != 1 || rows[0].Commit != git("rev-parse", "HEAD") || rows[0].Description != "scales.py: wrong values removed from assemble" {
		t.Errorf("%+v", rows)
	}
	if r := l.Ledger.Records[0]; r.Source != "trace" || r.Symbol != "Scales.assemble" {
		t.Errorf("%+v", r)
	}
}

func TestResultsThatAreNone(t *testing.T) {
	l := &FixLog{}
	file := filepath.Join(t.TempDir(), "r.json")
	for body, want := range map[string]string{"": "no results file", `{"schema":"x"}`: "no results file", `{"schema":"` + finding.Schema + `"}`: "which tree"} {
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := l.WithResults([]string{file}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", body, err)
		}
	}
	if err := l.WithResults([]string{filepath.Join(t.TempDir(), "none.json")}); err == nil {
		t.Error("a file that is not there: no error")
	}
}
