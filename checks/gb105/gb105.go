// Package gb105 is rule GB105, scalar-cast: converts a device tensor to a Python number.
package gb105

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB105.
var Rule = &checks.Rule{
	ID: "GB105", Name: "scalar-cast", Group: checks.GroupSync, Severity: finding.Error, Tier: 1, Static: true,
	Title: "converts a device tensor to a Python number",
	Text: "`int(t)`, `float(t)` and `bool(t)` look like arithmetic and are `.item()` in disguise: the value is copied to " +
		"the host, which waits for all queued work. The functions of `math` and `operator.index` do the same with a " +
		"tensor. During the capture of a CUDA graph there is no value yet and the capture fails.",
	Before: "if float(self.q_scale) != 1.0:",
	After:  "if self.q_scale_host != 1.0:  # a Python number kept beside the tensor",
	Fix:    "use the tensor operation (torch.sqrt, .long()), or keep a host copy of a value that is known at load time",
	Fine: []string{
		"`int(x.shape[0])`, `float(cfg.eps)`: host values",
		"casts of CPU tensors and NumPy values",
		"`.int()`, `.float()`, `.long()`: changes of dtype that stay on the device",
	},
	Torch: "measured on an H200, torch 2.11: one wait per call",
	Calls: torchop.Family("scalar-cast"),
	Call: func(p *checks.Pass, c *checks.Call) {
		if c.Recv != nil {
			if c.Recv.DeviceTensor() {
				p.Report(c.Node, c.Recv, "{expr} reads a device value on the host and waits for the stream")
			}
			return
		}
		for _, a := range c.Args {
			if a.Star == 0 && a.Value.DeviceTensor() {
				p.Report(c.Node, a.Value, "{expr} reads a device value on the host and waits for the stream")
				return
			}
		}
	},
}
