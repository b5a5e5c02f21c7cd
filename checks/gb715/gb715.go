// Package gb715 is rule GB715, weights-rebound-after-capture: weights are replaced while graphs that read them exist.
package gb715

import (
	"regexp"
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB715.
var Rule = &checks.Rule{
	ID: "GB715", Name: "weights-rebound-after-capture", Group: checks.GroupReplay, Severity: finding.Error, Tier: 2, Static: true,
	Title: "replaces weights of a model that has been captured",
	Text: "A graph knows weights by their addresses. Updating a running model by giving its parameters new tensors " +
		"(`p.data = new`, `load_state_dict(assign=True)`) leaves the graphs with the old ones: eager code answers with the new " +
		"model and replays with the old one, or with whatever now lies at the old address. Copying into the tensors that are " +
		"there changes both.",
	Before: "def update_weights(self, new):\n    for name, p in self.model.named_parameters():\n        p.data = new[name]",
	After:  "def update_weights(self, new):\n    for name, p in self.model.named_parameters():\n        p.data.copy_(new[name])",
	Fix:    "copy into the parameters that are there, or capture the graphs again afterwards",
	Fine: []string{
		"`p.data.copy_(new)`, `load_state_dict(state)` without assign",
		"loading and preparing weights before the first capture",
		"files that have nothing to do with graphs, and updates that capture again",
	},
	Torch:    "independent of the version",
	Mentions: []string{"data", "load_state_dict"},
	Setup:    true,
	Done: func(p *checks.Pass) {
		fn, ok := p.Node().(*pyast.FuncDef)
		if !ok || !p.Setup() || !update.MatchString(fn.Name) || !graphs(p.Lines()) || again.MatchString(p.Text(fn)) {
			return
		}
		region.Walk(fn, func(n pyast.Node) {
			switch n := n.(type) {
			case *pyast.Assign:
				for _, t := range n.Targets {
					if a, ok := t.(*pyast.Attr); ok && a.Name == "data" && p.Value(a.X).IsTensor() {
						p.Report(a, nil, "{expr} gets new memory: the captured graphs go on reading the old weights")
					}
				}
			case *pyast.Call:
				if _, name := region.Method(n); name == "load_state_dict" && region.True(region.Arg(n, 2, "assign")) {
					p.Report(n, nil, "{expr} replaces the parameters: the captured graphs go on reading the old ones")
				}
			}
		})
	},
}

// update are functions that change a model which is in service.
var update = regexp.MustCompile(`(^|_)(update|reload|refit|swap|refresh|sync|resume|wake|switch|set)(_|$).*(weight|param|state|model|lora|adapter)|^wake_up$`)

var again = regexp.MustCompile(`capture|CUDAGraph|cuda\.graph`)

// graphs reports whether a file works with graphs.
func graphs(file string) bool {
	return strings.Contains(file, "CUDAGraph") || strings.Contains(file, "cuda.graph(") || strings.Contains(file, ".replay()")
}
