package starter

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
)

func look(t *testing.T, files map[string]string) *Guesses {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		p := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	names, err := Names(context.Background(), root)
	if err != nil {
		t.Fatal(err)
	}
	g, err := Look(context.Background(), names, func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(root, name)) })
	if err != nil {
		t.Fatal(err)
	}
	g.Python = Environment(root)
	return g
}

const (
	model = "import torch\n\nclass Helper:\n    pass\n\nclass DSV4(torch.nn.Module):\n    def decode_step(self, x):\n        return x\n"
	step  = "def build(device):\n    return 1\n\n\ndef step(state, i):\n    return state\n"
)

func TestGuesses(t *testing.T) {
	g := look(t, map[string]string{
		"dsv4/model.py": model, "tests/gate_step.py": step, "tests/other.py": step, "scripts/a.py": "import torch\n", "scripts/b.py": "",
		"docs/ready.md": "# Readiness\n\n### Violation Fix Log\n", "tests/test_model.py": model, "dsv4/plain.py": "def decode(x):\n    return x\n",
		"venv/pyvenv.cfg": "", "venv/bin/python": "", "venv/lib/x.py": model, ".hidden/m.py": model,
	})
	if len(g.Roots) != 1 || g.Roots[0].Value != "dsv4/model.py::DSV4.decode_step" {
		t.Errorf("roots: %+v", g.Roots)
	}
	if g.Entry == nil || g.Entry.Value != "tests/gate_step.py" || !strings.Contains(g.Entry.Why, "tests/other.py") {
		t.Errorf("entry: %+v", g.Entry)
	}
	if len(g.Exclude) != 1 || g.Exclude[0].Value != "scripts/**" || !strings.HasPrefix(g.Exclude[0].Why, "2 source files") {
		t.Errorf("exclude: %+v", g.Exclude)
	}
	if g.FixLog == nil || g.FixLog.Value != "docs/ready.md" || g.Heading != "Violation Fix Log" {
		t.Errorf("fix log: %+v %q", g.FixLog, g.Heading)
	}
	if g.Python == nil || g.Python.Value != "venv/bin/python" {
		t.Errorf("python: %+v", g.Python)
	}
	g.Device = &finding.Device{Name: `NVIDIA "B200"`, ComputeCapability: "10.0"}
	loads(t, g, func(c *config.Config) bool {
		return c.Step.Entry == "tests/gate_step.py" && c.FixLog.Path == "docs/ready.md" && c.Device.Name == `NVIDIA "B200"` && len(c.HotPath.Exclude) == 1
	})
}

// Names that a stranger chose must not break out of the file.
func TestOddNames(t *testing.T) {
	g := look(t, map[string]string{"a\" #: {}/gate.py": step, "x/decode.py": model})
	loads(t, g, func(c *config.Config) bool { return c.Step.Entry == "a\" #: {}/gate.py" })
}

func TestNothingFound(t *testing.T) {
	g := look(t, map[string]string{"README.md": "# hello\n"})
	loads(t, g, func(c *config.Config) bool { return c.Step.Entry == "" && c.Device.Name == "" })
}

// loads demands that the file is a valid configuration.
func loads(t *testing.T, g *Guesses, want func(*config.Config) bool) {
	t.Helper()
	text := g.Render()
	c, err := config.Load(config.FileName, text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if !want(c) {
		t.Errorf("%s\n%+v", text, c)
	}
}
