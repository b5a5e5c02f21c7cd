// Package gb203 is rule GB203, unique-family: asks for the distinct values of a tensor.
package gb203

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB203.
var Rule = &checks.Rule{
	ID: "GB203", Name: "unique-family", Group: checks.GroupShape, Severity: finding.Error, Tier: 2, Static: true,
	Title: "asks for the distinct values of a tensor",
	Text: "How many distinct values there are is known only after the device has sorted and counted them; the count is " +
		"copied to the host, which waits. The shape of everything after it differs from step to step, so no graph can " +
		"replay it.",
	Before: "experts = topk_ids.unique()",
	After:  "active = self.active.zero_().index_fill_(0, topk_ids.view(-1), 1)  # one flag per expert, made once",
	Fix:    "keep one flag or counter per possible value (scatter into a fixed buffer)",
	Fine: []string{
		"`np.unique`, pandas and sets of Python values",
		"`torch.isin` with a few test elements",
	},
	Torch: "measured on an H200, torch 2.11: one wait; three with dim=, which torch's sync debug mode does not report",
	Calls: torchop.Family("unique"),
	Call: func(p *checks.Pass, c *checks.Call) {
		if v := c.Subject(); v.DeviceTensor() {
			p.Report(c.Node, v, "{expr} counts the distinct values on the host and waits for the stream")
		}
	},
}
