// Package gb110 is rule GB110, tensor-equality-to-bool: compares whole tensors and returns a Python bool.
package gb110

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB110.
var Rule = &checks.Rule{
	ID: "GB110", Name: "tensor-equality-to-bool", Group: checks.GroupSync, Severity: finding.Error, Tier: 1, Static: true,
	Title: "compares whole tensors and returns a Python bool",
	Text: "`torch.equal` and `torch.allclose` reduce the comparison on the device and then read the answer on the host, " +
		"with a wait. Their answer decides a host branch, which a graph cannot replay. The comparisons that return a " +
		"tensor (`eq`, `isclose`) stay on the device.",
	Before: "if not torch.equal(ids, last_ids):\n    refresh(ids)",
	After:  "changed = (ids != last_ids).any()  # a device value, used with torch.where",
	Fix:    "use torch.isclose(…).all() or (a == b).all() and keep the result on the device",
	Fine: []string{
		"`torch.eq`, `torch.isclose`, `a == b`: they return a tensor",
		"`is_same_size`, comparisons of shapes",
		"tests and checks that no step reaches",
	},
	Torch: "torch 2.11 on an H200: allclose waits once; equal waits unless a tensor is compared with itself",
	Calls: torchop.Family("equality"),
	Call: func(p *checks.Pass, c *checks.Call) {
		vs := []*checks.Value{c.Subject()}
		if other, ok := c.Operand(0, "other"); ok {
			vs = append(vs, other.Value)
		}
		for _, v := range vs {
			if v.DeviceTensor() {
				p.Report(c.Node, v, "{expr} reads the outcome of the comparison on the host and waits for the stream")
				return
			}
		}
	},
}
