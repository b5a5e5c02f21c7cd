package judge

import (
	"slices"
	"strings"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// Mark says of each source finding that the checks did not confirm whether the run came by its line, and which checks that
// can see such a hazard saw nothing there. It changes neither severity nor confidence: another input may take another path.
func Mark(all []finding.Finding, in *dynamic.Input, results []*dynamic.Result, sees func(rule, check string) bool) {
	ran := executed(in)
	if len(ran) == 0 || in.Blind() != "" {
		return // lines were not recorded, or not everything was looked for
	}
	for i := range all {
		f := &all[i]
		if f.Check != finding.CheckSource || f.Confidence == finding.Proven || !strings.HasSuffix(f.Path, ".py") {
			continue
		}
		var silent []string
		for _, r := range results {
			if sees(f.Rule, r.Check.Name) && conclusive(in, r) {
				silent = append(silent, r.Check.Name)
			}
		}
		if len(silent) == 0 || shown(results, f) {
			continue
		}
		here := slices.ContainsFunc(ran[f.Path], func(l int) bool { return l >= f.Line && l <= max(f.Line, f.EndLine) })
		say := "not shown on this path: no step of the run came here"
		if here {
			say = "not shown on this path: the step ran this line, and " + strings.Join(silent, ", ") + " saw nothing here"
		}
		f.Evidence = append(slices.Clone(f.Evidence), finding.Evidence{Kind: finding.EvidenceNotShown, Path: f.Path, Line: f.Line, Message: say})
	}
}

// shown reports whether a check found anything at the lines of a source finding: it then belongs to that, or to another
// source finding of the line, and which of them it was cannot be told.
func shown(results []*dynamic.Result, f *finding.Finding) bool {
	return slices.ContainsFunc(results, func(r *dynamic.Result) bool {
		return slices.ContainsFunc(r.Findings, func(g finding.Finding) bool {
			return g.Severity != finding.Info && g.Path == f.Path && g.Line >= f.Line && g.Line <= max(f.Line, f.EndLine)
		})
	})
}

// conclusive reports whether a check's silence about a line says something: it ran to its end, and, where it stops at its
// first failure, did not fail. Without the probe the sync check does not see native code.
func conclusive(in *dynamic.Input, r *dynamic.Result) bool {
	switch r.Check.Name {
	case finding.CheckSync:
		return in.HasProbe() && (r.Check.Status == finding.StatusPass || r.Check.Status == finding.StatusFail)
	case finding.CheckAlloc:
		return r.Check.Status == finding.StatusPass || r.Check.Status == finding.StatusFail
	}
	return r.Check.Status == finding.StatusPass
}

// executed are the lines that the recorded steps ran, by path below the root.
func executed(in *dynamic.Input) map[string][]int {
	out := map[string][]int{}
	for _, l := range trace.Of[*trace.Lines](in.Trace) {
		if p := in.Place([]trace.Frame{{File: l.File, Line: 1}}); p.Path != "" {
			out[p.Path] = append(out[p.Path], l.Lines...)
		}
	}
	return out
}
