// Package judge puts the checks on a recorded run together: it runs them, gives what they found one place each, and
// merges it with what the source scan found there. It is pure: the same trace gives the same results anywhere.
package judge

import (
	"slices"
	"strings"

	"github.com/gatebot/gatebot/checks/alloc"
	"github.com/gatebot/gatebot/checks/capture"
	"github.com/gatebot/gatebot/checks/drift"
	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/checks/replay"
	"github.com/gatebot/gatebot/checks/speed"
	"github.com/gatebot/gatebot/checks/syncdebug"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// checks are the checks by name.
var checks = map[string]func(*dynamic.Input) *dynamic.Result{
	finding.CheckSync:    syncdebug.Check,
	finding.CheckDrift:   drift.Check,
	finding.CheckAlloc:   alloc.Check,
	finding.CheckCapture: capture.Check,
	finding.CheckReplay:  replay.Check,
	finding.CheckSpeed:   speed.Check,
}

// Check runs one check. What it found outside any line of the repository is said of the step's definition.
func Check(name string, in *dynamic.Input) *dynamic.Result {
	r := seen(name, in)
	if why := in.Blind(); why != "" && r.Check.Status != finding.StatusFail {
		r.Check.Status, r.Check.Reason = finding.StatusError, why+": this run shows nothing"
	}
	return r
}

// seen runs one check, unless it is to see nothing.
func seen(name string, in *dynamic.Input) *dynamic.Result {
	if slices.Contains(in.Disabled, name) {
		return dynamic.New(name)
	}
	if ranks := in.Trace.Ranks(); len(ranks) > 1 {
		// A region that one rank cannot capture is replayed by none.
		return afterFailure(name, in, several(in, ranks, func(one *dynamic.Input) *dynamic.Result { return alone(name, one) }))
	}
	return alone(name, in)
}

// alone runs a check on the record of one rank.
func alone(name string, in *dynamic.Input) *dynamic.Result {
	r := afterFailure(name, in, checks[name](in))
	for _, w := range trace.Of[*trace.Warning](in.Trace) {
		if w.Source == dynamic.Shortened && w.Phase == name && r.Check.Status != finding.StatusError {
			r.Check.Reason = strings.TrimPrefix(r.Check.Reason+"; "+w.Text, "; ")
		}
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Path == "" {
			p := in.StepPlace()
			f.Path, f.Line, f.EndLine, f.Function = p.Path, max(p.Line, 1), max(p.Line, 1), p.Function
			f.Message += "; no line of the repository is in the stack"
		}
	}
	return r
}

// afterFailure turns a check that could not run because a region cannot be captured into one that was not run: there was
// nothing to replay, and the violation is the capture's.
func afterFailure(name string, in *dynamic.Input, r *dynamic.Result) *dynamic.Result {
	if !dependent(name) || r.Check.Status != finding.StatusError || !captureFailed(in) {
		return r
	}
	return &dynamic.Result{Check: finding.CheckResult{Name: name, Status: finding.StatusNotRun,
		Reason: "nothing to replay: a region cannot be captured"}}
}

func dependent(name string) bool { return name == finding.CheckReplay || name == finding.CheckSpeed }

func captureFailed(in *dynamic.Input) bool {
	for _, e := range in.Trace.Errors() {
		if e.Code == dynamic.CaptureFailed {
			return true
		}
	}
	return false
}
