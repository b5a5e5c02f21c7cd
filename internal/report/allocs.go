package report

import (
	"cmp"
	"slices"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/trace"
)

// maxAllocRows is how many places the table of allocations shows.
const maxAllocRows = 20

// Allocs are the allocations of one step by the line that asked for them.
type Allocs struct {
	Steps int
	Count float64 // a step
	Bytes float64 // a step
	Rows  []AllocRow
	Rest  int // places that are not shown
}

// AllocRow is one line of the repository (or of a library, where no line of the repository is in the stack).
type AllocRow struct {
	Place, Function string
	Count           float64 // a step
	Size            string  // a step
	bytes           float64
	Share           float64 // of all bytes, percent
	Pool            bool    // all of it from a graph's private pool
}

// allocs gathers what the caching allocator told of the alloc phase. It is nil when that was not recorded.
func allocs(in Input) *Allocs {
	rows := map[string]*AllocRow{}
	steps := map[[2]int]bool{}
	a := &Allocs{}
	for _, e := range trace.Of[*trace.Alloc](in.Trace) {
		if e.Phase != "alloc" || e.Op != "alloc" {
			continue
		}
		steps[[2]int{e.PID, e.Step}] = true
		where, fn := allocPlace(in, e.Frames)
		r := rows[where]
		if r == nil {
			r = &AllocRow{Place: where, Function: fn, Pool: true}
			rows[where] = r
		}
		r.Count++
		r.bytes += float64(e.Bytes)
		r.Pool = r.Pool && e.Pool != ""
		a.Count++
		a.Bytes += float64(e.Bytes)
	}
	if len(rows) == 0 {
		return nil
	}
	a.Steps = max(1, len(steps))
	n := float64(a.Steps)
	for _, r := range rows {
		if a.Bytes > 0 {
			r.Share = 100 * r.bytes / a.Bytes
		}
		r.Count /= n
		r.Size = size(int64(r.bytes / n))
		a.Rows = append(a.Rows, *r)
	}
	a.Count /= n
	a.Bytes /= n
	slices.SortFunc(a.Rows, func(x, y AllocRow) int {
		return cmp.Or(cmp.Compare(y.bytes, x.bytes), cmp.Compare(x.Place, y.Place))
	})
	if len(a.Rows) > maxAllocRows {
		a.Rest = len(a.Rows) - maxAllocRows
		a.Rows = a.Rows[:maxAllocRows]
	}
	return a
}

// Size is the bytes of a step, with a unit.
func (a *Allocs) Size() string { return size(int64(a.Bytes)) }

func allocPlace(in Input, frames []trace.Frame) (place, function string) {
	for _, f := range frames {
		if rel, ok := dynamic.Inside(in.Root, f.File); ok {
			return frameText(in, trace.Frame{File: rel, Line: f.Line}), f.Func
		}
	}
	if len(frames) > 0 {
		return frameText(in, frames[0]), frames[0].Func
	}
	return "no Python frame", ""
}
