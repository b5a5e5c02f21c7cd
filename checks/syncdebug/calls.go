package syncdebug

import (
	"slices"

	"github.com/gatebot/gatebot/checks/calls"
	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// Rules for waits that the source scan did not find; where it did, its rule stays.
const (
	ruleRead   = "GB103"
	ruleDevice = "GB106"
	ruleStream = "GB107"
	ruleEvent  = "GB108"
)

// waits are the classes of calls that can make the host wait. Memory and code are other checks' matter.
var waits = []trace.Class{trace.ClassSync, trace.ClassQuery, trace.ClassCopy, trace.ClassSet}

// calls goes through what the probe recorded. A copy that the host waits for is two calls and one thing: the wait that
// follows a copy on the same thread and stream, from the same place, is counted as the copy's.
func (s *seen) calls() {
	s.probed = map[*dynamic.Found]int{}
	held := map[int]*trace.API{} // the last copy, by thread
	for _, a := range trace.Of[*trace.API](s.in.Trace) {
		if !s.measured(&a.Common) || !slices.Contains(waits, a.Class) {
			continue
		}
		if c := held[a.TID]; c != nil {
			delete(held, a.TID)
			if a.Class == trace.ClassSync && a.Stream == c.Stream && s.in.Place(a.Frames) == s.in.Place(c.Frames) {
				s.call(c, a)
				continue
			}
			s.call(c, nil)
		}
		if a.Class == trace.ClassCopy {
			held[a.TID] = a
			continue
		}
		s.call(a, nil)
	}
	for _, a := range held {
		s.call(a, nil)
	}
}

// call counts one call that is a hazard; others are passed by. Allocators ask for the state of events by themselves:
// that is no one's line.
func (s *seen) call(a, wait *trace.API) {
	rule, severity, what, ok := calls.Hazard(a, wait)
	if !ok || severity == finding.Info {
		return
	}
	f := s.set.At(s.in.Place(a.Frames))
	say(f, rule, what+": "+a.Name, a.Region, a.Frames, true)
	if s.torch[f] > 0 && f.Rule == ruleRead {
		f.Rule, f.Message = rule, what+": "+a.Name // the mode says only that it waits
	}
	s.probed[f]++
	took := a.Dur
	if wait != nil {
		took += wait.Dur
	}
	f.Nanos += took
	s.blocked += took
}
