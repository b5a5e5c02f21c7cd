package demo

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/registry"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/tree"
)

// gating is where the scan of dir finds errors.
func gating(t *testing.T, dir string) []string {
	t.Helper()
	rep, err := checks.Scan(t.Context(), tree.NewWorktree(dir), checks.Options{Rules: registry.Rules})
	if err != nil {
		t.Fatal(err)
	}
	var at []string
	for i := range rep.Findings {
		if f := &rep.Findings[i]; f.Gates(finding.Error) {
			at = append(at, fmt.Sprintf("%s:%d", f.Path, f.Line))
		}
	}
	slices.Sort(at)
	return at
}

// TestPlantedHazardsAreFoundAndNothingElse walks through every version of the project that the demo shows.
func TestPlantedHazardsAreFoundAndNothingElse(t *testing.T) {
	dir := t.TempDir()
	if err := writeProject(dir); err != nil {
		t.Fatal(err)
	}
	if at := gating(t, dir); at != nil {
		t.Errorf("first version: findings at %v, want none", at)
	}
	var standing []string // planted and not fixed yet
	for _, step := range []struct {
		change change
		fixes  string // prefix of the standing places that the change fixes
	}{
		{logBusiest, "-"}, {stopEarly, "-"}, {fixBusiest, "moe/router.py"}, {fixStop, ""}, {plant, "-"}, {repair, ""}, {badPush, "-"},
	} {
		planted, err := step.change.apply(dir)
		if err != nil {
			t.Fatal(err)
		}
		standing = slices.DeleteFunc(standing, func(s string) bool { return strings.HasPrefix(s, step.fixes) })
		for _, p := range planted {
			standing = append(standing, p.String())
		}
		slices.Sort(standing)
		if at := gating(t, dir); !slices.Equal(at, standing) {
			t.Errorf("after %q: findings at %v, want %v", step.change.message, at, standing)
		}
	}
}

func TestPlacesAreTheMarkedLines(t *testing.T) {
	dir := t.TempDir()
	if err := writeProject(dir); err != nil {
		t.Fatal(err)
	}
	planted, err := plant.apply(dir)
	if err != nil || len(planted) != 2 {
		t.Fatalf("planted %v, %v, want two places", planted, err)
	}
	for _, p := range planted {
		data, err := os.ReadFile(filepath.Join(dir, p.path))
		if err != nil {
			t.Fatal(err)
		}
		if line := strings.Split(string(data), "\n")[p.line-1]; strings.TrimSpace(line) != p.text || strings.Contains(line, "#<") {
			t.Errorf("%s is %q, want %q", p, line, p.text)
		}
	}
	if _, err := plant.apply(dir); err == nil {
		t.Error("the same change twice: no error, although its text is gone")
	}
}

func TestProjectIsPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("NOT RUN: no python3")
	}
	dir := t.TempDir()
	if err := writeProject(dir); err != nil {
		t.Fatal(err)
	}
	for _, c := range []change{logBusiest, stopEarly, fixBusiest, fixStop, plant, repair, badPush} {
		if _, err := c.apply(dir); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), python, "-m", "compileall", "-q", dir).CombinedOutput(); err != nil {
			t.Errorf("after %q: %v: %s", c.message, err, out)
		}
	}
}
