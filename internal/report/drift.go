package report

import (
	"fmt"
	"strings"

	"github.com/gatebot/gatebot/internal/trace"
)

// context is how many operations are shown before and behind the first that differ.
const context = 4

// Drift holds two steps of one bucket beside each other.
type Drift struct {
	A, B  string // the steps
	Equal int    // operations that are the same from the start
	Total [2]int
	Rows  []DriftRow // around the first difference; none when there is none
}

// DriftRow is the k-th operation of both steps.
type DriftRow struct {
	K     int
	A, B  string
	Place string
	Same  bool
}

type recorded struct {
	step   int
	bucket string
	ops    []*trace.Op
}

// drift compares the first step of the drift phase with the first later one of its bucket that differs, or with the next
// of its bucket when none does. It is nil when no two steps were recorded.
func drift(in Input) *Drift {
	steps := driftSteps(in.Trace)
	first := map[string]*recorded{}
	var last *Drift
	for _, s := range steps {
		a := first[s.bucket]
		if a == nil {
			first[s.bucket] = s
			continue
		}
		d := pair(in, a, s)
		if len(d.Rows) > 0 {
			return d
		}
		if last == nil {
			last = d
		}
	}
	return last
}

func driftSteps(t *trace.Trace) []*recorded {
	var out []*recorded
	var now *recorded
	for _, e := range t.Events {
		if e.Base().Phase != "drift" {
			continue
		}
		switch e := e.(type) {
		case *trace.Step:
			now = nil
			if e.At == trace.Enter {
				now = &recorded{step: e.I, bucket: e.Bucket}
			}
		case *trace.Op:
			if now == nil {
				continue
			}
			if len(now.ops) == 0 {
				out = append(out, now)
			}
			now.ops = append(now.ops, e)
		}
	}
	return out
}

func pair(in Input, a, b *recorded) *Drift {
	d := &Drift{A: fmt.Sprintf("step %d", a.step), B: fmt.Sprintf("step %d", b.step), Total: [2]int{len(a.ops), len(b.ops)}}
	for d.Equal < len(a.ops) && d.Equal < len(b.ops) && text(a.ops[d.Equal]) == text(b.ops[d.Equal]) {
		d.Equal++
	}
	if d.Equal == len(a.ops) && d.Equal == len(b.ops) {
		return d
	}
	for k := max(0, d.Equal-context); k < min(max(len(a.ops), len(b.ops)), d.Equal+context+1); k++ {
		r := DriftRow{K: k + 1}
		if k < len(a.ops) {
			r.A, r.Place = text(a.ops[k]), place(in, a.ops[k].Frames)
		}
		if k < len(b.ops) {
			r.B = text(b.ops[k])
			if r.Place == "" {
				r.Place = place(in, b.ops[k].Frames)
			}
		}
		r.Same = r.A == r.B
		d.Rows = append(d.Rows, r)
	}
	return d
}

// text is an operation with what it works on.
func text(o *trace.Op) string {
	s := strings.TrimPrefix(o.Name, "aten.")
	if o.Args != "" {
		s += " on " + o.Args
	}
	if o.Numbers != "" {
		s += " with " + o.Numbers
	}
	return cut(s, 160)
}
