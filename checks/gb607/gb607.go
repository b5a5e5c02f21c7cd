// Package gb607 is rule GB607, relaxed-capture-mode: captures in relaxed mode.
package gb607

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB607.
var Rule = &checks.Rule{
	ID: "GB607", Name: "relaxed-capture-mode", Group: checks.GroupStream, Severity: finding.Warn, Tier: 2, Static: true,
	Title: "captures in relaxed mode",
	Text: "A capture in the default mode refuses calls that do not belong into a graph. In relaxed mode they are carried " +
		"out instead, once, beside the graph: the capture succeeds, and the replay lacks what they did. The mode is meant " +
		"for a library that knows exactly which call it lets through.",
	Before: "with torch.cuda.graph(g, capture_error_mode=\"relaxed\"):",
	After:  "with torch.cuda.graph(g):",
	Fix:    "capture in the default (global) mode and remove what it refuses",
	Fine: []string{
		"`thread_local`, when other threads allocate while the capture runs",
	},
	Torch: "32 driver calls in three capture modes were measured on an H200",
	Calls: []string{"torch.cuda.graph", "torch.cuda.CUDAGraph.capture_begin"},
	Call: func(p *checks.Pass, c *checks.Call) {
		if mode, ok := c.Value(-1, "capture_error_mode").Str(); ok && mode == "relaxed" {
			p.Report(c.Node, nil, "relaxed mode carries out forbidden calls beside the graph instead of refusing them")
		}
	},
}
