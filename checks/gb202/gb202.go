// Package gb202 is rule GB202, bool-mask-select: reads the elements that a boolean mask selects.
package gb202

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB202.
var Rule = &checks.Rule{
	ID: "GB202", Name: "bool-mask-select", Group: checks.GroupShape, Severity: finding.Error, Tier: 1, Static: true,
	Title: "reads the elements that a boolean mask selects",
	Text: "`x[mask]` has as many elements as the mask has true ones, so torch first runs `nonzero` on the mask and waits " +
		"for the count. In-place arithmetic, `x[mask] *= y`, reads such a selection too. Writing a plain number through " +
		"a mask is different: that is a masked fill of fixed shape and waits for nothing.",
	Before: "logits[logits > 0] /= penalty",
	After:  "logits = torch.where(logits > 0, logits / penalty, logits)",
	Fix:    "compute for all elements and pick with torch.where(mask, a, b)",
	Fine: []string{
		"`x[mask] = 3`, `x.masked_fill_(mask, 3)`: a fill, no count",
		"`x[idx]` with an integer index tensor on the device: a gather of fixed shape",
		"masks on the host over host tensors",
	},
	Torch: "measured on an H200, torch 2.11: one wait per selection",
	Calls: torchop.Family("mask-select"),
	Call: func(p *checks.Pass, c *checks.Call) {
		if v := c.Subject(); v.DeviceTensor() {
			p.Report(c.Node, v, "{expr} counts the selected elements on the host and waits for the stream")
		}
	},
	Load: func(p *checks.Pass, l *checks.Load) {
		if !l.Base.MayBeOnDevice() {
			return
		}
		for _, ix := range l.Index {
			if ix.Value.IsBool() && ix.Value.MayBeOnDevice() {
				p.Report(l.Node, ix.Value, "selecting with a mask counts its true elements on the host and waits for the stream",
					checks.AtMost(l.Base))
				return
			}
		}
	},
}
