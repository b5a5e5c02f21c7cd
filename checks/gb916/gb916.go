// Package gb916 is rule GB916, hooks-not-replayed: module hooks on what a graph replays.
package gb916

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB916.
var Rule = &checks.Rule{
	ID: "GB916", Name: "hooks-not-replayed", Group: checks.GroupLibraries, Severity: finding.Info, Tier: 3, Static: true,
	Title: "registers module hooks in code that also captures graphs",
	Text: "A hook is Python that runs when a module is called. A replay calls no module: the hooks of everything inside the graph ran " +
		"once, at the recording, and do not run again. What they did on the device is in the graph; what they counted, logged or " +
		"changed on the host is not. Logic that has to happen in every step belongs into the module, or after the replay.",
	Before: "layer.register_forward_hook(count_tokens)\n...\nwith torch.cuda.graph(g):\n    y = model(x)",
	After:  "with torch.cuda.graph(g):\n    y = model(x)\n...\ng.replay()\ncount_tokens(y)  # after each replay",
	Fix:    "do per-step work after the replay, or in the module on the device",
	Fine: []string{
		"hooks in files that capture nothing",
		"a method of that name of a class of the project",
	},
	Torch:    "independent of the version",
	Mentions: []string{"register_forward_hook", "register_forward_pre_hook"},
	Setup:    true,
	Done: func(p *checks.Pass) {
		if file := p.Lines(); !strings.Contains(file, "CUDAGraph(") && !strings.Contains(file, "cuda.graph(") {
			return
		}
		for _, c := range region.Calls(p.Node()) {
			if _, name := region.Method(c); strings.HasPrefix(name, "register_forward_") && p.Callee(c) != "user" {
				p.Report(c, nil, "{expr} runs when the graph is recorded and in no replay")
			}
		}
	},
}
