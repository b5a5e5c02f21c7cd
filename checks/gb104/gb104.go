// Package gb104 is rule GB104, tensor-to-numpy: hands device data to NumPy.
package gb104

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB104.
var Rule = &checks.Rule{
	ID: "GB104", Name: "tensor-to-numpy", Group: checks.GroupSync, Severity: finding.Error, Tier: 1, Static: true,
	Title: "hands device data to NumPy",
	Text: "NumPy works on host memory. Giving it a device tensor copies the tensor over and waits for the stream, even " +
		"where the source shows no copy, as in `np.asarray(t)` or `np.max(t)`. Plain `.numpy()` on a device tensor " +
		"raises. The mathematics that follows runs on the host and is no part of any graph.",
	Before: "order = np.argsort(np.asarray(scores))",
	After:  "order = torch.argsort(scores)",
	Fix:    "do the computation in torch on the device",
	Fine: []string{
		"`.numpy()` of a CPU tensor, which shares its memory",
		"`torch.from_numpy`, which is the other direction",
		"NumPy on NumPy arrays and Python lists",
	},
	Torch: "measured on an H200, torch 2.11: np.asarray and .numpy(force=True) wait once each",
	Calls: torchop.Family("to-numpy"),
	Call: func(p *checks.Pass, c *checks.Call) {
		if c.Recv != nil {
			if c.Recv.DeviceTensor() {
				opts := []checks.ReportOption{}
				if !c.Value(-1, "force").True() { // a tensor that really is on the device raises: it is elsewhere
					opts = append(opts, checks.WithConfidence(finding.Possible))
				}
				p.Report(c.Node, c.Recv, "`.numpy()` needs the device data on the host", opts...)
			}
			return
		}
		for _, a := range c.Args {
			if a.Name != "" || a.Star > 0 {
				continue
			}
			if v, ok := a.Value.HoldsDevice(); ok {
				p.Report(c.Node, v, "NumPy copies the device tensor to the host and waits for the stream")
				return
			}
		}
	},
}
