// Package gb101 is rule GB101, tensor-item: reads one device value into a Python number.
package gb101

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB101.
var Rule = &checks.Rule{
	ID: "GB101", Name: "tensor-item", Group: checks.GroupSync, Severity: finding.Error, Tier: 1, Static: true,
	Title: "reads one device value into a Python number",
	Text: "The device works through a queue that the host fills ahead of it. To hand out a Python number, `.item()` " +
		"copies the value to the host and waits until everything queued before it is done: the queue runs dry, once " +
		"per layer and token. During the capture of a CUDA graph the value does not exist yet, so the capture fails.",
	Before: "peak = max(peak, x.abs().max().item())",
	After:  "torch.maximum(peak, x.abs().max(), out=peak)  # peak is a 0-d tensor on the device",
	Fix:    "keep the value in a tensor, or read it after the step, outside the captured region",
	Fine: []string{
		"`.item()` of a CPU tensor, a NumPy array or an object that is no tensor",
		"`.items()` of a dict",
		"code under a guard that is off in production, such as `if VERBOSE >= 2`",
		"code that runs at load time or between steps",
	},
	Torch: "measured on an H200, torch 2.11: one wait per call",
	Calls: torchop.Family("item"),
	Call: func(p *checks.Pass, c *checks.Call) {
		if v := c.Subject(); v.MayBeOnDevice() && (c.Recv == nil || len(c.Args) == 0) {
			p.Report(c.Node, v, "`.item()` copies one value to the host and waits for the stream")
		}
	},
}
