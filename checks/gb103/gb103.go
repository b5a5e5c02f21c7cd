// Package gb103 is rule GB103, tensor-to-cpu: moves a device tensor to the host and waits for it.
package gb103

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB103.
var Rule = &checks.Rule{
	ID: "GB103", Name: "tensor-to-cpu", Group: checks.GroupSync, Severity: finding.Error, Tier: 1, Static: true,
	Title: "moves a device tensor to the host and waits for it",
	Text: "A blocking copy to the host ends with a wait for the stream: the host stands still until the device has done " +
		"everything queued so far. Inside a captured region the copy is refused. When the host really needs the data, " +
		"it can be fetched after the step, into pinned memory and with an event to wait on.",
	Before: "host_counts = counts.cpu()",
	After:  "pinned_counts.copy_(counts, non_blocking=True)\ndone.record()  # read it later, after done.synchronize(), outside the step",
	Fix:    "leave the data on the device, or copy it after the step with non_blocking=True into a pinned buffer",
	Fine: []string{
		"`.to(torch.bfloat16)` and other changes of dtype",
		"`.to(\"cpu\", non_blocking=True)`, which goes to pinned memory without a wait; wait on an event before reading it",
		"`.cpu()` of a tensor that is on the host already",
	},
	Torch: "measured on an H200, torch 2.11: one wait per call; capture raises",
	Calls: []string{"Tensor.cpu", "Tensor.to"},
	Call: func(p *checks.Pass, c *checks.Call) {
		v := c.Subject()
		if !v.MayBeOnDevice() || c.Name == "Tensor.to" && !c.Result.OnCPU() {
			return
		}
		if on, known := c.NonBlocking(); on || !known {
			return
		}
		what := "`.cpu()`"
		if c.Name == "Tensor.to" {
			what = "`.to()` the CPU"
		}
		p.Report(c.Node, v, what+" copies the tensor to the host and waits for the stream")
	},
}
