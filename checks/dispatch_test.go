package checks

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDispatch: a name that is put together is one of the methods that begin like it.
func TestDispatch(t *testing.T) {
	src := `
from torch import nn

class Base(nn.Module):
    def route_far(self, x): pass

class Model(Base):
    def forward(self, x):
        getattr(self, f"route_{self.kind}")(x)
        getattr(self, "to_" + self.kind)(x)
        getattr(x, "pick_" + self.kind)(x)
        return getattr(self, "mode_" + self.kind)(x)
    def route_a(self, x): pass
    def route_b(self, x): pass
    def mode_c(self, x): pass
    def to_d(self, x): pass
    def pick_e(self, x): pass
    def other(self, x): pass
`
	want := map[string]string{
		"m.py::Base.route_far": "Model.forward → Base.route_far",
		"m.py::Model.forward":  "Model.forward",
		"m.py::Model.mode_c":   "Model.forward → Model.mode_c",
		"m.py::Model.route_a":  "Model.forward → Model.route_a",
		"m.py::Model.route_b":  "Model.forward → Model.route_b",
	}
	if d := cmp.Diff(want, hotNames(t, memory{"m.py": src}, Options{})); d != "" {
		t.Error(d)
	}
}

// TestDispatchAgain: which methods begin like it is a fact for whoever calls the function that asks.
func TestDispatchAgain(t *testing.T) {
	files := memory{
		"base.py": "from torch import nn\n\n\nclass Base(nn.Module):\n    def run(self, x):\n        return getattr(self, f\"route_{self.kind}\")(x)\n\n" +
			"    def route_a(self, x):\n        return 3\n",
		"step.py": "import torch\nfrom torch import nn\nfrom base import Base\n\n\nclass Step(nn.Module):\n    def __init__(self):\n        self.base = Base()\n\n" +
			"    def forward(self, x: torch.Tensor):\n        return self.base.run(x).item()\n",
	}
	for _, saved := range []bool{false, true} {
		if cutoff(t, files, "base.py", "        return 3\n", "        return 3\n\n    def route_b(self, x):\n        return x\n", saved) == 0 {
			t.Errorf("through a file %t: the caller's task did not run again", saved)
		}
		if cutoff(t, files, "base.py", "return 3\n", "return 3\n\n\n# more\n", saved) > 0 {
			t.Errorf("through a file %t: a task ran again for a comment", saved)
		}
	}
}
