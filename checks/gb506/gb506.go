// Package gb506 is rule GB506, pageable-nonblocking-h2d: asks for an asynchronous copy from memory that is not pinned.
package gb506

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB506.
var Rule = &checks.Rule{
	ID: "GB506", Name: "pageable-nonblocking-h2d", Group: checks.GroupTransfer, Severity: finding.Error, Tier: 1, Static: true,
	Title: "asks for an asynchronous copy from memory that is not pinned",
	Text: "The device can fetch by itself only from page-locked (pinned) memory. From ordinary memory the driver first " +
		"copies into a buffer of its own and may wait for the stream, whatever `non_blocking` says. In a capture newer " +
		"torch raises; older torch records the address of memory that may be gone at replay.",
	Before: "ids.copy_(torch.from_numpy(host_ids), non_blocking=True)",
	After:  "pinned_ids.numpy()[:] = host_ids  # pinned, made once\nids.copy_(pinned_ids, non_blocking=True)",
	Fix:    "stage the data in a pinned buffer that is allocated once",
	Fine: []string{
		"`pinned.to(dev, non_blocking=True)`",
		"`non_blocking=True` between device tensors, or to the host",
	},
	Torch: "measured on an H200, torch 2.11: capture raises; torch's sync debug mode does not report it",
	Calls: []string{"Tensor.to", "Tensor.cuda", "Tensor.copy_"},
	Call: func(p *checks.Pass, c *checks.Call) {
		if on, known := c.NonBlocking(); !on || !known {
			return
		}
		src, to := c.Recv, c.Result
		if c.Name == "Tensor.copy_" {
			src, to = c.ParamValue("src"), c.Recv
		}
		if src.Pageable() && to.OnDevice() {
			p.Report(c.Node, src, "the source is not pinned: the copy is not asynchronous and no graph can hold it")
		}
	},
}
