// Package gb301 is rule GB301, per-step-factory: makes a new device tensor in every step.
package gb301

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB301.
var Rule = &checks.Rule{
	ID: "GB301", Name: "per-step-factory", Group: checks.GroupAlloc, Severity: finding.Warn, Tier: 1, Static: true,
	Title: "makes a new device tensor in every step",
	Text: "No wait, but work: the allocator is asked, a fill kernel is launched, and the tensor has another address in " +
		"every step. A graph knows addresses only. What is made outside the captured part and used inside it is read " +
		"from the old address at replay. A buffer that is made once and refilled costs nothing and stays where it is.",
	Before: "scale = torch.zeros(rows, cols, device=x.device)",
	After:  "scale = self.scale_buf.zero_()  # made in __init__",
	Fix:    "allocate it once at load time and refill it in place (zero_, fill_, copy_)",
	Fine: []string{
		"factories at load time, in `__init__` or in warm-up",
		"a buffer that is made on first use: `if self.buf is None: self.buf = torch.empty(…)`",
		"CPU tensors",
	},
	Torch: "measured on an H200, torch 2.11: no wait; capture takes it from the graph's own pool",
	Calls: factories(),
	Call: func(p *checks.Pass, c *checks.Call) {
		if c.Has("out") || p.FirstUse() {
			return
		}
		if c.Result.DeviceTensor() {
			p.Report(c.Node, c.Result, "{expr} allocates a device tensor in every step")
		}
	},
}

// factories are the functions that make a tensor from sizes. Those that make one from host data are GB501.
func factories() []string {
	out := []string{}
	for _, name := range torchop.Allocating(torchop.AllocFactory) {
		if op, ok := torchop.Lookup(name); ok && op.Result == torchop.Factory {
			out = append(out, name)
		}
	}
	return out
}
