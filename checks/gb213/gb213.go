// Package gb213 is rule GB213, output-absent-on-some-steps: a step returns a tensor on some steps and nothing on others.
package gb213

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/perstep"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB213.
var Rule = &checks.Rule{
	ID: "GB213", Name: "output-absent-on-some-steps", Group: checks.GroupShape, Severity: finding.Warn, Tier: 2, Static: true,
	Title: "returns a tensor on some steps and nothing on others",
	Text: "A compressor that has something to say every fourth step returns a tensor then and None otherwise. Outside a graph that is an " +
		"ordinary branch on the step number. Inside one the case of the recording is replayed for ever: three of four steps use a " +
		"tensor that was not computed for them, or the one step that matters never happens. An output of fixed shape with a flag " +
		"on the device is the same in every step.",
	Before: "def forward(self, x, pos):\n    if pos % 4 != 3:\n        return None\n    return self.compress(x)",
	After:  "def forward(self, x, pos_buf):\n    return self.compress(x), (pos_buf % 4) == 3  # a flag on the device",
	Fix:    "return an output of fixed shape with a validity flag on the device, or keep this part outside the graph",
	Fine: []string{
		"None for what is configured or left out (`if self.proj is None: return None`)",
		"host code that returns no tensors",
		"branching on the step while both sides return the same form",
	},
	Torch:    "independent of the version; the drift check compares the launches of steps",
	Mentions: perstep.Names(),
	Done: func(p *checks.Pass) {
		fn, ok := p.Node().(*pyast.FuncDef)
		if !ok || !returnsTensor(p, fn) {
			return
		}
		numbers := perstep.In(p)
		if !numbers.Any() {
			return
		}
		region.Stmts(fn, func(n pyast.Stmt) {
			s, ok := n.(*pyast.If)
			if !ok {
				return
			}
			test, ok := s.Test.(*pyast.Compare)
			if !ok || len(test.Ops) != 1 || p.Value(s.Test).IsTensor() {
				return
			}
			name, varies := numbers.Varies(test.First)
			if !varies {
				name, varies = numbers.Varies(test.Rest[0])
			}
			if varies && (nothing(p, s.Body) || nothing(p, s.Else)) {
				p.Report(s.Test, nil, "there is no output on steps where {expr}: a graph keeps the case of the recording, whatever `"+name+"` is")
			}
		})
	},
}

// returnsTensor reports whether some way through the function returns a device tensor.
func returnsTensor(p *checks.Pass, fn *pyast.FuncDef) bool {
	found := false
	region.Stmts(fn, func(n pyast.Stmt) {
		if r, ok := n.(*pyast.Return); ok && r.X != nil {
			if _, ok := p.Value(r.X).HoldsDevice(); ok {
				found = true
			}
		}
	})
	return found
}

// nothing reports whether a suite ends with `return` or `return None`.
func nothing(p *checks.Pass, body []pyast.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	r, ok := body[len(body)-1].(*pyast.Return)
	return ok && (r.X == nil || p.Value(r.X).IsNone())
}
