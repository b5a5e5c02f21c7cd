// Package gb509 is rule GB509, host-copy-source-dies: copies asynchronously from a host tensor that nobody keeps.
package gb509

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB509.
var Rule = &checks.Rule{
	ID: "GB509", Name: "host-copy-source-dies", Group: checks.GroupTransfer, Severity: finding.Error, Tier: 2, Static: true,
	Title: "copies asynchronously from a host tensor that nobody keeps",
	Text: "An asynchronous copy in a graph keeps the address of its source and not the source. A pinned tensor made on the " +
		"spot is freed after the expression, its memory is given to something else, and every replay copies whatever " +
		"lies there then. Keep the source in the object that owns the graph.",
	Before: "n = torch.tensor(count, pin_memory=True).to(dev, non_blocking=True)",
	After:  "self.pinned_n.fill_(count)\nself.n.copy_(self.pinned_n, non_blocking=True)",
	Fix:    "keep the pinned source for as long as the graph lives, and refill it",
	Fine: []string{
		"copies from a pinned buffer that an object holds",
		"blocking copies: the source is read before the call returns",
	},
	Torch: "read from the sources and NVIDIA's guide",
	Calls: []string{"Tensor.to", "Tensor.cuda", "Tensor.copy_"},
	Call: func(p *checks.Pass, c *checks.Call) {
		if on, known := c.NonBlocking(); !on || !known {
			return
		}
		src, to, node := c.Recv, c.Result, pyast.Expr(nil)
		if f, ok := c.Node.Func.(*pyast.Attr); ok {
			node = f.X
		}
		if c.Name == "Tensor.copy_" {
			a, _ := c.Param("src")
			src, to, node = a.Value, c.Recv, a.Node
		}
		if src.Pinned() && to.OnDevice() && temporary(node) {
			p.Report(c.Node, src, "the pinned source is freed after this expression: a replay copies from its old address")
		}
	},
}

// temporary reports whether e makes a tensor that no variable holds.
func temporary(e pyast.Expr) bool {
	call, ok := e.(*pyast.Call)
	if !ok {
		return false
	}
	for _, a := range call.Args {
		if a.Name == "pin_memory" {
			return true
		}
	}
	f, ok := call.Func.(*pyast.Attr)
	return ok && f.Name == "pin_memory"
}
