package alloc

import (
	"slices"

	"github.com/gatebot/gatebot/checks/calls"
	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

var memory = []trace.Class{trace.ClassAlloc, trace.ClassFree, trace.ClassPin, trace.ClassUnpin}

// driver reports what the probe saw of calls that take memory from the driver or give it back, in more than one step:
// once is start-up. It says how many of them gate.
func driver(in *dynamic.Input, r *dynamic.Result) int {
	var set dynamic.Set
	steps := map[*dynamic.Found]map[int]bool{}
	worst := map[*dynamic.Found]finding.Severity{}
	count := 0
	for _, a := range trace.Of[*trace.API](in.Trace) {
		if a.Phase != phase || a.Step < in.FirstStep() || !slices.Contains(memory, a.Class) {
			continue
		}
		rule, severity, what, ok := calls.Hazard(a, nil)
		if !ok {
			continue
		}
		count++
		f := set.At(in.Place(a.Frames))
		if steps[f] == nil || !worst[f].AtLeast(severity) {
			f.Rule, f.Message, f.Frames, f.Region, worst[f] = rule, what+": "+a.Name, a.Frames, a.Region, severity
		}
		if steps[f] == nil {
			steps[f] = map[int]bool{}
		}
		steps[f][a.Step] = true
		f.Count++
		f.Nanos += a.Dur
	}
	if in.HasProbe() {
		r.Check.Metrics["driver_calls"] = float64(count)
	}
	gating := 0
	for _, f := range set.All() {
		if len(steps[f]) < 2 {
			continue
		}
		f.Evidence = []finding.Evidence{{Kind: finding.EvidenceAPICall, Message: f.Message}}
		x := in.Finding(finding.CheckAlloc, f, worst[f])
		n := float64(max(len(in.Steps(phase)), 1))
		x.Cost = &finding.Cost{Calls: float64(f.Count) / n, Blocked: float64(f.Nanos) / 1e3 / n}
		r.Findings = append(r.Findings, x)
		if worst[f].AtLeast(finding.Warn) {
			gating++
		}
	}
	return gating
}
