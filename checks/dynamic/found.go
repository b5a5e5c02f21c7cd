package dynamic

import (
	"cmp"
	"slices"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// Found gathers what was seen at one place.
type Found struct {
	Place   Place
	Rule    string
	Region  string
	Message string
	Frames  []trace.Frame // one stack of the many
	Count   int
	Nanos   int64 // host time blocked, where it is known
	// Evidence is added behind the finding's own.
	Evidence []finding.Evidence
}

// Set is what a check found, by place.
type Set struct {
	byPlace map[Place]*Found
}

// At gives what was found at a place, made at the first call. Function names of one line may differ by how they are
// spelled, so that they do not tell places apart.
func (s *Set) At(p Place) *Found {
	if s.byPlace == nil {
		s.byPlace = map[Place]*Found{}
	}
	key := p
	key.Function = ""
	f := s.byPlace[key]
	if f == nil {
		f = &Found{Place: p}
		s.byPlace[key] = f
	}
	return f
}

// All gives the places in order.
func (s *Set) All() []*Found {
	out := make([]*Found, 0, len(s.byPlace))
	for _, f := range s.byPlace {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b *Found) int {
		return cmp.Or(cmp.Compare(a.Place.Path, b.Place.Path), cmp.Compare(a.Place.Line, b.Place.Line),
			cmp.Compare(a.Place.Inner, b.Place.Inner))
	})
	return out
}

// Finding is what was seen, as a finding of a check. Name, fix and fingerprint are the gate's to add.
func (in *Input) Finding(check string, f *Found, severity finding.Severity) finding.Finding {
	x := finding.Finding{Rule: f.Rule, Severity: severity, Check: check, Path: f.Place.Path, Line: f.Place.Line,
		EndLine: f.Place.Line, Function: f.Place.Function, Region: f.Region, Message: f.Message, Confidence: finding.Proven}
	x.Evidence = append(x.Evidence, f.Evidence...)
	if len(f.Frames) > 0 {
		x.Evidence = append(x.Evidence, finding.Evidence{Kind: finding.EvidenceStack, Frames: in.Stack(f.Frames)})
	}
	return x
}
