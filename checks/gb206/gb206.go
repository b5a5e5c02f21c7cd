// Package gb206 is rule GB206, one-hot-infer-classes: lets one_hot find the number of classes in the data.
package gb206

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB206.
var Rule = &checks.Rule{
	ID: "GB206", Name: "one-hot-infer-classes", Group: checks.GroupShape, Severity: finding.Error, Tier: 2, Static: true,
	Title: "lets one_hot find the number of classes in the data",
	Text: "Without `num_classes`, `one_hot` reads the largest index on the host to know how wide the result is. The wait " +
		"costs a step its pipelining, and the width may change from step to step. The number of classes is nearly " +
		"always a constant of the model.",
	Before: "mask = F.one_hot(expert_ids)",
	After:  "mask = F.one_hot(expert_ids, num_classes=n_experts)",
	Fix:    "pass num_classes",
	Fine: []string{
		"`F.one_hot(x, n)`, `F.one_hot(x, num_classes=n)`",
		"one_hot of CPU tensors",
	},
	Torch: "measured on an H200, torch 2.11: one wait without num_classes, none with it",
	Calls: torchop.Family("one-hot"),
	Call: func(p *checks.Pass, c *checks.Call) {
		v := c.Subject()
		if !v.DeviceTensor() {
			return
		}
		if a, given := c.Param("num_classes"); given {
			if n, known := a.Value.Int(); !known || n != -1 {
				return
			}
		} else if c.Has("num_classes") {
			return
		}
		p.Report(c.Node, v, "{expr} reads the largest index on the host and waits for the stream")
	},
}
