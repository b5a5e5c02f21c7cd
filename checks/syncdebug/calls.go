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

// calls goes through what the probe recorded.
func (s *seen) calls() {
	s.probed = map[*dynamic.Found]int{}
	joiner := calls.Joiner{Give: s.call}
	for _, a := range trace.Of[*trace.API](s.in.Trace) {
		if s.measured(&a.Common) && slices.Contains(waits, a.Class) {
			joiner.Add(a)
		}
	}
	joiner.End()
}

// call counts one call that is a hazard; others are passed by, as are those that allocators make by themselves.
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
