// Package gb609 is rule GB609, wrong-device-or-empty-graph: a capture in which nothing is captured.
package gb609

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB609.
var Rule = &checks.Rule{
	ID: "GB609", Name: "wrong-device-or-empty-graph", Group: checks.GroupStream, Severity: finding.Error, Tier: 1, Static: true,
	Title: "captures on a device or in a block where no work goes",
	Text: "A capture records one stream of one device. Work that goes to another device, or that the block does not contain at " +
		"all, is not in the graph. torch prints a warning when a graph is empty and goes on: the replay does nothing, quickly, " +
		"and everything reads what was left in the outputs at capture. It is the failure that looks most like a success.",
	Before: "x = torch.zeros(8, device=\"cuda:0\")\nwith torch.cuda.device(1), torch.cuda.graph(g):\n    y = x + 1",
	After:  "x = torch.zeros(8, device=\"cuda:0\")\nwith torch.cuda.device(x.device), torch.cuda.graph(g):\n    y = x + 1",
	Fix:    "capture on the device of the tensors, and check that the graph has nodes",
	Fine: []string{
		"a device that comes from a tensor, a rank or a configuration",
		"blocks that call anything at all: what it launches is seen at run time, not here",
	},
	Torch:    "read from CUDAGraph.cpp: an empty graph is a warning; the capture check counts the nodes",
	Mentions: []string{"graph", "capture_begin"},
	Setup:    true,
	Done: func(p *checks.Pass) {
		for _, c := range region.Captures(p) {
			switch {
			case !c.Ended:
			case empty(p, c.Body):
				p.Report(c.Call, nil, "{expr} captures a block without any work for the device: the graph is empty")
			default:
				elsewhere(p, &c)
			}
		}
	},
}

// empty reports whether nothing in the block can launch anything.
func empty(p *checks.Pass, body []pyast.Stmt) bool {
	busy := false
	for _, s := range body {
		region.Walk(s, func(n pyast.Node) {
			switch n := n.(type) {
			case *pyast.Call:
				busy = busy || !strings.HasPrefix(p.Callee(n), "builtins.")
			case *pyast.Binary, *pyast.AugAssign, *pyast.Subscript, *pyast.Compare, *pyast.Unary, *pyast.Yield, *pyast.Await:
				busy = true
			}
		})
	}
	return !busy
}

// elsewhere compares the device that is made current with the one that tensors of the function are put on, as far as both
// are written out.
func elsewhere(p *checks.Pass, c *region.Capture) {
	current := ""
	for _, w := range c.Around {
		for _, it := range w.Items {
			if call, ok := it.X.(*pyast.Call); ok && p.Callee(call) == "torch.cuda.device" {
				current = index(region.Arg(call, 0, "device"))
			}
		}
	}
	if current == "" {
		return
	}
	places := map[string]string{}
	region.Walk(p.Node(), func(n pyast.Node) {
		a, ok := n.(*pyast.Assign)
		if !ok || len(a.Targets) != 1 {
			return
		}
		if call, ok := a.Value.(*pyast.Call); ok {
			places[p.Text(a.Targets[0])] = index(region.Arg(call, -1, "device"))
		}
	})
	for _, s := range c.Body {
		region.Walk(s, func(n pyast.Node) {
			e, ok := n.(pyast.Expr)
			if !ok || region.Last(e) == "" {
				return
			}
			if on := places[p.Text(e)]; on != "" && on != current && p.Value(e).OnDevice() {
				p.Report(c.Call, p.Value(e), "the capture is on device "+current+" and `"+p.Text(e)+"` is on device "+on)
			}
		})
	}
}

// index is the number of a device that is written out: 1, "cuda:1".
func index(e pyast.Expr) string {
	c, ok := e.(*pyast.Const)
	switch {
	case !ok:
		return ""
	case c.Kind == pyast.ConstInt:
		return c.Text
	case c.Kind == pyast.ConstString && strings.HasPrefix(c.Text, "cuda:"):
		return strings.TrimPrefix(c.Text, "cuda:")
	}
	return ""
}
