// Package gb306 is rule GB306, resize-or-rebind-storage: replaces the memory of a tensor in the step.
package gb306

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB306.
var Rule = &checks.Rule{
	ID: "GB306", Name: "resize-or-rebind-storage", Group: checks.GroupAlloc, Severity: finding.Error, Tier: 2, Static: true,
	Title: "replaces the memory of a tensor in the step",
	Text: "A CUDA graph replays with the addresses it was captured with. `resize_`, `set_` and an assignment to `.data` " +
		"give a tensor new memory under the same name: the graph goes on reading and writing the old memory, which may " +
		"belong to something else by then.",
	Before: "self.buf.resize_(n)",
	After:  "view = self.buf[:n]  # buf has the full capacity",
	Fix:    "allocate the full capacity once and copy into place",
	Fine: []string{
		"a tensor made on the spot: `torch.empty(0, device=dev).set_(storage)`",
		"loading weights before a capture",
		"`t.copy_(new)`: the memory stays",
	},
	Torch: "read from the sources",
	Calls: torchop.Family("storage"),
	Call: func(p *checks.Pass, c *checks.Call) {
		if f, ok := c.Node.Func.(*pyast.Attr); ok {
			if _, fresh := f.X.(*pyast.Call); fresh {
				return // a tensor made on the spot: no graph knows it yet
			}
		}
		if c.Recv.DeviceTensor() && !p.MadeHere(c.Node) {
			p.Report(c.Node, c.Recv, "{expr} gives the tensor new memory: a graph goes on using the old")
		}
	},
	AttrStore: func(p *checks.Pass, s *checks.AttrStore) {
		if s.Name == "data" && s.Op == "" && s.Recv.DeviceTensor() {
			p.Report(s.Node, s.Recv, "{expr} gives the tensor new memory: a graph goes on using the old")
		}
	},
}
