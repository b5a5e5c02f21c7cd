// Package gb713 is rule GB713, pointer-array-stale: addresses of tensors become data that a graph reads.
package gb713

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB713.
var Rule = &checks.Rule{
	ID: "GB713", Name: "pointer-array-stale", Group: checks.GroupReplay, Severity: finding.Error, Tier: 1, Static: true,
	Title: "builds a list of tensor addresses in the step",
	Text: "A grouped kernel takes a tensor that holds the addresses of other tensors. Filling it in the step copies from the host " +
		"for which the device is waited for; and in a graph the addresses are those of the recording. Once a tensor behind them is " +
		"allocated anew the kernel reads and writes memory that belongs to something else. Built once, over tensors that stay, " +
		"such a list is as good in a graph as out of it.",
	Before: "ptrs = torch.tensor([w.data_ptr() for w in outs], device=\"cuda\")\ngrouped_gemm(ptrs, ...)",
	After:  "grouped_gemm(self.ptrs, ...)  # built once, over buffers that are kept",
	Fix:    "keep the operands in buffers and build the list of their addresses once, before the capture",
	Fine: []string{
		"building the list once: at load time, or under `if self.ptrs is None:`",
		"handing `x.data_ptr()` to a kernel as an argument: the graph keeps the address of its own tensor",
		"comparing addresses in an assertion",
	},
	Torch: "read from the sources; the copy to the device was measured to wait (GB501)",
	Over:  []string{"GB501", "GB502"},
	Calls: append(torchop.Family("from-python"), "Tensor.fill_"),
	Call: func(p *checks.Pass, c *checks.Call) {
		if p.FirstUse() || len(c.Args) == 0 || c.Args[0].Node == nil {
			return
		}
		if addresses(p, c.Args[0].Node) && (c.Result.IsTensor() || c.Result.IsUnknown()) {
			p.Report(c.Node, nil, "{expr} holds addresses of tensors: a graph goes on using those of the recording")
		}
	},
	Store: func(p *checks.Pass, s *checks.Store) {
		if s.Base.IsTensor() && s.ValueNode != nil && !p.FirstUse() && addresses(p, s.ValueNode) {
			p.Report(s.Node, s.Base, "{expr} gets the address of a tensor: a graph goes on using that of the recording")
		}
	},
}

// addresses reports whether e is made of x.data_ptr(), directly or through a list of the function.
func addresses(p *checks.Pass, e pyast.Expr) bool {
	if !p.Says("data_ptr") {
		return false
	}
	if takes(e) {
		return true
	}
	name, ok := e.(*pyast.Name)
	if !ok {
		return false
	}
	found := false
	region.Walk(p.Node(), func(n pyast.Node) {
		switch n := n.(type) {
		case *pyast.Assign:
			for _, t := range n.Targets {
				if id, ok := t.(*pyast.Name); ok && id.ID == name.ID {
					found = found || takes(n.Value)
				}
			}
		case *pyast.Call:
			recv, m := region.Method(n)
			if id, ok := recv.(*pyast.Name); ok && id.ID == name.ID && (m == "append" || m == "extend") && len(n.Args) == 1 {
				found = found || takes(n.Args[0].Value)
			}
		}
	})
	return found
}

// takes reports whether e contains a call of data_ptr as a value, not as what something is compared with.
func takes(e pyast.Expr) bool {
	found := false
	pyast.Walk(e, func(n pyast.Node) bool {
		switch n := n.(type) {
		case *pyast.Compare:
			return false
		case *pyast.Call:
			if _, name := region.Method(n); name == "data_ptr" || name == "untyped_data_ptr" {
				found = true
			}
		}
		return !found
	})
	return found
}
