// Package gb401 is rule GB401, branch-on-device-value: branches on the value of a device tensor.
package gb401

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB401.
var Rule = &checks.Rule{
	ID: "GB401", Name: "branch-on-device-value", Group: checks.GroupControl, Severity: finding.Error, Tier: 1, Static: true,
	Title: "branches on the value of a device tensor",
	Text: "`if t:` needs a Python bool, so the value is copied to the host, which waits for all queued work. A graph has no " +
		"branches of this kind: it replays the launches of the side that was taken when it was captured. Compute both " +
		"sides and select, or move the decision into a kernel. Branching on what the host knows is fine.",
	Before: "if group_offsets[0] != 0:\n    offsets -= group_offsets[0]",
	After:  "offsets -= group_offsets[0]  # subtracting zero does no harm",
	Fix:    "select on the device: torch.where, clamp, a mask; or decide by a number that the host knows",
	Fine: []string{
		"`if x.shape[0] > 1`, `if step % 4 == 0`, `if cfg.bias`, `if dtype == torch.bfloat16`: host values",
		"`if t is None`, `isinstance(t, torch.Tensor)`, `hasattr`: they do not look at the value",
		"values of CPU tensors and NumPy arrays",
		"branches under a guard that is off in production",
	},
	Torch: "measured on an H200, torch 2.11: one wait per test",
	Truth: func(p *checks.Pass, t *checks.Truth) {
		switch t.Kind {
		case checks.TruthIf, checks.TruthTernary, checks.TruthFilter, checks.TruthGuard:
			if t.Value.DeviceTensor() {
				p.Report(t.Node, t.Value, "the branch on {expr} reads a device value on the host, which waits")
			}
		}
	},
}
