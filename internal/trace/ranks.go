package trace

import "slices"

// Death is a process of a run that ended before its time: its file, when it left one, is incomplete.
type Death struct {
	Rank int
	How  string // where, and by what
}

// Ranks are the ranks that wrote files of the run, in order. A program of one process has rank 0.
func (t *Trace) Ranks() []int {
	var out []int
	for _, f := range t.Files {
		if f.Header != nil && !slices.Contains(out, f.Header.Rank) {
			out = append(out, f.Header.Rank)
		}
	}
	slices.Sort(out)
	return out
}

// OfRank is the part of an arranged trace that one rank wrote. The events are shared.
func (t *Trace) OfRank(rank int) *Trace {
	one := &Trace{}
	for _, f := range t.Files {
		if f.Header != nil && f.Header.Rank == rank {
			one.Files = append(one.Files, f)
		}
	}
	for _, e := range t.Events {
		if e.Base().Rank == rank {
			one.Events = append(one.Events, e)
		}
	}
	return one
}
