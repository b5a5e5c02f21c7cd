// Package gb212 is rule GB212, growing-shape: appends to a tensor of the state in every step.
package gb212

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB212.
var Rule = &checks.Rule{
	ID: "GB212", Name: "growing-shape", Group: checks.GroupShape, Severity: finding.Warn, Tier: 1, Static: true,
	Title: "appends to a tensor of the state in every step",
	Text: "A cache that is concatenated with the new rows is longer in every step: other shapes, other launches, other " +
		"addresses. Nothing waits, but a graph holds the length of the step it was captured in and replays that for " +
		"ever. A cache of full capacity with a device-side length keeps the shape fixed.",
	Before: "self.keys = torch.cat([self.keys, k], dim=1)",
	After:  "self.keys.index_copy_(1, pos, k)  # full capacity, pos is a device tensor",
	Fix:    "allocate the full capacity once and write at a device-side position",
	Fine: []string{
		"`torch.cat` of parts of this step",
		"lists of host values that grow",
	},
	Torch: "measured on an H200, torch 2.11: cat itself does not wait",
	AttrStore: func(p *checks.Pass, s *checks.AttrStore) {
		if a, ok := s.Stmt.(*pyast.Assign); ok && s.Value.DeviceTensor() && appends(p, a.Value, s.Node) {
			p.Report(a.Value, s.Value, "{expr} makes the tensor longer in every step: a graph keeps one length")
		}
	},
	Store: func(p *checks.Pass, s *checks.Store) {
		if s.Value.DeviceTensor() && !s.Base.IsTensor() && s.ValueNode != nil && appends(p, s.ValueNode, s.Node) {
			p.Report(s.ValueNode, s.Value, "{expr} makes the tensor longer in every step: a graph keeps one length")
		}
	},
}

// appends reports whether e is torch.cat of a list that has target itself in it.
func appends(p *checks.Pass, e, target pyast.Expr) bool {
	call, ok := e.(*pyast.Call)
	if !ok || len(call.Args) == 0 {
		return false
	}
	f, ok := call.Func.(*pyast.Attr)
	if !ok || f.Name != "cat" && f.Name != "concat" && f.Name != "concatenate" && f.Name != "vstack" && f.Name != "hstack" {
		return false
	}
	var parts []pyast.Expr
	switch l := call.Args[0].Value.(type) {
	case *pyast.List:
		parts = l.Elts
	case *pyast.Tuple:
		parts = l.Elts
	}
	for _, x := range parts {
		if p.Text(x) == p.Text(target) {
			return true
		}
	}
	return false
}
