// Package gb111 is rule GB111, tensor-format: turns a device tensor into text.
package gb111

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB111.
var Rule = &checks.Rule{
	ID: "GB111", Name: "tensor-format", Group: checks.GroupSync, Severity: finding.Error, Tier: 1, Static: true,
	Title: "turns a device tensor into text",
	Text: "Text is made on the host, so printing or formatting a tensor first copies its values over, with a wait for each " +
		"copy. Printing a matrix does it more than a hundred times: torch looks for the largest value, for integers, " +
		"for NaN, to choose a number format. Inside a capture the first of these reads fails.",
	Before: "logger.info(\"scale %s\", self.scale)",
	After:  "logger.info(\"scale of shape %s\", tuple(self.scale.shape))",
	Fix:    "log the shape, or log the values after the step",
	Fine: []string{
		"`f\"{t.shape}\"`, `f\"{t.dtype}\"`: metadata of the host",
		"arguments of `logger.debug`, which is off in production and formats lazily",
		"prints under a guard that is off in production, such as `if VERBOSE >= 2`",
	},
	Torch: "measured on an H200, torch 2.11: 134 waits to print a matrix, 14 for a small parameter, one for a 0-d tensor",
	Format: func(p *checks.Pass, f *checks.Format) {
		if f.Kind == checks.FormatLog && f.Level == "debug" {
			return
		}
		v := f.Value
		if !v.DeviceTensor() {
			var ok bool
			if v, ok = v.HoldsDevice(); !ok {
				return
			}
		}
		p.Report(f.Node, v, "formatting a device tensor copies its values to the host, with a wait for each copy")
	},
}
