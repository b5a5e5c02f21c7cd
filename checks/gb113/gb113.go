// Package gb113 is rule GB113, d2h-pageable-nonblocking: asks for an asynchronous copy into memory that cannot take
// one.
package gb113

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB113.
var Rule = &checks.Rule{
	ID: "GB113", Name: "d2h-pageable-nonblocking", Group: checks.GroupSync, Severity: finding.Error, Tier: 1, Static: true,
	Title: "asks for an asynchronous copy into memory that cannot take one",
	Text: "The device can write into host memory by itself only when the memory is page-locked (pinned) and without gaps. " +
		"Otherwise the driver goes through a buffer of its own and the call returns when all is copied: " +
		"`non_blocking=True` changes nothing. Newer torch refuses such a copy during capture, older torch records an " +
		"address that may be gone at replay.",
	Before: "host = torch.empty(n)\nhost.copy_(tokens, non_blocking=True)",
	After:  "host = torch.empty(n, pin_memory=True)  # once, at load time\nhost.copy_(tokens, non_blocking=True)",
	Fix:    "copy into a pinned, contiguous buffer that is allocated once",
	Fine: []string{
		"`.to(\"cpu\", non_blocking=True)`: torch allocates a pinned destination itself",
		"whole rows of a pinned tensor: `pinned[:n]`",
	},
	Torch: "torch's sync debug mode does not report it; torch 2.11 refuses it in a capture",
	Calls: []string{"Tensor.copy_"},
	Call: func(p *checks.Pass, c *checks.Call) {
		src := c.ParamValue("src")
		if on, known := c.NonBlocking(); !on || !known || !src.OnDevice() {
			return
		}
		switch {
		case c.Recv.Pageable():
			p.Report(c.Node, src, "the destination is not pinned: the copy blocks although it says non_blocking")
		case c.Recv.Pinned() && c.Recv.NonDense:
			p.Report(c.Node, src, "the destination has gaps: the copy goes through a pageable temporary and blocks")
		}
	},
}
