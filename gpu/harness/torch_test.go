package harness

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/checks/judge"
	"github.com/gatebot/gatebot/checks/replay"
	"github.com/gatebot/gatebot/internal/finding"
)

// envTorch names an interpreter that has torch, with a card or without.
const envTorch = "GATEBOT_TORCH"

// module is a step module in a tree of its own.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// corpus is a file of a case of the corpus.
func corpus(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../testdata/corpus", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

const twin = `import torch
def build(device): return {"x": torch.rand(3, 4, device=device)}
def step(s, i):
    s["x"].mul_(0.5)
    return {"y": s["x"] + i, "n": s["x"].sum(dim=1)}
def slow(s, i):
    s["x"].mul_(0.5)
    return {"y": s["x"].double() + i}
def short(s, i): return {"y": s["x"][:2] + i}
def other(s, i): return {"z": s["x"] + i}
def fails(s, i): raise ValueError("no kernel for this card")
def ends(s, i):
    import os
    os._exit(3)
`

// TestReferencesOnTorch runs the harness itself, in a real torch on the CPU: what needs no graph needs no card.
func TestReferencesOnTorch(t *testing.T) {
	python := os.Getenv(envTorch)
	if python == "" {
		t.Skip("no interpreter with torch in " + envTorch + " (GATEBOT_TORCH=python3 make test-torch)")
	}
	one, two := "067-scale-expand-stride0/", "068-swizzle-oversized-view/"
	for name, tc := range map[string]struct {
		files          map[string]string
		step           string // FUNCTION of the reference; "FILE" of another one
		label          string
		tolerance      any
		batch, scratch []string
		status         finding.Status // what the replay check makes of it; error: there was no replay, and nothing else is wrong
		reason         string
	}{
		"067 beside its twin": {files: map[string]string{"m.py": corpus(t, one+"bad.py"), "good.py": corpus(t, one+"good.py")}, step: "good.py",
			status: finding.StatusFail, reason: "returns something else than good.py (compared bit for bit); first in step 0: out, 40 of 48 elements"},
		"068 beside its twin": {files: map[string]string{"m.py": corpus(t, two+"bad.py"), "good.py": corpus(t, two+"good.py")}, step: "good.py",
			status: finding.StatusFail, reason: "step 0-10 returns something else than good.py (compared bit for bit)"},
		"067 good": {files: map[string]string{"m.py": corpus(t, one+"good.py"), "good.py": corpus(t, one+"good.py")}, step: "good.py"},
		"068 good": {files: map[string]string{"m.py": corpus(t, two+"good.py"), "good.py": corpus(t, two+"good.py")}, step: "good.py"},
		"067 with its rows moved": {files: map[string]string{"m.py": corpus(t, one+"bad.py")}, batch: []string{"y", "dense"},
			status: finding.StatusFail, reason: "returns something else with its rows in another order"},
		"067 good with its rows moved": {files: map[string]string{"m.py": corpus(t, one+"good.py")}, batch: []string{"y", "dense"}},
		"068 with other scratch": {files: map[string]string{"m.py": corpus(t, two+"bad.py")}, scratch: []string{"sb.buf"},
			status: finding.StatusFail, reason: "returns something else with other values in its scratch memory (compared bit for bit)"},
		"068 good with other scratch": {files: map[string]string{"m.py": corpus(t, two+"good.py")}, scratch: []string{"*.buf"}},

		"another dtype, bit for bit":          {files: map[string]string{"m.py": twin}, step: "slow", status: finding.StatusFail, reason: "y is float32[3 4], wanted float64[3, 4]"},
		"another dtype, as near as it allows": {files: map[string]string{"m.py": twin}, step: "slow", tolerance: ByDtype},
		"as near as was said":                 {files: map[string]string{"m.py": twin}, step: "slow", tolerance: [2]float64{1e-5, 1e-5}},
		"another shape":                       {files: map[string]string{"m.py": twin}, step: "short", status: finding.StatusFail, reason: "wanted float32[2, 4]"},
		"another output":                      {files: map[string]string{"m.py": twin}, step: "other", status: finding.StatusFail, reason: "out.z is missing"},
		"a reference that raises":             {files: map[string]string{"m.py": twin}, step: "fails", status: finding.StatusError, reason: "reference THERE: step(state, 0) raised ValueError: no kernel for this card"},
		"a reference that ends":               {files: map[string]string{"m.py": twin}, step: "ends", status: finding.StatusError, reason: "exit code 3"},
		"no such function":                    {files: map[string]string{"m.py": twin}, step: "missing", status: finding.StatusError, reason: "m.py has no function missing"},
		"no such tensor":                      {files: map[string]string{"m.py": twin}, batch: []string{"kv"}, status: finding.StatusError, reason: `step.invariance.batch: 'kv' names no tensor`},
		"a sum over the batch": {files: map[string]string{"m.py": "import torch\ndef build(d): return {'x': torch.rand(4, 2)}\ndef step(s, i): return s['x'] - s['x'].sum()\n"},
			batch: []string{"x"}, status: finding.StatusFail, reason: "something else with its first row alone"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := module(t, tc.files)
			r := Request{Root: dir, Entry: filepath.Join(dir, "m.py"), Python: python, Device: "cpu", Warmup: 3, Steps: 8,
				Checks: []string{finding.CheckSync}, Batch: tc.batch, Scratch: tc.scratch}
			if tc.step != "" {
				r.Reference = &Reference{Root: dir, Entry: r.Entry, Step: tc.step, Label: "THERE", Tolerance: tc.tolerance}
				if strings.HasSuffix(tc.step, ".py") {
					r.Reference.Entry, r.Reference.Step, r.Reference.Label = filepath.Join(dir, tc.step), "", tc.step
				}
			}
			if keep := os.Getenv("GATEBOT_KEEP"); keep != "" { // what checks/replay/testdata is made of
				r.Keep = filepath.Join(keep, strings.ReplaceAll(name, " ", "-"))
			}
			run, err := Drive(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			res := replay.Check(&dynamic.Input{Trace: run.Trace, Root: dir, Died: run.Died})
			if tc.status == "" { // no card, no replay
				if res.Check.Status != finding.StatusError || res.Check.Metrics["references"] < 8 || res.Check.Metrics["wrong_against_reference"] != 0 || len(run.Died) > 0 {
					t.Errorf("%+v, died %v", res.Check, run.Died)
				}
				return
			}
			if res.Check.Status != tc.status || !strings.Contains(res.Check.Reason, tc.reason) {
				t.Errorf("%s: %s, want %s: %s", res.Check.Status, res.Check.Reason, tc.status, tc.reason)
			}
		})
	}
}

// TestBaseOnTorch: two trees with modules of the same names run beside each other; one that takes a module from the tree it
// is compared with is refused.
func TestBaseOnTorch(t *testing.T) {
	python := os.Getenv(envTorch)
	if python == "" {
		t.Skip("no interpreter with torch in " + envTorch + " (GATEBOT_TORCH=python3 make test-torch)")
	}
	step := "import torch, kernel\ndef build(d): return torch.rand(4)\ndef step(s, i): return kernel.run(s, i)\n"
	head := module(t, map[string]string{"m.py": step, "kernel.py": "def run(s, i): return s * 2 + (i == 5)\n"})
	for name, tc := range map[string]struct{ kernel, reason string }{
		"equal":       {"def run(s, i): return s * 2 + (i == 5)\n", ""},
		"one step":    {"def run(s, i): return s * 2\n", "step 5 returns something else than base (compared bit for bit); first in step 5: out, 4 of 4 elements, by up to 1"},
		"from a link": {"import sys\nsys.path.insert(0, '" + head + "')\ndel sys.modules['kernel']\nfrom kernel import run\n", "reference base: module kernel comes from " + head + "/kernel.py, which is the tree that is checked"},
	} {
		t.Run(name, func(t *testing.T) {
			base := module(t, map[string]string{"m.py": step, "kernel.py": tc.kernel})
			run, err := Drive(t.Context(), Request{Root: head, Entry: filepath.Join(head, "m.py"), Python: python, Device: "cpu", Warmup: 3, Steps: 8,
				Checks: []string{finding.CheckSync}, Reference: &Reference{Root: base, Entry: filepath.Join(base, "m.py"), Label: "base"}})
			if err != nil {
				t.Fatal(err)
			}
			c := replay.Check(&dynamic.Input{Trace: run.Trace, Root: head, Died: run.Died}).Check
			if tc.reason == "" && c.Metrics["wrong_against_reference"] != 0 || !strings.Contains(c.Reason, tc.reason) || c.Metrics == nil {
				t.Errorf("%s: %s", c.Status, c.Reason)
			}
		})
	}
}

// TestLaunchersOnTorch: four ranks that sum over all of them; the third one's reference says otherwise. GATEBOT_LAUNCHERS are
// more launchers to try, such as "mpirun -np 4", with ; between them.
func TestLaunchersOnTorch(t *testing.T) {
	python := os.Getenv(envTorch)
	if python == "" {
		t.Skip("no interpreter with torch in " + envTorch + " (GATEBOT_TORCH=python3 make test-torch)")
	}
	launchers := []string{"torchrun --nproc-per-node 4"}
	if more := os.Getenv("GATEBOT_LAUNCHERS"); more != "" {
		launchers = append(launchers, strings.Split(more, ";")...)
	}
	step := `import os, torch, torch.distributed as dist
def build(d):
    dist.init_process_group("gloo")
    return torch.full((4,), float(dist.get_rank()))
def step(s, i):
    x = s + i
    dist.all_reduce(x)
    return x
def plain(s, i):
    return step(s, i) + (dist.get_rank() == 2 and i == 4)
`
	for _, launch := range launchers {
		t.Run(strings.Fields(launch)[0], func(t *testing.T) {
			dir := module(t, map[string]string{"m.py": step})
			m := filepath.Join(dir, "m.py")
			run, err := Drive(t.Context(), Request{Root: dir, Entry: m, Python: python, Device: "cpu", Warmup: 3, Steps: 4, Launch: launch,
				Checks: []string{finding.CheckSync}, Reference: &Reference{Root: dir, Entry: m, Step: "plain", Label: "m.py:plain"}})
			if err != nil {
				t.Fatal(err)
			}
			if got := run.Trace.Ranks(); len(got) != 4 || len(run.Died) > 0 {
				t.Fatalf("ranks %v, died %v", got, run.Died)
			}
			c := judge.Check(finding.CheckReplay, &dynamic.Input{Trace: run.Trace, Root: dir, Died: run.Died}).Check
			if c.Status != finding.StatusFail || !strings.HasPrefix(c.Reason, "rank 2: step 4 returns something else than m.py:plain") {
				t.Errorf("%s: %s", c.Status, c.Reason)
			}
		})
	}
}
