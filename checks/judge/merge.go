package judge

import (
	"slices"
	"strings"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
)

// Merge adds what the checks found to the findings of the source scan. What was found at one place by several is one
// finding with the evidence of all; a source finding that a trace shows is proven. Sees says whether a check can show
// a rule. A check that failed by findings which are all suppressed passes.
func Merge(source []finding.Finding, results []*dynamic.Result, sees func(rule, check string) bool) []finding.Finding {
	all := slices.Clone(source)
	for _, r := range results {
		var at []int
		for i := range r.Findings {
			at = append(at, add(&all, r.Findings[i], sees))
		}
		settle(r, all, at)
	}
	finding.Sort(all)
	return all
}

// add merges f into the finding of its place, or appends it, and says where it is now.
func add(all *[]finding.Finding, f finding.Finding, sees func(rule, check string) bool) int {
	best := -1
	for i := range *all {
		g := &(*all)[i]
		if g.Path != f.Path || f.Line < g.Line || f.Line > max(g.Line, g.EndLine) || !joins(g, &f, sees) {
			continue
		}
		if best < 0 || g.Rule == f.Rule && (*all)[best].Rule != f.Rule {
			best = i
		}
	}
	if best < 0 {
		*all = append(*all, f)
		return len(*all) - 1
	}
	g := &(*all)[best]
	note := finding.Evidence{Kind: finding.EvidenceMeasured, Path: f.Path, Line: f.Line, Message: f.Check + ": " + f.Message}
	g.Evidence = append(slices.Clone(g.Evidence), append([]finding.Evidence{note}, f.Evidence...)...)
	if _, only, ok := strings.Cut(f.Message, onRanks); ok && !strings.Contains(g.Message, onRanks) {
		g.Message += onRanks + only
	}
	if f.Confidence == finding.Proven {
		g.Confidence = finding.Proven
	}
	if f.Cost != nil && (g.Cost == nil || f.Cost.Blocked > g.Cost.Blocked) {
		g.Cost = f.Cost
	}
	if g.Region == "" {
		g.Region = f.Region
	}
	if g.Suppressed != nil && g.Suppressed.By == "guard" {
		// The condition that keeps it out of production held in this run.
		g.Suppressed = nil
	}
	return best
}

// joins reports whether f says of g's place what g says: a check that can see g's rule, or another check's remark on the
// same line. Allocations are a matter of their own, and two findings of one check at one line are two.
func joins(g, f *finding.Finding, sees func(rule, check string) bool) bool {
	if g.Check == finding.CheckSource {
		return sees(g.Rule, f.Check)
	}
	return g.Check != f.Check && g.Severity != finding.Info && f.Severity != finding.Info
}

// settle lets a check pass whose findings are all suppressed.
func settle(r *dynamic.Result, all []finding.Finding, at []int) {
	if !r.ByFindings || r.Check.Status != finding.StatusFail {
		return
	}
	n := 0
	for k, i := range at {
		if r.Findings[k].Severity == finding.Info {
			continue
		}
		if all[i].Suppressed == nil {
			return
		}
		n++
	}
	if n == 0 {
		return // it failed over something else
	}
	r.Check.Status = finding.StatusPass
	r.Check.Reason = "suppressed: " + r.Check.Reason
	if r.Check.Metrics != nil {
		r.Check.Metrics["suppressed"] = float64(n)
	}
}
