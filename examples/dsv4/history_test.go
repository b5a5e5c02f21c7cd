package dsv4

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/gate"
)

// history builds the repository of the example with its own script.
func history(t *testing.T) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("NOT RUN: no python3")
	}
	dir := filepath.Join(t.TempDir(), "repo")
	if out, err := exec.CommandContext(t.Context(), python, "history/build.py", dir).CombinedOutput(); err != nil {
		t.Fatalf("build.py: %v: %s", err, out)
	}
	return dir
}

// commits are the ids of the history by subject.
func commits(t *testing.T, repo string) map[string]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "-C", repo, "log", "--format=%H %s").Output()
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		id, subject, _ := strings.Cut(line, " ")
		ids[subject] = id
	}
	return ids
}

const clean = "A decode step that is fit for CUDA graphs"

// scan gives what gates of a commit, at severity warn, as PATH:LINE RULE.
func scan(t *testing.T, repo, rev string) []string {
	t.Helper()
	run, err := gate.Scan(t.Context(), gate.Request{Dir: repo, Rev: rev, FailOn: finding.Warn, NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = run.Close() }()
	var got []string
	for i := range run.Results.Findings {
		if f := &run.Results.Findings[i]; f.Severity != finding.Info {
			got = append(got, fmt.Sprintf("%s:%d %s", f.Path, f.Line, f.Rule))
		}
	}
	slices.Sort(got)
	return got
}

// TestScanFindsEachViolationAndNothingElse: the clean tree is silent, of whatever confidence, and in each of the nine commits
// the scan finds the lines that its patch names.
func TestScanFindsEachViolationAndNothingElse(t *testing.T) {
	repo := history(t)
	ids := commits(t, repo)
	if got := scan(t, repo, ids[clean]); got != nil {
		t.Errorf("clean tree: %v", got)
	}
	rows, err := Rows()
	if err != nil || len(rows) != 9 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, r := range rows {
		var want []string
		for _, p := range r.Found {
			want = append(want, fmt.Sprintf("%s:%d %s", p.Path, p.Line, p.Rule))
		}
		slices.Sort(want)
		if d := cmp.Diff(want, scan(t, repo, ids[r.Bad])); d != "" {
			t.Errorf("%s: %s", r.Name, d)
		}
	}
}

// TestHistoryIsTheSameEverywhere: ids do not depend on the day, the user's configuration or the folder, and each fix gives
// back the clean tree.
func TestHistoryIsTheSameEverywhere(t *testing.T) {
	a := history(t)
	t.Setenv("GIT_AUTHOR_NAME", "somebody")
	t.Setenv("GIT_COMMITTER_DATE", "2001-02-03T04:05:06Z")
	t.Setenv("TZ", "Asia/Kathmandu")
	b := history(t)
	if d := cmp.Diff(commits(t, a), commits(t, b)); d != "" {
		t.Error(d)
	}
	out, err := exec.CommandContext(t.Context(), "git", "-C", a, "log", "--reverse", "--format=%T").Output()
	if err != nil {
		t.Fatal(err)
	}
	trees := strings.Fields(string(out))
	if len(trees) != 19 {
		t.Fatalf("%d commits", len(trees))
	}
	for i, tree := range trees {
		if (tree == trees[0]) != (i%2 == 0) {
			t.Errorf("commit %d: tree %s", i, tree)
		}
	}
}

// TestEmbeddedTreeIsTheHistorys: what the demo writes is what the script commits.
func TestEmbeddedTreeIsTheHistorys(t *testing.T) {
	repo := history(t)
	if err := Write(repo); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "git", "-C", repo, "status", "--porcelain").Output()
	if err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}

func place(path string, line int) string { return fmt.Sprintf("%s:%d", path, line) }
