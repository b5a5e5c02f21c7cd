// Package gb409 is rule GB409, iterate-device-tensor: iterates over a device tensor.
package gb409

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB409.
var Rule = &checks.Rule{
	ID: "GB409", Name: "iterate-device-tensor", Group: checks.GroupControl, Severity: finding.Info, Tier: 2, Static: true,
	Title: "iterates over a device tensor",
	Text: "Iterating makes one view per row and reads nothing, so it neither waits nor breaks a capture. It does run the " +
		"body once per row with launches of its own, and as soon as a row is used as a number there is a wait. One " +
		"operation on the whole tensor is usually there.",
	Before: "ys = [layer(row) for row in x]",
	After:  "ys = layer(x)",
	Fix:    "work on the whole tensor at once",
	Fine: []string{
		"`len(t)`, `range(t.shape[0])`",
		"iterating over lists of tensors, `chunk`, `unbind` and `split` with host sizes",
	},
	Torch: "measured on an H200, torch 2.11: no wait for iterating and unpacking",
	Iterate: func(p *checks.Pass, it *checks.Iterate) {
		switch it.Kind {
		case checks.IterFor, checks.IterComp, checks.IterUnpack:
		case checks.IterCall:
			switch it.Call {
			case "builtins.list", "builtins.tuple", "builtins.enumerate", "builtins.zip":
			default:
				return
			}
		default:
			return
		}
		if v := it.Value; v.OnDevice() && v.Sure == checks.Likely {
			p.Report(it.Node, it.Value, "iterating over the device tensor {expr} runs the body once per row")
		}
	},
}
