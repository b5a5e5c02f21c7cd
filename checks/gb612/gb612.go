// Package gb612 is rule GB612, debug-mode-armed-around-capture: torch's sync debug mode armed outside a capture.
package gb612

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB612.
var Rule = &checks.Rule{
	ID: "GB612", Name: "debug-mode-armed-around-capture", Group: checks.GroupStream, Severity: finding.Error, Tier: 1, Static: true,
	Title: "arms torch's sync debug mode around a capture instead of inside it",
	Text: "`torch.cuda.set_sync_debug_mode(\"error\")` turns each hidden wait into an exception. Beginning a capture waits for the " +
		"device itself, on purpose. Armed around the capture, the mode raises there or at the end, for a wait that is none of " +
		"yours, and the exception leaves the stream capturing: nothing works in that process any more. Armed inside, it " +
		"sees the step and nothing else.",
	Before: "torch.cuda.set_sync_debug_mode(\"error\")\nwith torch.cuda.graph(g):\n    y = model(x)",
	After:  "with torch.cuda.graph(g):\n    torch.cuda.set_sync_debug_mode(\"error\")\n    y = model(x)\n    torch.cuda.set_sync_debug_mode(0)",
	Fix:    "arm the mode inside the capture and disarm it before the capture ends",
	Fine: []string{
		"the mode armed and disarmed inside the capture",
		"the mode around an eager step",
		"`\"warn\"`, which prints and does not raise",
	},
	Torch:    "read from torch/cuda/graphs.py and a public incident on torch 2.14 nightlies; the harness arms inside for this reason",
	Mentions: []string{"set_sync_debug_mode"},
	Setup:    true,
	Done: func(p *checks.Pass) {
		captures := region.Captures(p)
		var armed *pyast.Call
		for _, call := range region.Calls(p.Node()) {
			if _, name := region.Method(call); name == "set_sync_debug_mode" {
				armed = nil
				if raises(region.Arg(call, 0, "debug_mode")) {
					armed = call
				}
				continue
			}
			for i := range captures {
				if captures[i].Call == call && armed != nil {
					p.Report(armed, nil, "{expr} is armed when the capture begins, which waits for the device itself")
				}
			}
		}
	},
}

func raises(e pyast.Expr) bool {
	c, ok := e.(*pyast.Const)
	return ok && (c.Kind == pyast.ConstString && c.Text == "error" || c.Kind == pyast.ConstInt && c.Text == "2")
}
