// Package gb507 is rule GB507, gapped-pinned-copy: copies asynchronously from a pinned tensor with gaps.
package gb507

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB507.
var Rule = &checks.Rule{
	ID: "GB507", Name: "gapped-pinned-copy", Group: checks.GroupTransfer, Severity: finding.Warn, Tier: 2, Static: true,
	Title: "copies asynchronously from a pinned tensor with gaps",
	Text: "A slice such as `pinned[:, :k]` leaves gaps between its rows. The driver cannot copy that in one piece, so torch " +
		"first packs it into ordinary memory, and the copy is no longer asynchronous. A capture refuses it.",
	Before: "ids.copy_(pinned[:, :k], non_blocking=True)",
	After:  "ids.copy_(pinned_k, non_blocking=True)  # a pinned buffer of exactly this shape",
	Fix:    "copy whole contiguous rows, or make the pinned buffer exactly as large as the copy",
	Fine: []string{
		"`pinned[:n]` of contiguous rows",
		"the whole pinned tensor",
	},
	Torch: "measured on an H200, torch 2.11: capture raises for a pinned slice with gaps and for a transposed one",
	Calls: []string{"Tensor.to", "Tensor.cuda", "Tensor.copy_"},
	Call: func(p *checks.Pass, c *checks.Call) {
		if on, known := c.NonBlocking(); !on || !known {
			return
		}
		src, to := c.Recv, c.Result
		if c.Name == "Tensor.copy_" {
			src, to = c.ParamValue("src"), c.Recv
		}
		if src.Pinned() && src.NonDense && to.OnDevice() {
			p.Report(c.Node, src, "the pinned source has gaps: the copy goes through pageable memory")
		}
	},
}
