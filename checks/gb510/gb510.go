// Package gb510 is rule GB510, cpu-scalar-tensor-operand: mixes a CPU tensor without dimensions into device work.
package gb510

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB510.
var Rule = &checks.Rule{
	ID: "GB510", Name: "cpu-scalar-tensor-operand", Group: checks.GroupTransfer, Severity: finding.Warn, Tier: 2, Static: true,
	Title: "mixes a CPU tensor without dimensions into device work",
	Text: "Most operations take a 0-d CPU tensor as if it were a number. `torch.where` and `index_put_` do not: they copy it " +
		"to the device and wait. A plain Python number in the same place is free. Where it is taken as a number, a " +
		"graph keeps the value it had at capture.",
	Before: "y = torch.where(mask, x, torch.tensor(0.0))",
	After:  "y = torch.where(mask, x, 0.0)",
	Fix:    "write the Python number, or keep a 0-d tensor on the device",
	Fine: []string{
		"`x * torch.tensor(0.5)`, `fill_`, `masked_fill_` with a 0-d CPU tensor: no wait",
		"`torch.where(mask, x, 0.0)`",
	},
	Torch: "measured on an H200, torch 2.11: one wait in where and index_put_, none in arithmetic, fill_ and masked_fill_",
	Calls: []string{"torch.where", "Tensor.where", "Tensor.index_put_"},
	Call: func(p *checks.Pass, c *checks.Call) {
		device := false
		var cpu *checks.Value
		look := func(v *checks.Value) {
			device = device || v.OnDevice()
			if v.OnCPU() {
				if d, known := v.Dim(); known && d == 0 {
					cpu = v
				}
			}
		}
		look(c.Recv)
		for _, a := range c.Args {
			look(a.Value)
		}
		if device && cpu != nil {
			p.Report(c.Node, cpu, "a 0-d CPU tensor in {expr} is copied to the device, which waits",
				checks.WithSeverity(finding.Error))
		}
	},
}
