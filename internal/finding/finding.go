// Package finding holds what every other package of gatebot speaks: findings, checks, verdicts and the results file
// (schema gatebot.results/v1, DESIGN 5.3). It is pure data on the standard library; it reads no files, runs nothing
// and decides nothing. Who decides is internal/verdict.
package finding

import (
	"cmp"
	"fmt"
	"slices"
)

// Severity is how much a finding matters. The zero value is not valid.
type Severity string

// The severities, most severe first. Off exists in configurations only; a finding never carries it.
const (
	Error Severity = "error"
	Warn  Severity = "warn"
	Info  Severity = "info"
	Off   Severity = "off"
)

// rank orders severities; unknown ones rank below info so that they never gate by accident of spelling.
func (s Severity) rank() int {
	switch s {
	case Error:
		return 3
	case Warn:
		return 2
	case Info:
		return 1
	}
	return 0
}

// AtLeast reports whether s is as severe as t or more.
func (s Severity) AtLeast(t Severity) bool { return s.rank() >= t.rank() && s.rank() > 0 }

// Confidence says how a finding was established.
type Confidence string

// Proven findings were seen on a device (or cannot be otherwise), likely ones follow from inferred types, possible
// ones rest on a value whose place is unknown. Possible findings are shown and never gate by default.
const (
	Proven   Confidence = "proven"
	Likely   Confidence = "likely"
	Possible Confidence = "possible"
)

// Finding is one hazard at one place, whoever found it. Path is relative to the repository root with '/'; lines and
// columns are 1-based, columns count Unicode code points.
type Finding struct {
	Rule        string       `json:"rule"`
	Name        string       `json:"name"`
	Severity    Severity     `json:"severity"`
	Check       string       `json:"check"`
	Path        string       `json:"path"`
	Line        int          `json:"line"`
	Column      int          `json:"column"`
	EndLine     int          `json:"end_line"`
	EndColumn   int          `json:"end_column"`
	Function    string       `json:"function"`
	Region      string       `json:"region"`
	Message     string       `json:"message"`
	Fix         string       `json:"fix"`
	Fingerprint string       `json:"fingerprint"`
	MoveKey     string       `json:"move_key,omitempty"` // the fingerprint without its place, see the function MoveKey
	Confidence  Confidence   `json:"confidence"`
	Cost        *Cost        `json:"cost,omitempty"` // measured on a device, nil where it was not
	Evidence    []Evidence   `json:"evidence"`
	Suppressed  *Suppression `json:"suppressed"`
}

// Cost is what a finding costs a step, or one pass through a region where there are no steps.
type Cost struct {
	Calls   float64 `json:"calls_per_step"`      // calls of the runtime or driver that make up the finding
	Blocked float64 `json:"blocked_us_per_step"` // µs of host time inside them
}

// Evidence is one reason to believe a finding. Kind is one of the Evidence* constants; the other fields are set as
// the kind needs them.
type Evidence struct {
	Kind    string   `json:"kind"`
	Message string   `json:"message,omitempty"`
	Path    string   `json:"path,omitempty"`
	Line    int      `json:"line,omitempty"`
	Code    string   `json:"code,omitempty"`   // the source text it is about
	Frames  []string `json:"frames,omitempty"` // innermost first
}

// Kinds of evidence.
const (
	EvidenceSource    = "source"   // the offending expression
	EvidenceFlow      = "flow"     // one step of how a device value got here, in order
	EvidenceHotPath   = "hot_path" // the call chain from a root
	EvidenceGuard     = "guard"    // the condition that keeps it out of production
	EvidenceAPICall   = "api_call" // a driver or runtime call of a trace
	EvidenceStack     = "stack"    // frames at that call
	EvidenceReplay    = "replay_diff"
	EvidenceMeasured  = "measured"  // what a check on a device saw of it
	EvidenceNotShown  = "not_shown" // that a run on a device came by, or did not, and showed nothing
	EvidenceSyncDebug = "sync_debug"
)

// Suppression says why a finding does not count.
type Suppression struct {
	Reason string `json:"reason"`
	By     string `json:"by"` // inline, config, baseline or guard
}

// Place is where the finding is, as a person would point at it: path:line:column, and for native code, which has no lines
// here, its file with the function in it where that is known.
func (f *Finding) Place() string {
	switch {
	case f.Line > 0:
		return fmt.Sprintf("%s:%d:%d", f.Path, f.Line, f.Column)
	case f.Function != "":
		return fmt.Sprintf("%s (%s)", f.Path, f.Function)
	}
	return f.Path
}

// Gates reports whether the finding fails a gate whose threshold is failOn: not suppressed, more than possible, and
// severe enough.
func (f *Finding) Gates(failOn Severity) bool {
	return f.Suppressed == nil && f.Confidence != Possible && f.Severity.AtLeast(failOn)
}

// Sort orders findings by path, line, column and rule, the order every renderer and file uses.
func Sort(fs []Finding) {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Rule, b.Rule))
	})
}
