package dynamic

import (
	"fmt"
	"slices"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// Sources and codes that the harness writes into warnings and errors.
const (
	SyncDebug     = "torch.sync_debug"      // torch's own sync-debug mode, as a Python warning
	GPUTrace      = "torch.gpu_trace"       // torch's trace callbacks: explicit waits
	Stderr        = "torch.stderr"          // the mode's words on file descriptor 2, without a place
	CaptureQuery  = "harness.capture_query" // code asked whether it is being captured
	InnerCapture  = "harness.inner_capture" // a capture inside the step failed
	Shortened     = "harness.shortened"     // a phase had no time for all steps; the text says for which
	CacheFlush    = "harness.cache_flush"   // torch.cuda.empty_cache was called
	Definition    = "harness.definition"    // where step is defined
	Enters        = "harness.enters"        // where a change that must not matter, named by of, gets into the result
	RegionAt      = "harness.region"        // where a region is defined; the text is its name
	CaptureFailed = "capture_failed"        // code of an error: a region could not be captured
	WholeStep     = "step"                  // the region that is the whole step
	otherRank     = "other_rank"            // code of an error: another rank gave up
	FirstStep     = "first_step"            // measure: the first step after warm-up
	RegionMeasure = "region"                // measure: a region that is to be captured (1) or stays eager (0)

	SyncAll          = "sync_all"  // measure: how many replayed steps are to be looked at for waits
	ReferenceMeasure = "reference" // measure: a reference that outputs are to be compared with, by its name
)

// Input is one run as a check judges it.
type Input struct {
	Trace *trace.Trace
	Root  string // of the repository, absolute: frames below it are the repository's
	// Died are the processes that ended before their time; phases that they did not finish are errors.
	Died []trace.Death
	// Disabled are detectors that are to see nothing, see EnvDisable.
	Disabled []string
	// NeedProbe makes the absence of the probe an error where a check cannot prove anything without it.
	NeedProbe bool
	Max, Min  *float64 // the check's own bounds, nil when not set
}

// OtherRank reports whether an error only says that another rank gave up.
func OtherRank(e *trace.Error) bool { return e.Code == otherRank }

// Result is what a check gives.
type Result struct {
	Check    finding.CheckResult
	Findings []finding.Finding
	// ByFindings is true when the check failed because of its findings and nothing else: it passes when all of them
	// are suppressed.
	ByFindings bool
}

// New is a result that passes until something is found.
func New(name string) *Result {
	return &Result{Check: finding.CheckResult{Name: name, Status: finding.StatusPass, Metrics: map[string]float64{}}}
}

// Fail makes the result a violation.
func (r *Result) Fail(format string, args ...any) {
	r.Check.Status, r.Check.Reason = finding.StatusFail, fmt.Sprintf(format, args...)
}

// HasProbe reports whether the probe recorded the run.
func (in *Input) HasProbe() bool {
	return slices.ContainsFunc(in.Trace.Files, func(f trace.File) bool { return f.Header != nil && f.Header.Writer == "probe" })
}

// Blocked is why a phase gives no data, as the result of the check that needs it: it was not finished. It is nil when
// the phase is whole in at least one process and the run lost no events.
func (in *Input) Blocked(check, phase string) *Result {
	why := in.unfinished(phase)
	if why == "" {
		return nil
	}
	return &Result{Check: finding.CheckResult{Name: check, Status: finding.StatusError, Reason: why}}
}

// Finished reports whether a phase ended well and its record is whole.
func (in *Input) Finished(phase string) bool { return in.unfinished(phase) == "" }

func (in *Input) unfinished(phase string) string {
	var entered, failed bool
	var reason string
	for _, p := range trace.Of[*trace.Phase](in.Trace) {
		switch {
		case p.Name != phase:
		case p.At == trace.Enter:
			entered = true
		case p.Status == "" || p.Status == "ok":
			return in.lost()
		default:
			failed, reason = true, p.Reason
		}
	}
	if failed {
		return in.explain(phase, reason)
	}
	if len(in.Died) > 0 {
		return in.Died[0].How
	}
	if entered {
		return in.explain(phase, "the "+phase+" phase did not end")
	}
	return in.explain("", "the "+phase+" phase was not reached")
}

// lost is why even a finished phase cannot be believed: its file has holes. A process that died later is no hole.
func (in *Input) lost() string {
	if len(in.Died) > 0 {
		return ""
	}
	return in.Trace.Incomplete()
}

// explain takes the first error of the phase (of the run, when phase is empty) for the reason, with its place.
func (in *Input) explain(phase, fallback string) string {
	for _, e := range in.Trace.Errors() {
		if e.Code == CaptureFailed || phase != "" && e.Phase != phase {
			continue
		}
		s := e.Text
		if p := in.Place(e.Frames); p.Line > 0 {
			s = fmt.Sprintf("%s (%s:%d)", s, p.Path, p.Line)
		}
		if e.Hint != "" {
			s += ": " + e.Hint
		}
		return s
	}
	return fallback
}

// FirstStep is the number of the first step after warm-up, -1 when the run did not get that far.
func (in *Input) FirstStep() int {
	for _, m := range trace.Of[*trace.Measure](in.Trace) {
		if m.Name == FirstStep {
			return int(m.Value)
		}
	}
	return -1
}

// Steps are the measured steps of a phase, in order.
func (in *Input) Steps(phase string) []*trace.Step {
	first := in.FirstStep()
	var out []*trace.Step
	for _, s := range trace.Of[*trace.Step](in.Trace) {
		if s.Phase == phase && s.At == trace.Enter && first >= 0 && s.I >= first {
			out = append(out, s)
		}
	}
	return out
}
