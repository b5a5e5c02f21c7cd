// Package alloc is the allocation check: what each step takes from the caching allocator, and what it makes the driver
// do. Allocations inside a captured region are legal, so that they are counted and shown; memory that goes back to the
// driver, or that is page-locked in every step, is a hazard.
package alloc

import (
	"fmt"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

const phase = "alloc"

// kinds are what a place can do to memory, worst first.
var kinds = []struct {
	op, rule, message string
	severity          finding.Severity
	gates             bool
}{
	{"segment_free", "GB304", "gives memory back to the driver, which waits for the device", finding.Error, true},
	{"pin", "GB303", "page-locks host memory", finding.Error, true},
	{"alloc", "GB302", "takes memory from the caching allocator", finding.Info, false},
}

// Check judges the alloc phase.
func Check(in *dynamic.Input) *dynamic.Result {
	if r := in.Blocked(finding.CheckAlloc, phase); r != nil {
		return r
	}
	r := dynamic.New(finding.CheckAlloc)
	steps := len(in.Steps(phase))
	measures(in, r)
	gating := flushes(in, r) + driver(in, r)
	for _, k := range kinds {
		n := place(in, r, k.op, func(f *dynamic.Found, times int) finding.Finding {
			f.Rule = k.rule
			f.Message = fmt.Sprintf("%s (%.3g× a step)", k.message, float64(times)/float64(max(steps, 1)))
			if k.op == "pin" {
				f.Message = k.message + " in every step"
			}
			return in.Finding(finding.CheckAlloc, f, k.severity)
		})
		if k.gates {
			gating += n
		}
	}
	allocs, ok := r.Check.Metrics["allocs_per_step"]
	switch {
	case steps == 0 || !ok:
		r.Check.Status, r.Check.Reason = finding.StatusError, "no step was measured"
	case gating > 0:
		r.Fail("%s", r.Findings[0].Message)
		r.ByFindings = true
	case in.Max != nil && allocs > *in.Max:
		r.Fail("%g allocations a step, more than the %g that are allowed", allocs, *in.Max)
	default:
		r.Check.Reason = fmt.Sprintf("%g allocations a step", allocs)
		if n, ok := r.Check.Metrics["replay_allocs_per_step"]; ok {
			r.Check.Reason += fmt.Sprintf(" run eagerly; captured regions make %g when replayed", n)
		}
	}
	return r
}

// flushes are calls that empty the allocator's cache. They free nothing on a day when every block is in use; that they
// are made in every step is enough.
func flushes(in *dynamic.Input, r *dynamic.Result) int {
	var set dynamic.Set
	for _, w := range trace.Of[*trace.Warning](in.Trace) {
		if w.Source != dynamic.CacheFlush || w.Phase != phase || w.Step < in.FirstStep() {
			continue
		}
		f := set.At(in.Place(w.Frames))
		f.Count++
		f.Rule, f.Message, f.Frames, f.Region = "GB304", w.Text+" in every step", w.Frames, w.Region
	}
	n := 0
	for _, f := range set.All() {
		if f.Count > 1 {
			n++
			f.Evidence = []finding.Evidence{{Kind: finding.EvidenceAPICall, Message: "torch.cuda.empty_cache"}}
			r.Findings = append(r.Findings, in.Finding(finding.CheckAlloc, f, finding.Error))
		}
	}
	return n
}

// measures takes the largest count of any step. What a replayed step asks for is told apart by where: in captured regions,
// or anywhere (eager breaks allocate as they like).
func measures(in *dynamic.Input, r *dynamic.Result) {
	names := map[string]string{"allocs": "allocs_per_step", "alloc_bytes": "alloc_bytes_per_step", "segments": "segments_per_step",
		"segments_freed": "segments_freed_per_step", "pinned": "pinned_per_step"}
	replayed := map[string]string{"replay_allocs": "replay_allocs_per_step", "replay_step_allocs": "replay_step_allocs_per_step"}
	for _, m := range trace.Of[*trace.Measure](in.Trace) {
		name := names[m.Name]
		if m.Phase == "replay" {
			name = replayed[m.Name]
		} else if m.Phase != phase {
			continue
		}
		if name != "" {
			r.Check.Metrics[name] = max(r.Check.Metrics[name], m.Value)
		}
	}
}

// place reports the places that do op in at least two steps (once is start-up), and counts them. A pin is reported
// by a run line by line of one step.
func place(in *dynamic.Input, r *dynamic.Result, op string, report func(*dynamic.Found, int) finding.Finding) int {
	var set dynamic.Set
	in2 := map[*dynamic.Found]map[int]bool{}
	first := in.FirstStep()
	for _, a := range trace.Of[*trace.Alloc](in.Trace) {
		if a.Phase != phase || a.Op != op || op != "pin" && a.Step < first {
			continue
		}
		f := set.At(in.Place(a.Frames))
		f.Count++
		if in2[f] == nil {
			in2[f] = map[int]bool{}
			f.Frames, f.Region = a.Frames, a.Region
		}
		in2[f][a.Step] = true
	}
	n := 0
	staged := readBack(in)
	for _, f := range set.All() {
		if op == "pin" && staged[[2]any{f.Place.Path, f.Place.Line}] {
			continue
		}
		if op != "pin" && len(in2[f]) < 2 || f.Place.Path == "" && op == "alloc" {
			continue
		}
		n++
		x := report(f, f.Count)
		x.Evidence = append(x.Evidence, finding.Evidence{Kind: finding.EvidenceMeasured, Message: x.Message})
		r.Findings = append(r.Findings, x)
	}
	return n
}

// readBack are the lines that read device values or upload host ones and wait for it. Torch stages such copies in pinned
// memory of its own: the wait is the hazard, and the sync check has it.
func readBack(in *dynamic.Input) map[[2]any]bool {
	out := map[[2]any]bool{}
	mark := func(frames []trace.Frame) {
		p := in.Place(frames)
		out[[2]any{p.Path, p.Line}] = true
	}
	for _, w := range trace.Of[*trace.Warning](in.Trace) {
		if w.Source == dynamic.SyncDebug && w.Phase == "sync" {
			mark(w.Frames)
		}
	}
	for _, a := range trace.Of[*trace.API](in.Trace) {
		if a.Class == trace.ClassSync && a.Phase == "sync" {
			mark(a.Frames)
		}
	}
	return out
}
