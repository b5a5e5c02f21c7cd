// Package drift is the drift check: two steps of one bucket ask the device for the same work. It sees without a capture
// what a graph would freeze.
package drift

import (
	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
)

const phase = "drift"

// Check compares the steps of the drift phase. Steps that differ are a violation unless the replay phase showed the
// same steps to be right all the same, as with two formulas for one value.
func Check(in *dynamic.Input) *dynamic.Result {
	if r := in.Blocked(finding.CheckDrift, phase); r != nil {
		return r
	}
	r := dynamic.New(finding.CheckDrift)
	lists := record(in)
	m := r.Check.Metrics
	m["steps"] = float64(len(lists))
	for _, l := range lists {
		m["operations_per_step"] = max(m["operations_per_step"], float64(len(l.items)))
		m["calls_per_step"] = max(m["calls_per_step"], float64(len(l.calls)))
	}
	if len(lists) < 2 {
		r.Check.Status, r.Check.Reason = finding.StatusError, "fewer than two steps were recorded"
		return r
	}
	severity := finding.Warn
	right := in.ReplayedRight()
	if right {
		severity = finding.Info
	}
	var set dynamic.Set
	for _, d := range compare(lists) {
		f := set.At(in.Place(d.Frames))
		if f.Count++; f.Count == 1 {
			f.Rule, f.Message, f.Frames, f.Region = "GB717", d.Text, d.Frames, d.Region
			if d.Numbers {
				f.Rule = "GB701"
			}
			f.Evidence = []finding.Evidence{{Kind: finding.EvidenceMeasured, Message: d.Text}}
		}
	}
	for _, f := range set.All() {
		r.Findings = append(r.Findings, in.Finding(finding.CheckDrift, f, severity))
	}
	n := len(r.Findings)
	m["differences"] = float64(n)
	switch {
	case n == 0:
	case right:
		r.Check.Reason = "steps of one bucket differ in what they launch; their replay is right all the same"
	default:
		r.Fail("steps of one bucket ask for different work: %s", r.Findings[0].Message)
		r.ByFindings = true
	}
	return r
}
