// Package gb702 is rule GB702, host-branch-frozen: a branch on a counter that only the recorded code would advance.
package gb702

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB702.
var Rule = &checks.Rule{
	ID: "GB702", Name: "host-branch-frozen", Group: checks.GroupReplay, Severity: finding.Error, Tier: 1, Static: true,
	Title: "branches on a counter that the same function advances",
	Text: "A replay runs no Python. A function that counts its own calls and does something on every tenth call counts once, at " +
		"capture: the branch that was taken then is the one that every replay takes, and the counter stands still. A step number " +
		"that comes from the caller is another matter: the scheduler knows it and can pick a graph by it. A counter inside the " +
		"recorded code cannot choose anything.",
	Before: "self.calls += 1\nif self.calls % 10 == 0:\n    self.scale.copy_(new_scale)",
	After:  "def forward(self, x, refresh: bool):  # the scheduler counts, and picks the graph\n    if refresh:\n        self.scale.copy_(new_scale)",
	Fix:    "let the caller count and pass what it decides, so that it selects the graph",
	Fine: []string{
		"branching on what the caller passes: step, position, batch size: one graph for each case",
		"branching on configuration and on flags that are set once",
		"counting without branching on it (that is GB706)",
		"schedulers and runners that count outside the graph",
	},
	Torch: "independent of the version",
	Done: func(p *checks.Pass) {
		if !p.Module() || !p.Says("+=", "-=") {
			return
		}
		counted := map[string]bool{}
		region.Stmts(p.Node(), func(n pyast.Stmt) {
			if a, ok := n.(*pyast.AugAssign); ok && (a.Op == "+" || a.Op == "-") {
				if t, ok := a.Target.(*pyast.Attr); ok && region.Last(t.X) == "self" && p.Value(a.Value).IsNumber() {
					counted[p.Text(t)] = true
				}
			}
		})
		if len(counted) == 0 {
			return
		}
		region.Stmts(p.Node(), func(n pyast.Stmt) {
			s, ok := n.(*pyast.If)
			if !ok || p.Value(s.Test).IsTensor() || !device(p, s) {
				return
			}
			region.Walk(s.Test, func(n pyast.Node) {
				if a, ok := n.(*pyast.Attr); ok && counted[p.Text(a)] {
					p.Report(s.Test, nil, "{expr} is decided once, at capture: `"+p.Text(a)+"` is counted by this code, which a replay does not run")
				}
			})
		})
	},
}

// device reports whether one side of the branch works on device tensors.
func device(p *checks.Pass, s *pyast.If) bool {
	found := false
	for _, b := range region.Blocks(s) {
		for _, st := range b {
			region.Walk(st, func(n pyast.Node) {
				if e, ok := n.(pyast.Expr); ok && p.Value(e).OnDevice() {
					found = true
				}
			})
		}
	}
	return found
}
