// Package gb112 is rule GB112, blocking-d2h-copy: copies into a host tensor and waits for it.
package gb112

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB112.
var Rule = &checks.Rule{
	ID: "GB112", Name: "blocking-d2h-copy", Group: checks.GroupSync, Severity: finding.Error, Tier: 1, Static: true,
	Title: "copies into a host tensor and waits for it",
	Text: "`copy_` between the device and the host waits for the stream unless it is told `non_blocking=True`, also when " +
		"the host memory is pinned. Writing through a slice, `host[:] = t`, has no such switch and always waits.",
	Before: "host_tokens.copy_(tokens)",
	After:  "pinned_tokens.copy_(tokens, non_blocking=True)\ncopied.record()  # wait for the event before reading",
	Fix:    "copy_(…, non_blocking=True) into pinned memory and wait on an event after the step",
	Fine: []string{
		"copies from device to device",
		"copies from the host to the device: that is GB505",
	},
	Torch: "read from the sources of torch (Copy.cu); the way back was measured",
	Calls: []string{"Tensor.copy_"},
	Call: func(p *checks.Pass, c *checks.Call) {
		src := c.ParamValue("src")
		if !c.Recv.OnCPU() || !src.OnDevice() {
			return
		}
		if on, known := c.NonBlocking(); known && !on {
			p.Report(c.Node, src, "`copy_` into host memory waits for the stream")
		}
	},
	Store: func(p *checks.Pass, s *checks.Store) {
		if s.Base.OnCPU() && s.Value.OnDevice() {
			p.Report(s.Node, s.Value, "writing a device tensor into a host tensor copies and waits for the stream")
		}
	},
}
