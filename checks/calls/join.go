package calls

import (
	"cmp"
	"slices"

	"github.com/gatebot/gatebot/internal/trace"
)

// Joiner puts a copy and the wait for it together, which are two calls and one thing: the next call that the thread makes,
// a wait on the same stream from the same line. Give is called for each call that is added, with the wait that follows a
// copy or nil, in the order of the calls but for copies, which come when it is known whether a wait follows.
type Joiner struct {
	Give func(a, wait *trace.API)
	held map[proc]*trace.API // by thread: a copy whose wait may follow
}

type proc struct{ rank, pid, tid int }

// Add takes the next call of a run.
func (j *Joiner) Add(a *trace.API) {
	k := proc{a.Rank, a.PID, a.TID}
	if c := j.held[k]; c != nil {
		delete(j.held, k)
		if a.Class == trace.ClassSync && a.Stream == c.Stream && a.Stream != "" && sameLine(a, c) {
			j.Give(c, a)
			return
		}
		j.Give(c, nil)
	}
	if a.Class == trace.ClassCopy && a.Copy.Async {
		if j.held == nil {
			j.held = map[proc]*trace.API{}
		}
		j.held[k] = a
		return
	}
	j.Give(a, nil)
}

// End gives the copies that nothing followed.
func (j *Joiner) End() {
	var left []proc
	for k := range j.held {
		left = append(left, k)
	}
	slices.SortFunc(left, func(a, b proc) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.pid, b.pid), cmp.Compare(a.tid, b.tid))
	})
	for _, k := range left {
		j.Give(j.held[k], nil)
	}
	j.held = nil
}

// sameLine reports whether two calls were made by one line.
func sameLine(a, b *trace.API) bool {
	if len(a.Frames) == 0 || len(b.Frames) == 0 {
		return len(a.Frames) == len(b.Frames)
	}
	return a.Frames[0] == b.Frames[0]
}
