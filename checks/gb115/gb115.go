// Package gb115 is rule GB115, checked-linalg: calls a linear algebra routine that checks its outcome on the host.
package gb115

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB115.
var Rule = &checks.Rule{
	ID: "GB115", Name: "checked-linalg", Group: checks.GroupSync, Severity: finding.Warn, Tier: 3, Static: true,
	Title: "calls a linear algebra routine that checks its outcome on the host",
	Text: "The solvers write a status code into device memory. The plain functions read it on the host to raise a proper " +
		"error, with a wait; the functions whose name ends in `_ex` return it as a tensor and read nothing. The " +
		"decompositions (`svd`, `eigh`, `pinv`, `matrix_rank`) wait about ten times per call whatever they are told.",
	Before: "inv = torch.inverse(gram)",
	After:  "inv = torch.linalg.inv_ex(gram).inverse",
	Fix:    "use the _ex form (inv_ex, solve_ex, cholesky_ex, lu_factor_ex) and check its info after the step",
	Fine: []string{
		"`*_ex` with its default `check_errors=False`",
		"`det`, `slogdet`, `qr`, `solve_triangular`: they read nothing",
		"linear algebra on CPU tensors",
	},
	Torch: "measured on an H200, torch 2.11: inv, solve, cholesky, lu_factor, lstsq one wait, eigh 10, svd and pinv 11",
	Calls: torchop.Family("linalg-check"),
	Call: func(p *checks.Pass, c *checks.Call) {
		v := c.Subject()
		if v == nil {
			v = c.Value(-1, "A")
		}
		if !v.DeviceTensor() {
			return
		}
		if op, ok := torchop.Lookup(c.Name); ok && op.Sync.When == torchop.IfFlag {
			if flag := c.Value(-1, op.Sync.Operands[0]); !flag.True() {
				return
			}
		}
		p.Report(c.Node, v, "{expr} reads the solver's status on the host and waits for the stream")
	},
}
