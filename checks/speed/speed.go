// Package speed is the speed check: the time of a replayed step beside that of an eager one, taken in turn.
package speed

import (
	"fmt"
	"slices"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

const phase = "speed"

// Check judges the speed phase. It fails only under a bound that the configuration sets.
func Check(in *dynamic.Input) *dynamic.Result {
	if r := in.Blocked(finding.CheckSpeed, phase); r != nil {
		return r
	}
	r := dynamic.New(finding.CheckSpeed)
	var eager, replay []float64
	for _, m := range trace.Of[*trace.Measure](in.Trace) {
		if m.Phase != phase {
			continue
		}
		switch m.Name {
		case "step_eager":
			eager = m.Samples
		case "step_replay":
			replay = m.Samples
		}
	}
	if len(eager) == 0 || len(replay) == 0 {
		r.Check.Status, r.Check.Reason = finding.StatusError, "no step was timed"
		for _, w := range trace.Of[*trace.Warning](in.Trace) {
			if w.Phase == phase && w.Source == "harness" {
				r.Check.Reason = w.Text
			}
		}
		return r
	}
	e, spreadE := middle(eager)
	g, spreadG := middle(replay)
	m := r.Check.Metrics
	m["eager_us"], m["eager_spread"], m["replay_us"], m["replay_spread"] = e, spreadE, g, spreadG
	if g <= 0 {
		r.Check.Status, r.Check.Reason = finding.StatusError, "the clock did not move"
		return r
	}
	m["speedup"] = e / g
	r.Check.Reason = fmt.Sprintf("replay %.1f µs, eager %.1f µs: %.2f× (medians of %d runs in turn, spread %.0f %% and %.0f %%)",
		g, e, e/g, len(replay), 100*spreadG, 100*spreadE)
	if in.Min != nil && e/g < *in.Min {
		r.Fail("%s, less than the %g× that is asked for", r.Check.Reason, *in.Min)
	}
	return r
}

// middle is the median, and the distance between the quartiles as a part of it.
func middle(samples []float64) (median, spread float64) {
	s := slices.Sorted(slices.Values(samples))
	at := func(q float64) float64 {
		pos := q * float64(len(s)-1)
		i := int(pos)
		if i+1 >= len(s) {
			return s[i]
		}
		return s[i] + (pos-float64(i))*(s[i+1]-s[i])
	}
	median = at(0.5)
	if median > 0 {
		spread = (at(0.75) - at(0.25)) / median
	}
	return median, spread
}
