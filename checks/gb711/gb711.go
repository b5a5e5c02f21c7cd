// Package gb711 is rule GB711, autocast-cache-captured: a graph that refers to casts which autocast throws away.
package gb711

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB711.
var Rule = &checks.Rule{
	ID: "GB711", Name: "autocast-cache-captured", Group: checks.GroupReplay, Severity: finding.Warn, Tier: 3, Static: true,
	Title: "captures inside autocast with its cache of casts on",
	Text: "Autocast casts a weight to half precision when it is first used and keeps the result until the `with autocast` block is left. " +
		"A graph that is captured inside the block refers to that cached tensor. When the block ends the cache is emptied, its " +
		"memory is used for something else, and the replays multiply with whatever lies there now.",
	Before: "with torch.autocast(\"cuda\"):\n    with torch.cuda.graph(g):\n        y = model(x)",
	After:  "with torch.autocast(\"cuda\", cache_enabled=False):\n    with torch.cuda.graph(g):\n        y = model(x)",
	Fix:    "pass cache_enabled=False to autocast around a capture, or enter autocast inside it",
	Fine: []string{
		"`cache_enabled=False`",
		"autocast inside the capture: the cache is made and used within the graph",
		"autocast that is off: `enabled=False`",
	},
	Torch:    "read from NVIDIA's guide; make_graphed_callables refuses it for the same reason",
	Mentions: []string{"graph"},
	Setup:    true,
	Done: func(p *checks.Pass) {
		for _, c := range region.Captures(p) {
			for _, w := range c.Around {
				for _, it := range w.Items {
					if call, ok := it.X.(*pyast.Call); ok && casts(p, call) && call.Off < c.Call.Off {
						p.Report(call, nil, "{expr} caches casts that the graph refers to and that are freed when the block ends")
					}
				}
			}
		}
	},
}

// casts reports whether a context is autocast with its cache on.
func casts(p *checks.Pass, c *pyast.Call) bool {
	name := p.Callee(c)
	if !strings.HasPrefix(name, "torch.") || !strings.HasSuffix(name, "autocast") {
		return false
	}
	for _, a := range c.Args {
		if k, ok := a.Value.(*pyast.Const); a.Star > 0 || a.Name == "cache_enabled" || a.Name == "enabled" && (!ok || k.Kind != pyast.ConstTrue) {
			return false
		}
	}
	return true
}
