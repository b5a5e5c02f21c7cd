// Package gb102 is rule GB102, tensor-tolist: turns a device tensor into Python lists.
package gb102

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB102.
var Rule = &checks.Rule{
	ID: "GB102", Name: "tensor-tolist", Group: checks.GroupSync, Severity: finding.Error, Tier: 1, Static: true,
	Title: "turns a device tensor into Python lists",
	Text: "A Python list holds host numbers, so the whole tensor is copied to the host and the host waits for all work " +
		"queued before the copy. The numbers then usually decide sizes or loops, so that the work that follows differs " +
		"from step to step and no graph can hold it. During capture the copy raises.",
	Before: "parts = torch.split(x, counts.tolist())",
	After:  "y = grouped_matmul(x, w, offsets)  # the kernel reads the counts on the device",
	Fix:    "pass the tensor on, or keep the numbers that the host needs in a host copy made before the step",
	Fine: []string{
		"`.tolist()` of NumPy arrays, CPU tensors and shapes",
		"detokenising and other work after the step",
	},
	Torch: "measured on an H200, torch 2.11: one wait per call",
	Calls: append(torchop.Family("tolist"), "builtins.map"),
	Call: func(p *checks.Pass, c *checks.Call) {
		if c.Name == "builtins.map" {
			mapOverTensor(p, c)
			return
		}
		if v := c.Subject(); v.MayBeOnDevice() && len(c.Args) <= 1 {
			p.Report(c.Node, v, "`.tolist()` copies the whole tensor to the host and waits for the stream")
		}
	},
}

// mapOverTensor sees map(int, t) and map(float, t): one read per element.
func mapOverTensor(p *checks.Pass, c *checks.Call) {
	f, ok := c.Arg(0, "")
	if !ok || f.Value == nil || f.Value.Kind != checks.KindExternal {
		return
	}
	switch f.Value.Name {
	case "builtins.int", "builtins.float", "builtins.bool":
	default:
		return
	}
	if v := c.Value(1, ""); v.DeviceTensor() {
		p.Report(c.Node, v, "`map("+nameOf(f.Node)+", …)` reads every element of the tensor, with one wait each")
	}
}

func nameOf(e pyast.Expr) string {
	if n, ok := e.(*pyast.Name); ok {
		return n.ID
	}
	return "int"
}
