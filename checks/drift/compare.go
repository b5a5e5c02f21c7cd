package drift

import (
	"fmt"
	"strings"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/trace"
)

// Difference is one place where two steps of a bucket part.
type Difference struct {
	Text    string
	Numbers bool // only host numbers differ, no shape and no operation
	Frames  []trace.Frame
	Region  string
}

// Differences are those of the drift phase of a run.
func Differences(in *dynamic.Input) []Difference { return compare(record(in)) }

// item is one thing that a step asked of the device.
type item struct {
	name, args, numbers string
	frames              []trace.Frame
	region              string
}

type list struct {
	i      int
	bucket string
	items  []item
}

// record reads the steps of the phase: operations of the dispatcher where there are any, else launches and copies.
func record(in *dynamic.Input) []*list {
	first := in.FirstStep()
	var lists []*list
	var now *list
	for _, e := range in.Trace.Events {
		c := e.Base()
		if c.Phase != phase {
			continue
		}
		switch e := e.(type) {
		case *trace.Step:
			if now = nil; e.At == trace.Enter && e.I >= first {
				now = &list{i: e.I, bucket: e.Bucket}
				lists = append(lists, now)
			}
		case *trace.Op:
			if now != nil {
				now.items = append(now.items, item{e.Name, e.Args, e.Numbers, e.Frames, c.Region})
			}
		}
	}
	// A step without any operation was not recorded: of a long run only the first steps and the boundaries are.
	var out []*list
	for _, l := range lists {
		if len(l.items) > 0 {
			out = append(out, l)
		}
	}
	return out
}

// compare holds each step against the first of its bucket. Host numbers and shapes are compared for as long as the
// operations are the same ones; the first operation that is another one ends the comparison of the step.
func compare(lists []*list) []Difference {
	ref := map[string]*list{}
	var out []Difference
	for _, l := range lists {
		a := ref[l.bucket]
		if a == nil {
			ref[l.bucket] = l
			continue
		}
		out = append(out, pair(a, l)...)
	}
	return out
}

func pair(a, b *list) []Difference {
	var out []Difference
	for k := 0; k < len(a.items) || k < len(b.items); k++ {
		switch {
		case k >= len(a.items):
			x := b.items[k]
			return append(out, Difference{fmt.Sprintf("step %d also does %s, which step %d does not", b.i, base(x.name), a.i), false, x.frames, x.region})
		case k >= len(b.items):
			x := a.items[k]
			return append(out, Difference{fmt.Sprintf("step %d does %s, which step %d does not", a.i, base(x.name), b.i), false, x.frames, x.region})
		}
		x, y := a.items[k], b.items[k]
		switch {
		case x.name != y.name:
			return append(out, Difference{fmt.Sprintf("step %d does %s where step %d does %s", b.i, base(y.name), a.i, base(x.name)), false, y.frames, y.region})
		case x.args != y.args:
			out = append(out, Difference{fmt.Sprintf("%s works on %s in step %d and on %s in step %d", base(x.name), cut(x.args), a.i, cut(y.args), b.i),
				false, y.frames, y.region})
		case x.numbers != y.numbers:
			out = append(out, Difference{fmt.Sprintf("%s gets the numbers %s in step %d and %s in step %d", base(x.name), cut(x.numbers), a.i, cut(y.numbers), b.i),
				true, y.frames, y.region})
		}
	}
	return out
}

// base is the operation's name as people write it.
func base(name string) string {
	name = strings.TrimPrefix(name, "aten.")
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	return name
}

func cut(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	if s == "" {
		return "nothing"
	}
	return s
}
