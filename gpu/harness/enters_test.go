package harness

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/checks/replay"
	"github.com/gatebot/gatebot/internal/finding"
)

// TestEntersOnTorch: where a change that must not matter gets into the result. The line that is wanted ends in "# here".
func TestEntersOnTorch(t *testing.T) {
	python := os.Getenv(envTorch)
	if python == "" {
		t.Skip("no interpreter with torch in " + envTorch + " (GATEBOT_TORCH=python3 make test-torch)")
	}
	for name, tc := range map[string]struct {
		step           string
		batch, scratch []string
		text           string
	}{
		// What is read of the scratch and thrown away is not it.
		"padding that is cut off": {scratch: []string{"buf"}, text: "reads buf into the result", step: `
def build(d): return {"buf": torch.rand(8, 4), "x": torch.rand(3, 4)}
def step(s, i):
    s["buf"][:3].copy_(s["x"])
    all = s["buf"] * 2
    y = all[:3] + 1
    tail = s["buf"][2:4].sum(dim=0) # here
    return y + tail
`},
		"a sum over the batch": {batch: []string{"x"}, text: "what aten.sum", step: `
def norm(x):
    total = x.sum() # here
    return x / total
def build(d): return {"x": torch.rand(4, 2)}
def step(s, i): return norm(s["x"] * 2) + i
`},
		// Heads lie before rows, and rows are folded into them: both follow.
		"rows in other dimensions": {batch: []string{"x"}, text: "what aten.cumsum", step: `
def build(d): return {"x": torch.rand(4, 6)}
def step(s, i):
    heads = s["x"].view(4, 2, 3).transpose(0, 1).contiguous()
    flat = heads.reshape(8, 3) * 3
    y = flat.view(2, 4, 3).transpose(0, 1).reshape(4, 6)
    return y.cumsum(dim=0) # here
`},
		"memory that nobody wrote": {scratch: []string{"a.*"}, text: "reads a.1 into the result", step: `
class Mix:
    def __init__(self): self.w = torch.ones(4)
    def run(self, parts): return torch.cat(parts) * self.w
def build(d): return {"a": [torch.zeros(2), torch.zeros(2)], "m": Mix()}
def step(s, i):
    s["a"][0].fill_(i)
    return s["m"].run([s["a"][0], s["a"][1]])
`},
		// NumPy writes behind torch's back: nothing is found, and that is said.
		"what torch does not see": {scratch: []string{"buf"}, text: "no operation was found", step: `
def build(d): return {"buf": torch.rand(4), "y": torch.zeros(4)}
def step(s, i):
    y = torch.zeros(4)
    y.numpy()[:] = s["buf"].numpy()
    return y
`},
		"other operations": {scratch: []string{"buf"}, text: "the step does other operations with it", step: `
def build(d): return {"buf": torch.ones(4)}
def step(s, i): return s["buf"] + 1 if s["buf"].sum() == 4 else s["buf"] * 2 - 1
`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := module(t, map[string]string{"m.py": "import torch\n" + tc.step})
			r := Request{Root: dir, Entry: filepath.Join(dir, "m.py"), Python: python, Device: "cpu", Warmup: 3, Steps: 4,
				Checks: []string{finding.CheckSync}, Batch: tc.batch, Scratch: tc.scratch}
			if keep := os.Getenv("GATEBOT_KEEP"); keep != "" {
				r.Keep = filepath.Join(keep, strings.ReplaceAll(name, " ", "-"))
			}
			run, err := Drive(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			res := replay.Check(&dynamic.Input{Trace: run.Trace, Root: dir, Died: run.Died})
			if res.Check.Status != finding.StatusFail || len(res.Findings) == 0 {
				t.Fatalf("%+v", res.Check)
			}
			want := 0
			for n, line := range strings.Split("import torch\n"+tc.step, "\n") {
				if strings.HasSuffix(line, "# here") {
					want = n + 1
				}
			}
			f := res.Findings[0]
			if said := f.Evidence[1].Message; !strings.Contains(said, tc.text) || want > 0 && f.Line != want {
				t.Errorf("m.py:%d: %s, want line %d: %s", f.Line, said, want, tc.text)
			}
		})
	}
}
