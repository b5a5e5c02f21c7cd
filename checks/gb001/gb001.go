// Package gb001 is rule GB001, bad-suppression: suppresses a finding without a reason, past its date, or where there is
// none.
package gb001

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB001.
var Rule = &checks.Rule{
	ID: "GB001", Name: "bad-suppression", Group: checks.GroupGate, Severity: finding.Warn, Tier: 1, Static: true,
	Title: "suppresses a finding without a reason, past its date, or where there is none",
	Text: "A suppression is a decision that somebody made and that others must be able to check. Without a reason nobody " +
		"can; with an `until=` date that has passed the decision has run out; on a line that has no finding (any more) it " +
		"would silently allow the next one. In all three cases the comment itself is reported, and a suppression without " +
		"a reason suppresses nothing.",
	Before: "n = counts.item()  # gatebot: allow[GB101]",
	After:  "n = counts.item()  # gatebot: allow[GB101] read once per request, outside the graph",
	Fix:    "give a reason, renew the date, or delete the comment",
	Fine: []string{
		"`# gatebot: allow[GB101] reason` on the line or the line above, with a finding of that rule",
		"`# gpu-sync-ok: reason` and `with gpu_sync_allowed():`, as vLLM writes them",
	},
	Torch: "independent of torch",
}
