package dynamic

import "github.com/gatebot/gatebot/internal/trace"

// ReplayedRight reports whether a finished replay phase gave the eager outputs in every step.
func (in *Input) ReplayedRight() bool {
	if !in.Finished("replay") {
		return false
	}
	type key struct {
		i    int
		name string
	}
	want := map[key]string{}
	n := 0
	ts := trace.Of[*trace.Tensor](in.Trace)
	for _, t := range ts {
		if t.Role == "output" && t.Phase == "eager" {
			want[key{t.I, t.Name}] = t.Digest
		}
	}
	for _, t := range ts {
		if t.Role == "output" && t.Phase == "replay" {
			if n++; want[key{t.I, t.Name}] != t.Digest {
				return false
			}
		}
	}
	return n > 0
}
