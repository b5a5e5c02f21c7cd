// Package gb602 is rule GB602, side-stream-not-forked: work on a side stream that has not waited for the current one.
package gb602

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB602.
var Rule = &checks.Rule{
	ID: "GB602", Name: "side-stream-not-forked", Group: checks.GroupStream, Severity: finding.Error, Tier: 1, Static: true,
	Title: "uses a side stream that has not waited for the current one",
	Text: "A capture records one stream. Another stream becomes part of the graph only when it waits for the captured one. " +
		"Without that its work runs once, while capturing, and is missing from the graph: every replay reads what was left " +
		"in memory at capture. In eager mode the same code is a race, because nothing says that the inputs are ready.",
	Before: "with torch.cuda.stream(self.side):\n    shared = self.shared_expert(x)",
	After: "self.side.wait_stream(torch.cuda.current_stream())\nwith torch.cuda.stream(self.side):\n    shared = self.shared_expert(x)\n" +
		"torch.cuda.current_stream().wait_stream(self.side)",
	Fix: "let the side stream wait for the current one (s.wait_stream(torch.cuda.current_stream())) before its work",
	Fine: []string{
		"`s.wait_stream(…)`, `s.wait_event(…)` or `event.wait(s)`, also in another function of the file",
		"waiting inside the block, where the side stream is the current one",
		"`with torch.cuda.stream(torch.cuda.current_stream())`",
		"blocks that do no work for the device",
	},
	Torch:    "measured on an H200: what a stream outside the capture does is not in the graph, and joining it breaks the capture",
	Mentions: []string{"stream"},
	Done: func(p *checks.Pass) {
		var file string
		for _, s := range region.Sides(p) {
			if file == "" {
				file = p.Lines()
			}
			if !s.Waits(file) && !waitsInside(s) {
				p.Report(s.Item, s.Value, "`"+s.Name+"` has not waited for the current stream: its work is not in a captured graph")
			}
		}
	},
}

// waitsInside reports whether the block itself waits: the side stream is the current one there.
func waitsInside(s region.Side) bool {
	for _, c := range region.CallsIn(s.With.Body) {
		switch _, name := region.Method(c); name {
		case "wait_stream", "wait_event", "wait":
			return true
		}
	}
	return false
}
