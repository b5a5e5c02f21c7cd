// Package syncdebug is the sync check: every wait of the host for the device in a step, with the line that made it. The
// probe sees the calls themselves; torch's own sync-debug mode runs beside it and is evidence. Without the probe the
// mode and torch's trace callbacks are all there is, and they do not see what native code does by itself.
package syncdebug

import (
	"fmt"
	"strings"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

const phase = "sync"

// Check judges the sync phase.
func Check(in *dynamic.Input) *dynamic.Result {
	if r := in.Blocked(finding.CheckSync, phase); r != nil {
		return r
	}
	r := dynamic.New(finding.CheckSync)
	steps := len(in.Steps(phase))
	if steps == 0 {
		r.Check.Status, r.Check.Reason = finding.StatusError, "no step was measured"
		return r
	}
	s := look(in, phase)
	s.report(r, steps)
	replayed(in, r, s)
	return r
}

// look gathers what a phase showed.
func look(in *dynamic.Input, phase string) *seen {
	s := &seen{in: in, phase: phase, first: in.FirstStep()}
	s.warnings()
	if in.HasProbe() {
		s.calls()
	}
	return s
}

// seen is what a phase showed, by place.
type seen struct {
	in       *dynamic.Input
	phase    string
	first    int
	set      dynamic.Set
	probed   map[*dynamic.Found]int // calls that the probe saw
	torch    map[*dynamic.Found]int // warnings of torch's mode
	hooks    map[*dynamic.Found]int // torch's trace callbacks
	unplaced int                    // warnings that say no place
	blocked  int64                  // ns in blocking calls
}

// measured reports whether an event belongs to a measured step of the phase. In the replay phase a region is being
// captured, which is the capture check's matter.
func (s *seen) measured(c *trace.Common) bool {
	return c.Phase == s.phase && c.Step >= s.first && (s.phase == phase || c.Region == "")
}

func (s *seen) warnings() {
	s.torch, s.hooks = map[*dynamic.Found]int{}, map[*dynamic.Found]int{}
	for _, w := range trace.Of[*trace.Warning](s.in.Trace) {
		if w.Source == dynamic.Stderr && w.Phase == s.phase {
			s.unplaced++
			continue
		}
		if !s.measured(&w.Common) || w.Source != dynamic.SyncDebug && w.Source != dynamic.GPUTrace {
			continue
		}
		f := s.set.At(s.in.Place(w.Frames))
		if w.Source == dynamic.SyncDebug {
			s.torch[f]++
		} else {
			s.hooks[f]++
		}
		rule, message := ruleOf(w)
		say(f, rule, message, w.Region, w.Frames, w.Source == dynamic.SyncDebug)
	}
}

// say keeps the first description, unless a more telling one comes.
func say(f *dynamic.Found, rule, message, region string, frames []trace.Frame, telling bool) {
	if f.Rule == "" || telling && weak[f.Rule] {
		f.Rule, f.Message = rule, message
	}
	if f.Frames == nil {
		f.Frames, f.Region = frames, region
	}
}

// weak are the rules that name only the wait and not why it was needed.
var weak = map[string]bool{ruleStream: true}

func ruleOf(w *trace.Warning) (rule, message string) {
	if w.Source == dynamic.SyncDebug {
		return ruleRead, "waits for the device: torch's sync-debug mode reports it"
	}
	switch {
	case strings.HasPrefix(w.Text, "device"):
		return ruleDevice, "waits for the whole device"
	case strings.HasPrefix(w.Text, "event"):
		return ruleEvent, "makes the host wait for an event"
	}
	return ruleStream, "makes the host wait for a stream"
}

func (s *seen) report(r *dynamic.Result, steps int) {
	total, mode, gating := 0, 0, 0
	for _, f := range s.set.All() {
		calls := max(s.probed[f], s.torch[f], s.hooks[f])
		total += calls
		mode += s.torch[f]
		f.Evidence = append(f.Evidence, s.evidence(f, steps)...)
		if f.Place.Inner != "" {
			f.Message += ", in " + f.Place.Inner
		}
		f.Message += fmt.Sprintf(" (%s a step)", times(calls, steps))
		gating++
		x := s.in.Finding(finding.CheckSync, f, finding.Error)
		if n := s.probed[f]; n > 0 {
			x.Cost = &finding.Cost{Calls: float64(n) / float64(steps), Blocked: float64(f.Nanos) / 1e3 / float64(steps)}
		}
		r.Findings = append(r.Findings, x)
	}
	m := r.Check.Metrics
	m["steps"], m["calls_per_step"] = float64(steps), float64(total)/float64(steps)
	m["torch_mode_calls_per_step"] = float64(mode) / float64(steps)
	if s.in.HasProbe() {
		m["blocked_us_per_step"] = float64(s.blocked) / 1e3 / float64(steps)
	}
	switch {
	case gating > 0:
		r.Fail("the host waits for the device at %s, %s a step", plural(gating, "line"), times(total, steps))
		r.ByFindings = true
	case s.broken() != "":
		r.Check.Status, r.Check.Reason = finding.StatusError, s.broken()
	case s.unplaced > 0:
		r.Fail("torch's mode reported %s on stderr, without a place (run under the probe to find them)", plural(s.unplaced, "wait"))
	case !s.in.HasProbe() && s.in.NeedProbe:
		r.Check.Status = finding.StatusError
		r.Check.Reason = "probe missing: torch's sync-debug mode saw no wait, and it does not see those of native code " +
			"(put gatebot-probe.so beside gatebot)"
	case !s.in.HasProbe():
		r.Check.Reason = "by torch's sync-debug mode and trace callbacks alone: the probe is missing, and waits of native code are not seen"
	}
}

// broken says why the probe did not see everything, "" when it did or was not there.
func (s *seen) broken() string {
	for _, e := range s.in.Trace.Errors() {
		if e.Base().Ev == trace.KindError && e.Source == "probe" {
			return strings.TrimSuffix("the probe: "+e.Text+": "+e.Hint, ": ")
		}
	}
	return ""
}

func (s *seen) evidence(f *dynamic.Found, steps int) []finding.Evidence {
	var out []finding.Evidence
	if n := s.probed[f]; n > 0 {
		text := times(n, steps) + " a step"
		if f.Nanos > 0 {
			text += fmt.Sprintf(", the host blocked for %.1f µs of it", float64(f.Nanos)/1e3/float64(steps))
		}
		out = append(out, finding.Evidence{Kind: finding.EvidenceAPICall, Message: text})
	}
	if n := s.torch[f]; n > 0 {
		out = append(out, finding.Evidence{Kind: finding.EvidenceSyncDebug, Message: "torch's sync-debug mode warned " + times(n, steps) + " a step"})
	} else {
		out = append(out, finding.Evidence{Kind: finding.EvidenceSyncDebug, Message: "torch's sync-debug mode did not see it"})
	}
	if n := s.hooks[f]; n > 0 {
		out = append(out, finding.Evidence{Kind: finding.EvidenceAPICall, Message: "torch's trace callbacks told of it " + times(n, steps) + " a step"})
	}
	return out
}

// times is n over steps as people say it.
func times(n, steps int) string {
	if n%steps == 0 {
		return fmt.Sprintf("%d×", n/steps)
	}
	return fmt.Sprintf("%.2g×", float64(n)/float64(steps))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
