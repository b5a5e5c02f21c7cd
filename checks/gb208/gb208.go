// Package gb208 is rule GB208, split-by-device-counts: splits a tensor by counts that live on the device.
package gb208

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB208.
var Rule = &checks.Rule{
	ID: "GB208", Name: "split-by-device-counts", Group: checks.GroupShape, Severity: finding.Error, Tier: 1, Static: true,
	Title: "splits a tensor by counts that live on the device",
	Text: "Splitting makes host objects, one per part, so the counts must be on the host: they are copied over with a wait, " +
		"and each part then gets launches of its own whose number and size follow the data. Grouped kernels take the " +
		"counts or offsets as a device tensor and leave the shapes alone.",
	Before: "parts = torch.split(x, tokens_per_expert.tolist())",
	After:  "y = torch._grouped_mm(x, w, offs=offsets)",
	Fix:    "use a grouped kernel that reads offsets on the device, or pad every group to a fixed capacity",
	Fine: []string{
		"splits by numbers that the host knows: `torch.split(x, [q, k, v], -1)`",
		"`chunk(2)`, `unbind()`",
	},
	Torch: "measured on an H200, torch 2.11: one wait for the counts",
	Over:  []string{"GB101", "GB102", "GB103", "GB104", "GB105"},
	Calls: torchop.Family("split"),
	Call: func(p *checks.Pass, c *checks.Call) {
		for _, a := range c.Operands() {
			v := a.Value
			if call, ok := a.Node.(*pyast.Call); ok && !v.DeviceTensor() {
				v = tolistOf(p, call)
			}
			if !v.DeviceTensor() {
				var held bool
				if v, held = a.Value.HoldsDevice(); !held {
					continue
				}
			}
			p.Report(a.Node, v, "the split sizes come from the device: they are copied to the host, which waits")
			return
		}
	},
}

// tolistOf returns t of t.tolist() when it is a tensor.
func tolistOf(p *checks.Pass, c *pyast.Call) *checks.Value {
	if f, ok := c.Func.(*pyast.Attr); ok && f.Name == "tolist" {
		return p.Value(f.X)
	}
	return nil
}
