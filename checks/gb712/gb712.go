// Package gb712 is rule GB712, capture-aware-branch: computes something else while capturing.
package gb712

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB712.
var Rule = &checks.Rule{
	ID: "GB712", Name: "capture-aware-branch", Group: checks.GroupReplay, Severity: finding.Warn, Tier: 1, Static: true,
	Title: "computes something else while capturing",
	Text: "A branch on \"am I being captured?\" makes the graph another program than the eager step: every test of the eager " +
		"path passes and the replayed path is the one nobody ran. An `except` around a capture does the same: it hides " +
		"that there is no graph. Prove both sides equal, or make them one.",
	Before: "if torch.cuda.is_current_stream_capturing():\n    return self.default_scale\nreturn measure(x)",
	After:  "return measure(x)  # device work of fixed shape in both cases",
	Fix:    "remove the branch, or prove both sides equal and suppress this with the reason",
	Fine: []string{
		"a branch that only skips logging or checks",
	},
	Torch: "is_current_stream_capturing itself neither waits nor breaks a capture",
	Function: func(p *checks.Pass) {
		fn, ok := p.Node().(*pyast.FuncDef)
		if !ok || !p.Says("is_current_stream_capturing", "graph") {
			return
		}
		pyast.Walk(fn, func(n pyast.Node) bool {
			switch n := n.(type) {
			case *pyast.FuncDef:
				return n == fn
			case *pyast.ClassDef:
				return false
			case *pyast.If:
				if asks(n.Test) && (computes(n.Body) || computes(n.Else)) {
					p.Report(n.Test, nil, "the step computes something else while it is captured")
				}
			case *pyast.IfExp:
				if asks(n.Test) {
					p.Report(n.Test, nil, "the step computes something else while it is captured")
				}
			case *pyast.Try:
				swallowed(p, n)
			}
			return true
		})
	},
}
