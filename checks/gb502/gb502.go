// Package gb502 is rule GB502, element-assign-scalar: assigns a Python number to one element of a device tensor.
package gb502

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB502.
var Rule = &checks.Rule{
	ID: "GB502", Name: "element-assign-scalar", Group: checks.GroupTransfer, Severity: finding.Error, Tier: 1, Static: true,
	Title: "assigns a Python number to one element of a device tensor",
	Text: "torch wraps the number in a CPU tensor. When the place that is written is a single element, the shapes match and " +
		"the write becomes a copy from pageable host memory, for which the host waits. When the place is larger (a " +
		"slice, a row of a matrix) it becomes a fill on the device and is free. So `buf[0] = n` waits on a " +
		"one-dimensional tensor and not on a matrix.",
	Before: "token_buf[0] = token",
	After:  "token_buf[0:1].fill_(token)  # or token_buf.copy_(pinned, non_blocking=True)",
	Fix:    "fill a slice (buf[i:i+1].fill_(v)), or copy from a pinned buffer with non_blocking=True",
	Fine: []string{
		"`t[a:b] = 5`, `t[:] = 0`: fills",
		"`t[0] = 5` when `t` has two dimensions or more",
		"`t[0] = device_scalar`: a copy on the device",
		"elements of CPU tensors, lists and arrays",
	},
	Torch: "measured on an H200, torch 2.11: one wait for an element, none for a slice or a row",
	Store: func(p *checks.Pass, s *checks.Store) {
		if s.Op != "" || !s.Base.DeviceTensor() {
			return
		}
		if !s.Value.IsNumber() {
			return
		}
		n := 0
		for _, ix := range s.Index {
			if !ix.Value.IsNumber() {
				return
			}
			n++
		}
		rank, known := s.Base.Dim()
		switch {
		case known && rank == n:
			p.Report(s.Node, s.Base, "{expr} = number copies the number to the device and waits for the stream")
		case !known:
			p.Report(s.Node, s.Base, "{expr} = number copies the number to the device and waits, if this is a single element",
				checks.WithConfidence(finding.Possible))
		}
	},
}
