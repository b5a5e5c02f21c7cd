// Package gb601 is rule GB601, capture-on-default-stream: starts a capture on the default stream.
package gb601

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB601.
var Rule = &checks.Rule{
	ID: "GB601", Name: "capture-on-default-stream", Group: checks.GroupStream, Severity: finding.Error, Tier: 1, Static: true,
	Title: "starts a capture on the default stream",
	Text: "While a graph is captured its stream only records. The default stream cannot do that: it waits for all other " +
		"streams and they for it, and the driver refuses to record that. `with torch.cuda.graph(g)` switches to a stream of " +
		"its own first. `g.capture_begin()` does not: it captures whatever stream is current, and outside any " +
		"`with torch.cuda.stream(s)` that is the default one.",
	Before: "g.capture_begin()\ny = model(x)\ng.capture_end()",
	After:  "with torch.cuda.graph(g):  # switches to a stream of its own\n    y = model(x)",
	Fix:    "capture with `with torch.cuda.graph(g):`, or enter a side stream before capture_begin",
	Fine: []string{
		"`with torch.cuda.graph(g):` with no stream, or with a side stream",
		"`capture_begin()` inside `with torch.cuda.stream(side):`, or after `torch.cuda.set_stream(side)`",
	},
	Torch:    "read from the sources: CUDAGraph.cpp refuses it, and so does the driver",
	Mentions: []string{"graph", "capture_begin"},
	Setup:    true,
	Done: func(p *checks.Pass) {
		for _, c := range region.Captures(p) {
			switch {
			case !c.Raw && c.Stream != nil && isDefault(p, c.Stream):
				p.Report(c.Call, nil, "{expr} captures on the default stream, which cannot be captured")
			case c.Raw && c.Ended && !elsewhere(p, &c):
				p.Report(c.Call, nil, "{expr} captures the current stream, which is the default one here")
			}
		}
	},
}

func isDefault(p *checks.Pass, e pyast.Expr) bool {
	v := p.Value(e)
	return v != nil && v.Kind == checks.KindStream && v.Name == "torch.cuda.default_stream"
}

// elsewhere reports whether another stream is current where the capture begins.
func elsewhere(p *checks.Pass, c *region.Capture) bool {
	for _, w := range c.Around {
		for _, it := range w.Items {
			call, ok := it.X.(*pyast.Call)
			if !ok {
				return true // a context that was made before: it may be a stream
			}
			if p.Callee(call) == "torch.cuda.stream" && len(call.Args) > 0 {
				return !isDefault(p, call.Args[0].Value)
			}
		}
	}
	for _, call := range region.Calls(p.Node()) {
		if _, name := region.Method(call); c.Before(call) && (name == "set_stream" || name == "__enter__" || name == "enter_context") {
			return true
		}
	}
	return false
}
