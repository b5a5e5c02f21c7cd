// Package gb402 is rule GB402, while-on-device-value: loops for as long as a device value says.
package gb402

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB402.
var Rule = &checks.Rule{
	ID: "GB402", Name: "while-on-device-value", Group: checks.GroupControl, Severity: finding.Error, Tier: 1, Static: true,
	Title: "loops for as long as a device value says",
	Text: "The condition is read on the host in every turn of the loop, with a wait each time. The number of turns follows " +
		"the data, and a graph can only hold a fixed number of launches. Loop a fixed number of times and mask what is " +
		"finished.",
	Before: "while err > tol:\n    m, err = normalize(m)",
	After:  "for _ in range(20):\n    m = normalize(m)",
	Fix:    "loop a fixed number of times; mask the elements that are done",
	Fine: []string{
		"loops over host counters",
		"a fixed number of iterations, as in a Sinkhorn of 20 rounds",
	},
	Torch: "measured on an H200, torch 2.11: one wait per turn",
	Truth: func(p *checks.Pass, t *checks.Truth) {
		if t.Kind == checks.TruthWhile && t.Value.DeviceTensor() {
			p.Report(t.Node, t.Value, "the loop condition {expr} is read on the host in every turn, with a wait each time")
		}
	},
}
