// Package gb302 is rule GB302, per-step-like-or-clone: allocates a copy or a tensor of the same shape in every step.
package gb302

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB302.
var Rule = &checks.Rule{
	ID: "GB302", Name: "per-step-like-or-clone", Group: checks.GroupAlloc, Severity: finding.Warn, Tier: 2, Static: true,
	Title: "allocates a copy or a tensor of the same shape in every step",
	Text: "`zeros_like`, `new_zeros` and `clone` allocate device memory and fill it, in every step, for something that " +
		"could be a number or a buffer made once. There is no wait, but the launches add up over layers, and the new " +
		"address must not cross the border of a captured region: a graph reads the old one.",
	Before: "y = torch.where(keep, x, torch.zeros_like(x))",
	After:  "y = torch.where(keep, x, 0.0)",
	Fix:    "use a number where one will do, or write into a buffer that is allocated once (copy_, out=)",
	Fine: []string{
		"out-of-place arithmetic such as `x + y`: not reported",
		"`clone` at load time or between steps",
		"`clone` of CPU tensors and of objects that are no tensors",
	},
	Torch: "measured on an H200, torch 2.11: no wait; clone is a copy on the device",
	Calls: copies(),
	Call: func(p *checks.Pass, c *checks.Call) {
		if c.Has("out") || p.FirstUse() {
			return
		}
		if c.Result.DeviceTensor() {
			p.Report(c.Node, c.Result, "{expr} allocates a device tensor in every step")
		}
	},
}

// copies are the like, new and clone forms, without those that copy host data (GB501).
func copies() []string {
	out := []string{}
	for _, name := range torchop.Allocating(torchop.AllocLike, torchop.AllocNew, torchop.AllocClone) {
		if op, ok := torchop.Lookup(name); ok && op.Family != "from-python" {
			out = append(out, name)
		}
	}
	return out
}
