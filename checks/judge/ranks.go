package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
)

// ofRank is one rank's outcome of a check.
type ofRank struct {
	rank int
	// follows is whether the rank could not go on because another one gave up: its reason is not the run's.
	follows bool
	died    bool
	*dynamic.Result
}

// several runs a check on each rank's own record, since ranks are programs of their own, and puts the outcomes together:
// what every rank shows is said once, what some show names them.
func several(in *dynamic.Input, ranks []int, check func(*dynamic.Input) *dynamic.Result) *dynamic.Result {
	var all []ofRank
	for _, rank := range ranks {
		one := *in
		one.Trace, one.Died = in.Trace.OfRank(rank), nil
		for _, d := range in.Died {
			if d.Rank == rank {
				one.Died = append(one.Died, d)
			}
		}
		all = append(all, ofRank{rank, follows(&one), len(one.Died) > 0, check(&one)})
	}
	worst := slices.MinFunc(all, func(a, b ofRank) int {
		return cmp.Or(cmp.Compare(badness(a), badness(b)), cmp.Compare(a.rank, b.rank))
	})
	out := &dynamic.Result{Check: worst.Check, ByFindings: true}
	out.Check.Metrics, out.Check.Regions = nil, nil
	if out.Check.Status != finding.StatusPass && out.Check.Reason != "" && !strings.HasPrefix(out.Check.Reason, "rank ") {
		out.Check.Reason = fmt.Sprintf("%s: %s", which(alike(all, worst), len(all)), out.Check.Reason)
	}
	for _, r := range all {
		out.ByFindings = out.ByFindings && (r.ByFindings || r.Check.Status != finding.StatusFail)
		measures(out, r)
		regions(out, r)
	}
	if out.Check.Metrics != nil {
		out.Check.Metrics["ranks"] = float64(len(all))
	}
	out.Findings = union(all)
	return out
}

// follows reports whether a rank stopped because of another one.
func follows(in *dynamic.Input) bool {
	return slices.ContainsFunc(in.Trace.Errors(), dynamic.OtherRank)
}

// badness orders outcomes, the one that decides first: a violation is one whatever the other ranks did, and of two errors
// the cause comes before what followed from it.
func badness(r ofRank) int {
	n := map[finding.Status]int{finding.StatusFail: 0, finding.StatusError: 4, finding.StatusNotRun: 8, finding.StatusPass: 12}[r.Check.Status]
	switch {
	case r.follows:
		n++
	case r.died: // what another rank raised over it is a symptom
		n--
	}
	return n
}

// alike are the ranks that came to the same outcome for the same reason.
func alike(all []ofRank, as ofRank) []int {
	var out []int
	for _, r := range all {
		if r.Check.Status == as.Check.Status && (r.rank == as.rank || r.Check.Reason == as.Check.Reason) {
			out = append(out, r.rank)
		}
	}
	return out
}

func which(ranks []int, of int) string {
	if len(ranks) == of {
		return "every rank"
	}
	var names []string
	for _, r := range ranks {
		names = append(names, fmt.Sprint(r))
	}
	if len(names) == 1 {
		return "rank " + names[0]
	}
	return "ranks " + strings.Join(names, ", ")
}

// measures keeps the largest of each measure, and the smallest speed-up: the slowest rank is the one that all wait for.
func measures(out *dynamic.Result, r ofRank) {
	for k, v := range r.Check.Metrics {
		if out.Check.Metrics == nil {
			out.Check.Metrics = map[string]float64{}
		}
		have, ok := out.Check.Metrics[k]
		switch {
		case !ok:
			out.Check.Metrics[k] = v
		case k == "speedup":
			out.Check.Metrics[k] = min(have, v)
		default:
			out.Check.Metrics[k] = max(have, v)
		}
	}
}

// regions keeps the worst outcome of each region.
func regions(out *dynamic.Result, r ofRank) {
	for _, g := range r.Check.Regions {
		i := slices.IndexFunc(out.Check.Regions, func(x finding.RegionResult) bool { return x.Name == g.Name })
		if g.Status != finding.StatusPass && g.Reason != "" {
			g.Reason = fmt.Sprintf("rank %d: %s", r.rank, g.Reason)
		}
		switch {
		case i < 0:
			out.Check.Regions = append(out.Check.Regions, g)
		case badness(ofRank{Result: &dynamic.Result{Check: finding.CheckResult{Status: g.Status}}}) <
			badness(ofRank{Result: &dynamic.Result{Check: finding.CheckResult{Status: out.Check.Regions[i].Status}}}):
			out.Check.Regions[i] = g
		}
	}
}

// onRanks comes before the ranks that a finding was seen on, where it is not all of them.
const onRanks = ", seen on "

// union gives what the ranks found, each place once.
func union(all []ofRank) []finding.Finding {
	var out []finding.Finding
	var on [][]int
	for _, r := range all {
		for _, f := range r.Findings {
			i := slices.IndexFunc(out, func(g finding.Finding) bool {
				return g.Rule == f.Rule && g.Path == f.Path && g.Line == f.Line && g.Region == f.Region
			})
			if i < 0 {
				out, on = append(out, f), append(on, nil)
				i = len(out) - 1
			}
			if f.Severity.AtLeast(out[i].Severity) {
				out[i].Severity = f.Severity
			}
			on[i] = append(on[i], r.rank)
		}
	}
	for i := range out {
		if ranks := slices.Compact(on[i]); len(ranks) < len(all) {
			out[i].Message += onRanks + which(ranks, len(all)) + " only"
		}
	}
	return out
}
