package drift

import (
	"fmt"
	"slices"
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
	items  []item // operations of the dispatcher, and launches that a framework reports
	calls  []item // launches, copies and sets, as the probe saw them
	open   int    // calls before this one have their place
	same   *int   // the step whose operations these are, but for those in other, by place
	other  map[int]item
}

// call adds a call. What the dispatcher launches has no stack of its own: the operation that follows says the line.
func (l *list) call(name, args string, frames []trace.Frame, region string) {
	l.calls = append(l.calls, item{name: name, args: args, frames: frames, region: region})
}

func (l *list) op(x item) {
	l.items = append(l.items, x)
	for ; l.open < len(l.calls); l.open++ {
		if c := &l.calls[l.open]; len(c.frames) == 0 {
			c.frames = x.frames
		}
	}
}

// change says what is at a place of a list that is another step's but for that.
func (l *list) change(at int, x item) {
	if l.other == nil {
		l.other = map[int]item{}
	}
	l.other[at] = x
}

// complete takes the operations of the step that this one is like.
func (l *list) complete(lists []*list) {
	if l.same == nil {
		return
	}
	for _, o := range lists {
		if o != l && o.i == *l.same && o.same == nil {
			l.items = slices.Clone(o.items)
			for at, x := range l.other {
				if at < len(l.items) {
					l.items[at] = x
				}
			}
			return
		}
	}
}

// record reads the steps of the phase.
func record(in *dynamic.Input) []*list {
	first, inside := in.FirstStep(), in.Captured()
	var lists []*list
	var now *list
	for _, e := range in.Trace.Events {
		c := e.Base()
		if c.Phase != phase {
			continue
		}
		if inside != nil && !inside[c.Region] {
			if op, ok := e.(*trace.Op); ok && now != nil && op.N == 0 {
				now.op(item{}) // what lies between captured regions may be another in every step; its place is kept
			}
			switch e.(type) {
			case *trace.Step, *trace.Same:
			default:
				continue
			}
		}
		switch e := e.(type) {
		case *trace.Step:
			if now = nil; e.At == trace.Enter && e.I >= first {
				now = &list{i: e.I, bucket: e.Bucket}
				lists = append(lists, now)
			}
		case *trace.Same: // written when the step is over
			if n := len(lists); n > 0 && len(lists[n-1].items) == 0 {
				lists[n-1].same = &e.Of
			}
		case *trace.Op:
			switch x := (item{e.Name, e.Args, e.Numbers, e.Frames, c.Region}); {
			case now == nil:
			case e.N == 0:
				now.op(x)
			default:
				now.change(e.N-1, x)
			}
		case *trace.Launch:
			if now != nil && e.Code == 0 && !c.Foreign {
				now.call(e.Kernel, fmt.Sprintf("grid %v, block %v, %d bytes shared", e.Grid, e.Block, e.Smem), e.Frames, c.Region)
			}
		case *trace.API:
			if now != nil && e.Code == 0 && !c.Foreign && e.Copy != nil {
				now.call(string(e.Class), fmt.Sprintf("%d bytes, %s", e.Copy.Bytes, strings.TrimPrefix(e.Copy.Src+" to "+e.Copy.Dst, " to ")), e.Frames, c.Region)
			}
		}
	}
	for _, l := range lists {
		l.complete(lists)
	}
	// A step without any operation was not recorded: of a long run only the first steps and the boundaries are.
	var out []*list
	for _, l := range lists {
		if len(l.items) > 0 || l.same == nil && len(l.calls) > 0 {
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
		found := pair(a, l, a.items, l.items)
		if len(found) == 0 {
			// What the same operations launch: native code past the dispatcher, and kernels chosen by a host value.
			found = pair(a, l, a.calls, l.calls)
		}
		out = append(out, found...)
	}
	return out
}

func pair(a, b *list, as, bs []item) []Difference {
	var out []Difference
	for k := 0; k < len(as) || k < len(bs); k++ {
		switch {
		case k >= len(as):
			x := bs[k]
			return append(out, Difference{fmt.Sprintf("step %d also does %s, which step %d does not", b.i, base(x.name), a.i), false, x.frames, x.region})
		case k >= len(bs):
			x := as[k]
			return append(out, Difference{fmt.Sprintf("step %d does %s, which step %d does not", a.i, base(x.name), b.i), false, x.frames, x.region})
		}
		x, y := as[k], bs[k]
		if len(y.frames) == 0 {
			y.frames = x.frames // the step's operations were not written again
		}
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
	name = cut(strings.TrimPrefix(name, "aten."))
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
