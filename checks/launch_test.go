package checks

import (
	"fmt"
	"testing"

	"github.com/gatebot/gatebot/internal/finding"
)

// launches reports how a kernel is written that an autotuner measures.
var launches = &Rule{ID: "GB901", Severity: finding.Error, Static: true, Call: func(p *Pass, c *Call) {
	if kernel, here := p.Kernel(c); kernel != nil {
		p.Report(c.Node, nil, fmt.Sprint(len(kernel.Body), here))
	}
}}

// TestKernelOfLaunch: what a kernel computes is nothing to who launches it, unless an autotuner measures it.
func TestKernelOfLaunch(t *testing.T) {
	files := memory{
		"k.py": "import triton\n\n\n@triton.jit\ndef plain(x):\n    x += 1\n\n\n" +
			"@triton.autotune(configs=[], key=[\"n\"])\n@triton.jit\ndef tuned(x, n):\n    x += 2\n",
		"one.py": "from k import plain\n\n\nclass One:\n    def forward(self, x):\n        plain[(1,)](x)\n",
		"two.py": "from k import tuned\n\n\nclass Two:\n    def forward(self, x, n):\n        tuned[(1,)](x, n)\n",
	}
	for _, c := range []struct {
		name, old, text string
		again           int
	}{
		{"a plain kernel", "x += 1", "x += 1\n    x += 1", 0},
		{"a measured one", "x += 2", "x += 2\n    x += 2", 1},
		{"one that is measured now", "@triton.jit\ndef plain", "@triton.autotune(configs=[], key=[])\n@triton.jit\ndef plain", 1},
		{"one that is not any more", "@triton.autotune(configs=[], key=[\"n\"])\n", "", 1},
		{"no kernel any more", "@triton.jit\ndef plain", "def plain", 2},
	} {
		for _, saved := range []bool{false, true} {
			if again := cutoffOf(t, launches, files, "k.py", c.old, c.text, saved); again != c.again {
				t.Errorf("%s, through a file %t: %d tasks ran again, want %d", c.name, saved, again, c.again)
			}
		}
	}
}
