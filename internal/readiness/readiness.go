// Package readiness keeps the living document of a team that makes its decode step ready for CUDA graphs: what the
// detector last said, the checklist by class, the hazards that people track, and how far the integration is. Each of
// the four sections is a pure function of data and lies between markers; everything else in the file is left as it is.
package readiness

import (
	"time"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
)

// Input is what the sections are made of. Findings that are suppressed or no more than possible are not violations and
// are counted apart.
type Input struct {
	Commit string // of the tree that Now was found in, empty when it has none

	Results     *finding.Results // of the last check, nil when there is none
	ResultsFile string           // where they were looked for
	Ran         time.Time        // when that check ran

	Now       []finding.Finding
	Before    []finding.Finding
	BeforeRev string // the commit that Before was found in, a full id
	Classes   []Class
	Fixes     []Fix // what the fix log has, oldest first

	Hazards []config.Hazard

	GatedSince  time.Time // zero when nothing gates
	GatedCommit string
}

// Class is a group of hazards that people look for together.
type Class struct {
	Name  string
	Rules []string
}

// Fix is one entry of the fix log.
type Fix struct {
	Commit, Rule, Description string
	Regressed                 bool
}

// section is one of the four.
type section struct {
	key, title string
	blocks     func(Input) []Block
}

func (s section) render(in Input) string { return markdown(s.blocks(in)) }

// Section is one of the four as data, for renderers other than the document's.
type Section struct {
	Key, Title string // "a", "Detector results"
	Blocks     []Block
}

// Sections are all four, in order.
func Sections(in Input) []Section {
	out := make([]Section, len(sections))
	for i, s := range sections {
		out[i] = Section{s.key, s.title, s.blocks(in)}
	}
	return out
}

// The sections, in the order in which they are added to a document that has none.
var sections = []section{
	{"a", "Detector results", detector},
	{"b", "Checklist", checklist},
	{"c", "Hazards", hazards},
	{"d", "Integration", integration},
}

// Metrics of the GPU checks that section D shows.
const (
	metricSteps   = "steps"   // of the replay check: how many steps were compared
	metricSpeedup = "speedup" // of the speed check: eager time over replay time
)

// check finds one check of the results, or nil.
func check(r *finding.Results, name string) *finding.CheckResult {
	if r == nil {
		return nil
	}
	for i := range r.Checks {
		if r.Checks[i].Name == name {
			return &r.Checks[i]
		}
	}
	return nil
}

// violation reports whether a finding counts.
func violation(f *finding.Finding) bool { return f.Gates(finding.Warn) }
