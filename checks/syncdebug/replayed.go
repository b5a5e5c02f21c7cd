package syncdebug

import (
	"fmt"
	"strings"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// replayPhase is where every step was looked at, when that was asked for.
const replayPhase = "replay"

// replayed adds what replayed steps showed between their graphs and the eager ones had not: a wait that comes with a later
// step only. Where all steps were asked for and the replay did not come to its end, there is no pass.
func replayed(in *dynamic.Input, r *dynamic.Result, eager *seen) {
	asked := false
	for _, m := range trace.Of[*trace.Measure](in.Trace) {
		asked = asked || m.Name == dynamic.SyncAll
	}
	if !asked {
		return
	}
	steps := max(0, len(in.Steps(replayPhase)))
	if b := in.Blocked(finding.CheckSync, replayPhase); b != nil || steps == 0 {
		if r.Check.Status == finding.StatusPass {
			r.Check.Status, r.Check.Reason = finding.StatusError, "the replayed steps were to be looked at and were not"
			if b != nil {
				r.Check.Reason += ": " + b.Check.Reason
			}
		}
		return
	}
	r.Check.Metrics["replayed_steps"] = float64(steps)
	known := map[dynamic.Place]bool{}
	for _, f := range eager.set.All() {
		known[key(f.Place)] = true
	}
	s := look(in, replayPhase)
	first := s.firstSteps()
	more := 0
	for _, f := range s.set.All() {
		if known[key(f.Place)] {
			continue
		}
		more++
		n := max(s.probed[f], s.torch[f], s.hooks[f])
		f.Evidence = append(f.Evidence, s.evidence(f, steps)...)
		f.Message += fmt.Sprintf(" (%d× in %s, first in step %d; no eager step that was looked at does it)", n, plural(steps, "replayed step"), first[key(f.Place)])
		x := in.Finding(finding.CheckSync, f, finding.Error)
		if p := s.probed[f]; p > 0 {
			x.Cost = &finding.Cost{Calls: float64(p) / float64(steps), Blocked: float64(f.Nanos) / 1e3 / float64(steps)}
		}
		r.Findings = append(r.Findings, x)
	}
	switch {
	case more > 0 && r.Check.Status == finding.StatusFail:
		r.Check.Reason += fmt.Sprintf("; and at %s more in replayed steps", plural(more, "line"))
	case more > 0:
		r.Fail("the host waits for the device at %s between the graphs of replayed steps", plural(more, "line"))
		r.ByFindings = true
	case r.Check.Status == finding.StatusPass:
		r.Check.Reason = strings.TrimPrefix(r.Check.Reason+fmt.Sprintf("; %s looked at as well, between their graphs", plural(steps, "replayed step")), "; ")
	}
}

// key tells places apart as dynamic.Set does.
func key(p dynamic.Place) dynamic.Place {
	p.Function = ""
	return p
}

// firstSteps are the steps in which each place was seen first.
func (s *seen) firstSteps() map[dynamic.Place]int {
	out := map[dynamic.Place]int{}
	for _, e := range s.in.Trace.Events {
		c := e.Base()
		if !s.measured(c) {
			continue
		}
		var frames []trace.Frame
		switch e := e.(type) {
		case *trace.API:
			frames = e.Frames
		case *trace.Warning:
			frames = e.Frames
		}
		k := key(s.in.Place(frames))
		if _, ok := out[k]; !ok && frames != nil {
			out[k] = c.Step
		}
	}
	return out
}
