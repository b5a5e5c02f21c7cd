// Package gb108 is rule GB108, event-synchronize: makes the host wait for an event, or asks for a time between events.
package gb108

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB108.
var Rule = &checks.Rule{
	ID: "GB108", Name: "event-synchronize", Group: checks.GroupSync, Severity: finding.Error, Tier: 1, Static: true,
	Title: "makes the host wait for an event, or asks for a time between events",
	Text: "`event.synchronize()` stops the host until the device has passed the event. `elapsed_time` asks the driver for " +
		"the state of both events, which is not allowed while they are part of a capture. torch's sync debug mode " +
		"reports neither.",
	Before: "end.synchronize()\nms.append(start.elapsed_time(end))",
	After:  "pending.append((start, end))  # read the times after the step",
	Fix:    "record events in the step and read them after it; order streams with event.wait",
	Fine: []string{
		"`event.record()` and `event.wait()`: they are queued on the device",
		"the hand-over of an asynchronous scheduler, outside the step",
	},
	Torch: "measured on an H200, torch 2.11: synchronize waits, elapsed_time breaks a capture; neither is reported by torch",
	Calls: append(torchop.Family("event-wait"), "?.elapsed_time"),
	Call: func(p *checks.Pass, c *checks.Call) {
		if strings.HasSuffix(c.Name, ".elapsed_time") {
			p.Report(c.Node, c.Recv, "`.elapsed_time()` queries both events, which a capture does not allow")
			return
		}
		p.Report(c.Node, c.Recv, "{expr} makes the host wait for the event")
	},
}
