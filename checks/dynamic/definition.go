package dynamic

import "github.com/gatebot/gatebot/internal/trace"

// StepPlace is where the step module defines step; what no line can be blamed for is said of it.
func (in *Input) StepPlace() Place {
	for _, w := range trace.Of[*trace.Warning](in.Trace) {
		if w.Source == Definition {
			return in.Place(w.Frames)
		}
	}
	return Place{}
}

// RegionPlace is where the function of a region is defined, the step's where that is not known.
func (in *Input) RegionPlace(name string) Place {
	for _, w := range trace.Of[*trace.Warning](in.Trace) {
		if w.Source == RegionAt && w.Text == name {
			if p := in.Place(w.Frames); p.Path != "" {
				return p
			}
		}
	}
	return in.StepPlace()
}

// EnterPlace is where the change that a comparison is named after gets into the result of the step, in words and as a
// stack; the step's definition and no words where the harness did not find it.
func (in *Input) EnterPlace(against string) (Place, string, []trace.Frame) {
	for _, w := range trace.Of[*trace.Warning](in.Trace) {
		if w.Source != Enters || w.Of != against {
			continue
		}
		if p := in.Place(w.Frames); p.Path != "" {
			return p, w.Text, w.Frames
		}
		return in.StepPlace(), w.Text, nil
	}
	return in.StepPlace(), "", nil
}
