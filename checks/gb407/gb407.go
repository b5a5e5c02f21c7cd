// Package gb407 is rule GB407, convergence-loop: iterates until a device value is small enough.
package gb407

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB407.
var Rule = &checks.Rule{
	ID: "GB407", Name: "convergence-loop", Group: checks.GroupControl, Severity: finding.Error, Tier: 2, Static: true,
	Title: "iterates until a device value is small enough",
	Text: "The residual is computed on the device and tested on the host, with a wait in every turn, and the number of " +
		"turns follows the data. In decoding the problem has the same size every time: a fixed number of iterations " +
		"does, and costs less than the tests.",
	Before: "for _ in range(100):\n    y = update(x)\n    if (x - y).norm() < tol:\n        break",
	After:  "for _ in range(20):\n    x = update(x)",
	Fix:    "use a fixed number of iterations",
	Fine: []string{
		"a fixed number of iterations",
		"`break` on a host counter or flag",
	},
	Torch: "measured on an H200, torch 2.11: one wait per test",
	Over:  []string{"GB401"},
	Truth: func(p *checks.Pass, t *checks.Truth) {
		s, ok := t.Stmt.(*pyast.If)
		if !ok || t.Kind != checks.TruthIf || p.Loop() == 0 || !t.Value.DeviceTensor() {
			return
		}
		if checks.Breaks(s.Body) || checks.Breaks(s.Else) {
			p.Report(t.Node, t.Value, "the loop ends by {expr}, a device value: it is read on the host in every turn")
		}
	},
}
