// Package gb211 is rule GB211, masked-assign-tensor-value: writes a device tensor through a mask.
package gb211

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB211.
var Rule = &checks.Rule{
	ID: "GB211", Name: "masked-assign-tensor-value", Group: checks.GroupShape, Severity: finding.Error, Tier: 2, Static: true,
	Title: "writes a device tensor through a mask",
	Text: "A plain number through a mask is a fill and free. A device tensor is not: `masked_fill_` reads its value as a " +
		"number, `x[mask] = t` counts the true elements first. Both wait. `torch.where` takes tensors and numbers alike " +
		"and waits for nothing.",
	Before: "y.masked_fill_(mask, floor)  # floor = x.amin()",
	After:  "y = torch.where(mask, floor, y)",
	Fix:    "use torch.where(mask, value, x)",
	Fine: []string{
		"`x[mask] = 3`, `x.masked_fill_(mask, float(\"-inf\"))`",
		"a 0-d CPU tensor as the value of `masked_fill_`",
		"`masked_scatter_`: it does not wait",
	},
	Torch: "measured on an H200, torch 2.11: one wait with a device value, none with a number or a 0-d CPU tensor",
	Calls: torchop.Family("masked-value"),
	Call: func(p *checks.Pass, c *checks.Call) {
		if v := c.ParamValue("value"); v.DeviceTensor() {
			p.Report(c.Node, v, "the value of `masked_fill` is a device tensor: it is read on the host, which waits")
		}
	},
	Store: func(p *checks.Pass, s *checks.Store) {
		if s.Op != "" || !s.Base.MayBeOnDevice() || !s.Value.DeviceTensor() {
			return
		}
		for _, ix := range s.Index {
			if ix.Value.IsBool() && ix.Value.MayBeOnDevice() {
				p.Report(s.Node, s.Value, "writing a tensor through a mask counts the true elements on the host and waits",
					checks.AtMost(ix.Value), checks.AtMost(s.Base))
				return
			}
		}
	},
}
