// Package gb109 is rule GB109, legacy-cpu-type-cast: casts to an old type name that means a CPU tensor.
package gb109

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB109.
var Rule = &checks.Rule{
	ID: "GB109", Name: "legacy-cpu-type-cast", Group: checks.GroupSync, Severity: finding.Error, Tier: 2, Static: true,
	Title: "casts to an old type name that means a CPU tensor",
	Text: "`torch.LongTensor` and its relatives from the first years of torch name a dtype and a place: the CPU. Casting a " +
		"device tensor to one copies it to the host with a wait. `torch.long` names the dtype only.",
	Before: "idx = idx.type(torch.LongTensor)",
	After:  "idx = idx.to(torch.long)",
	Fix:    "name the dtype: .to(torch.long)",
	Fine: []string{
		"`t.type(torch.long)`, `t.long()`: a change of dtype on the device",
		"`t.type()` without an argument: it returns a name",
	},
	Torch: "measured on an H200, torch 2.11: one wait per call",
	Calls: torchop.Family("legacy-cpu"),
	Call: func(p *checks.Pass, c *checks.Call) {
		const message = "{expr} makes a CPU tensor: it copies to the host and waits for the stream"
		if c.Recv == nil {
			if v := c.Value(0, "data"); v.DeviceTensor() {
				p.Report(c.Node, v, message)
			}
			return
		}
		to := c.Value(0, "dtype")
		if to == nil || !c.Recv.DeviceTensor() {
			return
		}
		name, ok := to.Str()
		if !ok {
			name = to.Name
		}
		if strings.HasPrefix(name, "torch.") && strings.HasSuffix(name, "Tensor") &&
			!strings.HasPrefix(name, "torch.cuda.") {
			p.Report(c.Node, c.Recv, message)
		}
	},
}
