// Package gb404 is rule GB404, bool-protocol-builtins: uses a Python operator that truth-tests a device tensor.
package gb404

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB404.
var Rule = &checks.Rule{
	ID: "GB404", Name: "bool-protocol-builtins", Group: checks.GroupControl, Severity: finding.Error, Tier: 1, Static: true,
	Title: "uses a Python operator that truth-tests a device tensor",
	Text: "`and`, `or`, `not`, `in` and the builtins `max`, `min`, `sorted`, `any` and `all` work with Python bools. Given " +
		"device tensors each of their comparisons reads a value on the host, with a wait. torch has an operation for " +
		"each that works element by element on the device.",
	Before: "longest = max(len_a, len_b)",
	After:  "longest = torch.maximum(len_a, len_b)",
	Fix:    "use torch.maximum, torch.minimum, logical_and, logical_or, logical_not or (t == x).any()",
	Fine: []string{
		"`max(x.shape[0], 16)`, `sorted(names)`: host values",
		"`t.any()`, `t.max()`: methods, they stay on the device",
		"the builtin `sum` of tensors: additions on the device",
		"`t in some_dict`: looks at the identity",
	},
	Torch: "measured on an H200, torch 2.11: one wait per comparison",
	Truth: func(p *checks.Pass, t *checks.Truth) {
		switch t.Kind {
		case checks.TruthAnd, checks.TruthOr, checks.TruthNot, checks.TruthBuiltin:
			if t.Value.DeviceTensor() {
				p.Report(t.Node, t.Value, "{expr} truth-tests a device tensor: each comparison is read on the host, which waits")
			}
		}
	},
	Membership: func(p *checks.Pass, m *checks.Membership) {
		v := m.Container
		if !v.DeviceTensor() {
			if v == nil || v.Kind != checks.KindList && v.Kind != checks.KindTuple {
				return
			}
			if v = m.Elt; !v.DeviceTensor() {
				var ok bool
				if v, ok = m.Container.HoldsDevice(); !ok {
					return
				}
			}
		}
		p.Report(m.Node, v, "{expr} compares on the device and reads the outcome on the host, which waits")
	},
}
