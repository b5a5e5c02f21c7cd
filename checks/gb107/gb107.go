// Package gb107 is rule GB107, stream-synchronize: makes the host wait for a stream.
package gb107

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB107.
var Rule = &checks.Rule{
	ID: "GB107", Name: "stream-synchronize", Group: checks.GroupSync, Severity: finding.Error, Tier: 1, Static: true,
	Title: "makes the host wait for a stream",
	Text: "The host stands still until everything queued on the stream is done. When two streams have to be in order, the " +
		"device can do that by itself: one stream waits for an event of the other and the host goes on. On a stream " +
		"that is being captured the call is forbidden.",
	Before: "copy_stream.synchronize()",
	After:  "torch.cuda.current_stream().wait_stream(copy_stream)",
	Fix:    "let the device do the ordering: wait_stream or event.wait",
	Fine: []string{
		"`wait_stream`, `wait_event`, `record_event`: ordered on the device, no wait on the host",
		"draining a copy stream in the scheduler, outside the step",
		"`synchronize` of an object that is no stream",
	},
	Torch: "measured on an H200, torch 2.11: one wait per call",
	Calls: append(torchop.Family("stream-wait"), "?.synchronize"),
	Call:  checks.Always("{expr} makes the host wait for the stream"),
}
