package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// maxMarks bounds what one time line draws; a step of 61 layers has about 3,000 events.
const maxMarks = 12_000

// Lanes of the time line, top to bottom.
const (
	LaneLaunch = iota
	LaneCopy
	LaneWait
	LaneOther
	laneCount
)

// LaneNames are the lanes as the page calls them.
var LaneNames = [laneCount]string{"launches", "copies", "host waits", "other calls"}

// Timeline is the host's side of one step: what it asked of the device, and how long it waited. Times are in µs from
// the start of the step.
type Timeline struct {
	What      string // which step of which phase
	Length    float64
	Marks     []Mark
	Bands     []Band
	Launches  int
	Waited    float64 // µs that the host was blocked, in waits and in copies that wait
	Cut       int     // events that were left out
	Labels    []string
	violating int
}

// Mark is one call.
type Mark struct {
	Lane      int
	At, Dur   float64
	Label     int // in Labels
	Region    string
	Violation bool
	Place     string
}

// Band is one region.
type Band struct {
	Name     string
	At, Dur  float64
	Eager    bool
	Violates bool
}

// Violations is the number of marked calls.
func (t *Timeline) Violations() int { return t.violating }

// window is one step of one process.
type window struct {
	phase    string
	step     int
	mode     string
	pid      int
	from, to int64
}

// timeline draws the step that tells most: one that the probe recorded, of the sync phase when there is one. It is nil
// when the trace has no calls.
func timeline(in Input) *Timeline {
	w, ok := pick(in.Trace)
	if !ok {
		return nil
	}
	t := &Timeline{Length: us(w.to - w.from)}
	t.What = "the recorded run"
	if w.step >= 0 {
		t.What = fmt.Sprintf("step %d of the %s phase", w.step, w.phase)
	}
	bad := badLines(in.Results)
	labels := map[string]int{}
	for _, e := range in.Trace.Events {
		c := e.Base()
		if c.PID != w.pid || c.Time < w.from || c.Time > w.to {
			continue
		}
		switch e := e.(type) {
		case *trace.Launch:
			t.Launches++
			t.add(labels, Mark{Lane: LaneLaunch, At: us(c.Time - w.from), Dur: us(e.Dur), Region: c.Region}, kernel(e.Kernel))
		case *trace.API:
			m := Mark{Lane: lane(e), At: us(c.Time - w.from), Dur: us(e.Dur), Region: c.Region, Place: place(in, e.Frames)}
			m.Violation = m.Place != "" && bad[m.Place] && m.Lane != LaneOther || e.Code != 0 && e.Class != trace.ClassQuery
			if m.Lane == LaneWait || m.Lane == LaneCopy && m.Violation {
				t.Waited += m.Dur
			}
			t.add(labels, m, label(e))
		}
	}
	t.Bands = bands(in.Trace, w, t.Marks)
	if len(t.Marks) == 0 {
		return nil
	}
	return t
}

func (t *Timeline) add(labels map[string]int, m Mark, text string) {
	if len(t.Marks) >= maxMarks {
		t.Cut++
		return
	}
	i, ok := labels[text]
	if !ok {
		i = len(t.Labels)
		labels[text] = i
		t.Labels = append(t.Labels, text)
	}
	m.Label = i
	if m.Violation {
		t.violating++
	}
	t.Marks = append(t.Marks, m)
}

func us(ns int64) float64 { return float64(ns) / 1e3 }

// pick is the step to draw: the last one of the sync phase that has calls, else of any eager phase, else the whole run.
func pick(t *trace.Trace) (window, bool) {
	var all []window
	open := map[int]window{}
	calls := map[[2]int]int{} // by process and step
	for _, e := range t.Events {
		c := e.Base()
		switch e := e.(type) {
		case *trace.Step:
			if e.At == trace.Enter {
				open[c.PID] = window{phase: c.Phase, step: e.I, mode: e.Mode, pid: c.PID, from: c.Time}
			} else if w, ok := open[c.PID]; ok {
				w.to = c.Time
				all = append(all, w)
				delete(open, c.PID)
			}
		case *trace.API, *trace.Launch:
			if w, ok := open[c.PID]; ok {
				calls[[2]int{c.PID, len(all)}]++
				_ = w
			}
		}
	}
	order := map[string]int{"sync": 3, "drift": 2, "eager": 1}
	best, found := window{}, false
	for i, w := range all {
		if calls[[2]int{w.pid, i}] == 0 || w.mode == "replay" {
			continue
		}
		if !found || order[w.phase] > order[best.phase] || order[w.phase] == order[best.phase] && w.step >= best.step {
			best, found = w, true
		}
	}
	if found {
		return best, true
	}
	return whole(t)
}

// whole is the run from its first call to its last, for a program without steps.
func whole(t *trace.Trace) (window, bool) {
	w, ok := window{step: -1}, false
	for _, e := range t.Events {
		c := e.Base()
		switch e.(type) {
		case *trace.API, *trace.Launch:
			if !ok {
				w.pid, w.from, ok = c.PID, c.Time, true
			}
			if c.PID == w.pid {
				w.to = c.Time
			}
		}
	}
	return w, ok && w.to > w.from
}

// badLines are the places of findings that gate.
func badLines(r *finding.Results) map[string]bool {
	out := map[string]bool{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Suppressed != nil || f.Severity == finding.Info || f.Confidence != finding.Proven {
			continue
		}
		for n := f.Line; n <= max(f.Line, min(f.EndLine, f.Line+50)); n++ {
			out[fmt.Sprintf("%s:%d", f.Path, n)] = true
		}
	}
	return out
}

// bands are the regions of a step.
func bands(t *trace.Trace, w window, marks []Mark) []Band {
	var out []Band
	var open []int
	for _, m := range trace.Of[*trace.Region](t) {
		if m.PID != w.pid || m.Time < w.from || m.Time > w.to {
			continue
		}
		if m.At == trace.Enter {
			open = append(open, len(out))
			out = append(out, Band{Name: m.Name, At: us(m.Time - w.from), Dur: us(w.to - m.Time), Eager: m.Eager})
			continue
		}
		for i := len(open) - 1; i >= 0; i-- {
			if b := &out[open[i]]; b.Name == m.Name {
				b.Dur = us(m.Time-w.from) - b.At
				open = slices.Delete(open, i, i+1)
				break
			}
		}
	}
	for i := range out {
		for _, m := range marks {
			if m.Violation && m.At >= out[i].At && m.At <= out[i].At+out[i].Dur {
				out[i].Violates = true
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Band) int { return cmp.Compare(a.At, b.At) })
	return out
}
