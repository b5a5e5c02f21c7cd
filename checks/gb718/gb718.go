// Package gb718 is rule GB718, missing-warmup: a capture of something that has never run.
package gb718

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB718.
var Rule = &checks.Rule{
	ID: "GB718", Name: "missing-warmup", Group: checks.GroupReplay, Severity: finding.Warn, Tier: 1, Static: true,
	Title: "captures a step that has not run before",
	Text: "The first run of a step does things that later runs do not: libraries make their handles, kernels are compiled and " +
		"tuned, workspaces grow. Some of that is refused in a capture, and the rest is recorded into the graph and repeated at " +
		"every replay. Three runs on a side stream before the capture get it out of the way (eleven with " +
		"DistributedDataParallel).",
	Before: "with torch.cuda.graph(g):\n    y = model(x)",
	After:  "for _ in range(3):\n    model(x)  # warm-up\ntorch.cuda.synchronize()\nwith torch.cuda.graph(g):\n    y = model(x)",
	Fix:    "run the step a few times on a side stream before the capture",
	Fine: []string{
		"a call of the same function before the capture, in the same function",
		"files that warm up elsewhere and say so, or that wait for something before the capture",
		"a function that is handed in: its caller may have run it",
		"captures of a caller's block (`with torch.cuda.graph(g): yield`)",
		"`torch.cuda.make_graphed_callables`, which warms up by itself",
	},
	Torch:    "read from torch's documentation",
	Mentions: []string{"graph", "capture_begin"},
	Setup:    true,
	Done: func(p *checks.Pass) {
		for _, c := range region.Captures(p) {
			if c.Ended && cold(p, &c) {
				p.Report(c.Call, nil, "{expr} captures a step that has not run before: set-up work becomes part of the graph or breaks it")
			}
		}
	},
}

// cold reports whether a function that is captured has not been called before in this function, in a file that knows no
// warm-up.
func cold(p *checks.Pass, c *region.Capture) bool {
	file := strings.ToLower(p.Lines())
	if strings.Contains(file, "warm") || strings.Contains(file, "dummy_run") {
		return false
	}
	ran := map[string]bool{}
	for _, call := range region.Calls(p.Node()) {
		if !c.Before(call) {
			continue
		}
		if _, name := region.Method(call); name == "synchronize" {
			return false // something has run that is waited for here
		}
		ran[p.Text(call.Func)] = true
	}
	steps := 0
	for _, call := range region.CallsIn(c.Body) {
		if callee := p.Callee(call); callee != "user" && callee[0] != '?' && callee != "torch.nn.Module.__call__" {
			continue // an operation of torch
		}
		if ran[p.Text(call.Func)] || given(p, call.Func) {
			return false
		}
		steps++
	}
	return steps > 0
}

// given reports whether a function is a parameter: whoever hands it in may have run it.
func given(p *checks.Pass, f pyast.Expr) bool {
	for {
		a, ok := f.(*pyast.Attr)
		if !ok {
			break
		}
		f = a.X
	}
	name, ok := f.(*pyast.Name)
	fn, def := p.Node().(*pyast.FuncDef)
	if !ok || !def {
		return false
	}
	for _, param := range fn.Params {
		if param.Name == name.ID && name.ID != "self" {
			return true
		}
	}
	return false
}
