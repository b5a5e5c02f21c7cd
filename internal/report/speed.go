package report

import (
	"fmt"
	"slices"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// Speed compares an eager step with a replayed one. Times are in µs.
type Speed struct {
	Ratio  float64
	Max    float64 // right end of the axis
	Series []Series
}

// Series are the samples of one way of running the step.
type Series struct {
	Name             string
	Samples          []float64
	Low, Mid, High   float64 // quartiles
	Fastest, Slowest float64
}

// speed is nil when nothing was timed.
func speed(r *finding.Results, t *trace.Trace) *Speed {
	s := &Speed{}
	for _, x := range []struct{ measure, name string }{{"step_eager", "eager"}, {"step_replay", "graph replay"}} {
		for _, m := range trace.Of[*trace.Measure](t) {
			if m.Name == x.measure && len(m.Samples) > 0 {
				s.Series = append(s.Series, series(x.name, m.Samples))
				break
			}
		}
	}
	if len(s.Series) < 2 || s.Series[1].Mid <= 0 {
		return nil
	}
	for _, c := range r.Checks {
		if c.Name == finding.CheckSpeed {
			s.Ratio = c.Metrics["speedup"]
		}
	}
	if s.Ratio == 0 {
		s.Ratio = s.Series[0].Mid / s.Series[1].Mid
	}
	for _, x := range s.Series {
		// A single slow run must not press all the others against the left edge.
		s.Max = max(s.Max, min(x.Slowest, 3*x.High))
	}
	s.Max *= 1.05
	return s
}

func series(name string, samples []float64) Series {
	v := slices.Sorted(slices.Values(samples))
	at := func(q float64) float64 {
		p := q * float64(len(v)-1)
		i := int(p)
		if i+1 >= len(v) {
			return v[i]
		}
		return v[i] + (p-float64(i))*(v[i+1]-v[i])
	}
	return Series{Name: name, Samples: thin(samples, 400), Low: at(0.25), Mid: at(0.5), High: at(0.75), Fastest: v[0], Slowest: v[len(v)-1]}
}

// thin keeps at most n samples, evenly.
func thin(v []float64, n int) []float64 {
	if len(v) <= n {
		return v
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = v[i*len(v)/n]
	}
	return out
}

// X is where a time lies on the axis, in percent.
func (s *Speed) X(us float64) string { return fmt.Sprintf("%.2f", 100*min(1, us/s.Max)) }

// W is the width of a range of times, in percent.
func (s *Speed) W(from, to float64) string {
	return fmt.Sprintf("%.2f", max(0.2, 100*(min(1, to/s.Max)-min(1, from/s.Max))))
}
