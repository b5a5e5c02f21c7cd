// Package gb611 is rule GB611, warmup-not-drained: a capture begins while warm-up work may still be running.
package gb611

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB611.
var Rule = &checks.Rule{
	ID: "GB611", Name: "warmup-not-drained", Group: checks.GroupStream, Severity: finding.Error, Tier: 2, Static: true,
	Title: "begins a capture while warm-up work may still be running",
	Text: "Before a capture the step is run a few times, so that libraries make their handles and kernels are compiled. Those runs " +
		"are only queued when the call returns. If the capture begins at once, memory that the warm-up still uses is given to " +
		"the graph, and the first replays fault or compute garbage. `with torch.cuda.graph(g)` waits for the device first; " +
		"`g.capture_begin()` does not.",
	Before: "for _ in range(3):\n    model(x)  # warm-up\ng.capture_begin()",
	After:  "for _ in range(3):\n    model(x)  # warm-up\ntorch.cuda.synchronize()\ng.capture_begin()",
	Fix:    "call torch.cuda.synchronize() (and a barrier over the ranks) between warm-up and capture_begin",
	Fine: []string{
		"`with torch.cuda.graph(g):`, which waits by itself",
		"a synchronize, or a join of the warm-up stream, between warm-up and capture",
		"functions that do not warm up: the caller may have waited",
	},
	Torch:    "read from torch/cuda/graphs.py: graph.__enter__ synchronizes, capture_begin does not",
	Mentions: []string{"capture_begin"},
	Setup:    true,
	Done: func(p *checks.Pass) {
		for _, c := range region.Captures(p) {
			if c.Raw && c.Ended && running(p, &c) {
				p.Report(c.Call, nil, "{expr} begins while the warm-up above may still be running")
			}
		}
	},
}

// running reports whether what is captured was called before, and nothing has waited since.
func running(p *checks.Pass, c *region.Capture) bool {
	captured := map[string]bool{}
	for _, call := range region.CallsIn(c.Body) {
		captured[p.Text(call.Func)] = true
	}
	busy := false
	for _, call := range region.Calls(p.Node()) {
		_, name := region.Method(call)
		switch {
		case !c.Before(call):
		case strings.HasSuffix(name, "synchronize") || name == "wait_stream" || name == "barrier":
			busy = false
		case captured[p.Text(call.Func)] && !strings.HasPrefix(p.Callee(call), "builtins."):
			busy = true
		}
	}
	return busy
}
