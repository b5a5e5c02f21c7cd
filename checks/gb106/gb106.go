// Package gb106 is rule GB106, device-synchronize: waits for the whole device.
package gb106

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB106.
var Rule = &checks.Rule{
	ID: "GB106", Name: "device-synchronize", Group: checks.GroupSync, Severity: finding.Error, Tier: 1, Static: true,
	Title: "waits for the whole device",
	Text: "The host stops until every stream of the device is idle. Between two steps that costs all the work that could " +
		"have been queued meanwhile; inside a capture it is forbidden and breaks the capture. torch's own sync debug " +
		"mode does not report this call, so a test that relies on it lets it pass.",
	Before: "y = layer(x)\ntorch.cuda.synchronize()\nms = time.perf_counter() - t0",
	After:  "y = layer(x)  # time it outside, with events that are read after the step",
	Fix:    "delete it or move it out of the step; order work with events on the device",
	Fine: []string{
		"the wait before a capture begins: warm-up work must be drained",
		"benchmarks and start-up code that no step reaches",
	},
	Torch: "measured on an H200, torch 2.11: waits; not reported by torch.cuda.set_sync_debug_mode",
	Calls: torchop.Family("device-wait"),
	Call:  checks.Always("{expr} makes the host wait for the whole device"),
}
