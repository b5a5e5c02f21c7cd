// Package gb209 is rule GB209, slice-with-device-bound: slices with a bound that is a device tensor.
package gb209

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB209.
var Rule = &checks.Rule{
	ID: "GB209", Name: "slice-with-device-bound", Group: checks.GroupShape, Severity: finding.Error, Tier: 1, Static: true,
	Title: "slices with a bound that is a device tensor",
	Text: "The bounds of a slice are Python numbers. A device tensor in their place is read with `.item()`, one wait per " +
		"bound, and the length of the slice then depends on the data: a graph would keep the length of the step that " +
		"was captured.",
	Before: "out[lo:hi] = y[lo:hi]  # lo, hi = offsets[j], offsets[j + 1]",
	After:  "out = torch.where((rows >= lo) & (rows < hi), y, out)",
	Fix:    "select with an index tensor (index_select) or a mask of fixed shape",
	Fine: []string{
		"`x[:n]` with a number, `x[: t.shape[0]]`",
		"bounds from CPU tensors",
		"`x[idx]` with an index tensor: a gather",
	},
	Torch: "measured on an H200, torch 2.11: one wait per bound, 0-d or one element",
	Over:  []string{"GB101", "GB105"},
	Load:  func(p *checks.Pass, l *checks.Load) { bounds(p, l.Index) },
	Store: func(p *checks.Pass, s *checks.Store) { bounds(p, s.Index) },
}

func bounds(p *checks.Pass, index []checks.Index) {
	for _, ix := range index {
		for _, b := range []*checks.Value{ix.Lo, ix.Hi, ix.Step} {
			if b.DeviceTensor() {
				p.Report(ix.Node, b, "a bound of the slice {expr} is a device tensor: it is read on the host, which waits")
				break
			}
		}
	}
}
