package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/checks/judge"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// waiting waits between its regions in step 16, which no eager look comes to, and gets a new bucket in step 12: what the
// harness waits for itself, at that capture and after each step, is nobody's violation.
const waiting = `import torch
class Core:
    def __init__(self): self.x = torch.zeros(4)
    def go(self): return self.x.add_(1)
class State:
    def __init__(self): self.core = Core()
def build(device): return State()
def bucket(s, i): return i >= 12
def prepare(s, i): torch.cuda.synchronize()
def regions(s): return {"core": (s.core, "go")}
def step(s, i):
    y = s.core.go()
    if i == 16: torch.cuda.synchronize()
    return y
`

// TestEveryPhaseOnTorch runs all phases of the harness in a real torch whose torch.cuda is a pretence: each comes to its end,
// and what is armed where is seen.
func TestEveryPhaseOnTorch(t *testing.T) {
	python := os.Getenv(envTorch)
	if python == "" {
		t.Skip("no interpreter with torch in " + envTorch + " (GATEBOT_TORCH=python3 make test-torch)")
	}
	pretend, err := filepath.Abs("testdata/pretend_cuda.py")
	if err != nil {
		t.Fatal(err)
	}
	// Started as: interpreter -u run.py CONFIG.
	name := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(name, []byte(fmt.Sprintf("#!/bin/sh\nexec %s -u %s \"$(dirname \"$2\")\" \"$3\"\n", python, pretend)), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, all := range []bool{true, false} {
		t.Run(fmt.Sprint("all steps ", all), func(t *testing.T) {
			dir := module(t, map[string]string{"m.py": waiting})
			run, err := Drive(t.Context(), Request{Root: dir, Entry: filepath.Join(dir, "m.py"), Python: name, Warmup: 3, Steps: 2, Boundaries: []int{19}, SyncAll: all})
			if err != nil {
				t.Fatal(err)
			}
			var phases []string
			for _, p := range trace.Of[*trace.Phase](run.Trace) {
				if p.At == trace.Exit {
					phases = append(phases, p.Name+" "+p.Status)
				}
			}
			if want := []string{"load ", "eager ok", "sync ok", "drift ok", "alloc ok", "load ", "capture ok", "replay ok", "speed skipped"}; !slices.Equal(phases, want) || len(run.Died) > 0 {
				t.Errorf("phases %q, died %v, errors %v", phases, run.Died, run.Trace.Errors())
			}
			c := judge.Check(finding.CheckSync, &dynamic.Input{Trace: run.Trace, Root: dir, Died: run.Died}).Check
			switch {
			case all && (c.Status != finding.StatusFail || !strings.Contains(c.Reason, "at 1 line between the graphs of replayed steps")):
				t.Errorf("%s: %s", c.Status, c.Reason)
			case !all && c.Status != finding.StatusPass:
				t.Errorf("%s: %s", c.Status, c.Reason)
			}
		})
	}
}
