// Package gb503 is rule GB503, index-assign-scalar: writes a Python number through an index tensor.
package gb503

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB503.
var Rule = &checks.Rule{
	ID: "GB503", Name: "index-assign-scalar", Group: checks.GroupTransfer, Severity: finding.Error, Tier: 2, Static: true,
	Title: "writes a Python number through an index tensor",
	Text: "torch wraps the number in a CPU tensor and moves it to the device with a blocking copy before it writes, one wait " +
		"per assignment. `index_fill_` takes the number as an argument of its kernel and waits for nothing. Through a " +
		"boolean mask the same assignment is a fill and fine.",
	Before: "x[idx] = 0",
	After:  "x.index_fill_(0, idx, 0)",
	Fix:    "use index_fill_(dim, idx, value), or a value that is a device tensor",
	Fine: []string{
		"`x[mask] = 0` with a boolean mask",
		"`x[idx] = device_tensor`, `x[idx] += 1`",
		"`index_fill_`, `scatter_` with a number",
	},
	Torch: "measured on an H200, torch 2.11: one wait; index_fill_ and scatter_ with a number none",
	Store: func(p *checks.Pass, s *checks.Store) {
		if s.Op != "" || !s.Value.IsNumber() || !s.Base.DeviceTensor() {
			return
		}
		for _, ix := range s.Index {
			v := ix.Value
			if !v.OnDevice() || v.IsBool() || v.DType == checks.DTypeFloat {
				continue
			}
			if !v.IsInt() { // an index, or a mask
				p.Report(s.Node, v, "writing a number through an index tensor copies it to the device and waits, if it is no mask",
					checks.WithConfidence(finding.Possible))
				return
			}
			if d, known := v.Dim(); !known || d > 0 {
				p.Report(s.Node, v, "writing a number through an index tensor copies it to the device and waits for the stream",
					checks.AtMost(s.Base))
				return
			}
		}
	},
}
