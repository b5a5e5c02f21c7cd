// Package gb608 is rule GB608, work-on-foreign-stream: puts work of the step on the default stream.
package gb608

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB608.
var Rule = &checks.Rule{
	ID: "GB608", Name: "work-on-foreign-stream", Group: checks.GroupStream, Severity: finding.Error, Tier: 1, Static: true,
	Title: "puts work of the step on the default stream",
	Text: "A graph is captured on a stream of its own. Work that the code sends to the default stream explicitly runs once, " +
		"while capturing, and is missing from the graph, or makes the capture fail. Replays then read the result of the " +
		"capture run for ever.",
	Before: "with torch.cuda.stream(torch.cuda.default_stream()):\n    y = branch(x)",
	After:  "side.wait_stream(torch.cuda.current_stream())\nwith torch.cuda.stream(side):\n    y = branch(x)\ntorch.cuda.current_stream().wait_stream(side)",
	Fix:    "use the current stream, or a side stream that waits for it before and is waited for after",
	Fine: []string{
		"`torch.cuda.current_stream()`",
		"a side stream made with torch.cuda.Stream() that is forked and joined",
	},
	Torch: "measured on an H200, torch 2.11: a fork to the default stream breaks the capture",
	Calls: []string{"torch.cuda.Stream.wait_stream", "torch.cuda.Stream.wait_event", "torch.cuda.set_stream"},
	Call: func(p *checks.Pass, c *checks.Call) {
		v := c.Recv
		if c.Name == "torch.cuda.set_stream" {
			v = c.Value(0, "stream")
		}
		if isDefault(v) {
			p.Report(c.Node, v, "{expr} brings the default stream into the step: it cannot be part of a capture")
		}
	},
	With: func(p *checks.Pass, w *checks.With) {
		if w.Name != "torch.cuda.stream" {
			return
		}
		if call, ok := w.Node.(*pyast.Call); ok && len(call.Args) > 0 {
			if v := p.Value(call.Args[0].Value); isDefault(v) {
				p.Report(w.Node, v, "the block runs on the default stream: its work is not part of a captured graph")
			}
		}
	},
}

func isDefault(v *checks.Value) bool {
	return v != nil && v.Kind == checks.KindStream && v.Name == "torch.cuda.default_stream"
}
