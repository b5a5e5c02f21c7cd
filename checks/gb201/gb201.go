// Package gb201 is rule GB201, nonzero-family: asks for the positions of true elements, as many as there are.
package gb201

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB201.
var Rule = &checks.Rule{
	ID: "GB201", Name: "nonzero-family", Group: checks.GroupShape, Severity: finding.Error, Tier: 1, Static: true,
	Title: "asks for the positions of true elements, as many as there are",
	Text: "The result has one row per true element. Before it can be allocated, the count has to travel to the host, which " +
		"waits for it. A CUDA graph replays fixed sizes, so such a tensor cannot be part of one at all. Work on all " +
		"elements with a mask instead, or ask for a fixed number of positions.",
	Before: "rows = (score > 0).nonzero()",
	After:  "rows = torch.nonzero_static(score > 0, size=max_rows)",
	Fix:    "use torch.where with three arguments, a mask, or nonzero_static with a fixed size",
	Fine: []string{
		"`torch.where(cond, a, b)`: element by element, fixed shape",
		"`torch.nonzero_static(x, size=n)`",
		"`count_nonzero`: it returns one number on the device",
		"`np.nonzero` and `.nonzero()` of arrays, CPU tensors and other classes",
	},
	Torch: "measured on an H200, torch 2.11: one wait per call; nonzero_static none",
	Calls: append(torchop.Family("nonzero"), "torch.where"),
	Call: func(p *checks.Pass, c *checks.Call) {
		v := c.Subject()
		if c.Name == "torch.where" {
			if n, star := c.Positional(); n != 1 || star || len(c.Args) != 1 {
				return
			}
			v = c.Value(0, "condition")
		}
		if v.MayBeOnDevice() {
			p.Report(c.Node, v, "{expr} counts the true elements on the host and waits for the stream")
		}
	},
}
