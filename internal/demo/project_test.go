package demo

import (
	"fmt"
	"os/exec"
	"slices"
	"testing"

	"github.com/gatebot/gatebot/examples/dsv4"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/gate"
)

// gating is where the scan of dir finds what gates.
func gating(t *testing.T, dir string) []string {
	t.Helper()
	run, err := gate.Scan(t.Context(), gate.Request{Dir: dir, NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = run.Close() }()
	var at []string
	for i := range run.Results.Findings {
		if f := &run.Results.Findings[i]; f.Gates(finding.Error) {
			at = append(at, fmt.Sprintf("%s:%d", f.Path, f.Line))
		}
	}
	slices.Sort(at)
	return at
}

// TestPlantedHazardsAreFoundAndNothingElse walks through every version of the project that the demo shows.
func TestPlantedHazardsAreFoundAndNothingElse(t *testing.T) {
	dir := t.TempDir()
	if err := dsv4.Write(dir); err != nil {
		t.Fatal(err)
	}
	if at := gating(t, dir); at != nil {
		t.Errorf("first version: findings at %v, want none", at)
	}
	standing := map[string][]string{} // planted and not fixed yet, by row
	for _, c := range []change{plant, repair, rebase, count, fixRebase, fixCount, badPush} {
		message, planted, err := c.apply(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		standing[c.row] = nil
		for _, p := range planted {
			standing[c.row] = append(standing[c.row], p.String())
		}
		var want []string
		for _, at := range standing {
			want = append(want, at...)
		}
		slices.Sort(want)
		if at := gating(t, dir); !slices.Equal(at, want) {
			t.Errorf("after %q: findings at %v, want %v", message, at, want)
		}
	}
}

func TestChangesThatDoNotFit(t *testing.T) {
	dir := t.TempDir()
	if err := dsv4.Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, c := range []change{repair, {row: "none"}, {edit: &edit{"dsv4/router.py", "not there", ""}}} {
		if _, _, err := c.apply(t.Context(), dir); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}

func TestProjectIsPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("NOT RUN: no python3")
	}
	dir := t.TempDir()
	if err := dsv4.Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, c := range []change{plant, rebase, count, badPush, goodPush} {
		message, _, err := c.apply(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), python, "-m", "compileall", "-q", dir).CombinedOutput(); err != nil {
			t.Errorf("after %q: %v: %s", message, err, out)
		}
		if c.undo = true; c.row == "" {
			continue
		}
		if _, _, err := c.apply(t.Context(), dir); err != nil { // the rows are patches of the clean tree
			t.Fatal(err)
		}
	}
}
