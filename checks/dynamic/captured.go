package dynamic

import "github.com/gatebot/gatebot/internal/trace"

// Captured are the regions that are to be captured, where only parts of the step are; nil where all of it is, or where
// the run did not get to say so. What lies between such regions runs eagerly and is no business of a graph.
func (in *Input) Captured() map[string]bool {
	var out map[string]bool
	for _, m := range trace.Of[*trace.Measure](in.Trace) {
		if m.Name != RegionMeasure || m.Value <= 0 {
			continue
		}
		if m.Of == WholeStep {
			return nil
		}
		if out == nil {
			out = map[string]bool{}
		}
		out[m.Of] = true
	}
	return out
}
