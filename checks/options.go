package checks

import (
	"time"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Options says what to look for and where. The zero value of every field but Rules is usable.
type Options struct {
	Rules []*Rule // normally registry.Rules

	Include []string // globs of paths; empty means every Python, C++ and CUDA file
	Exclude []string
	// Roots select the functions a step starts in; empty means the defaults (see roots.go).
	Roots    []Selector
	LoadTime []Selector // never hot, whatever calls them
	Guards   []string   // conditions that are false in production, besides the ones that are known by name
	Severity []SeverityRule
	// AllFunctions treats every function as hot, except that guards and suppressions still hold.
	AllFunctions bool
	// SkipCold leaves out what AllFunctions shows in functions that no step runs, whoever calls them. What rules with Setup
	// see there stays.
	SkipCold bool

	// Elsewhere reports whether only a check on the device can show a rule. An allowance of such a rule that suppresses
	// nothing in the source is a remark, since a scan cannot tell that it is idle. Nil: there is no such rule.
	Elsewhere func(rule string) bool

	// Shelf has trees of files that other scans have parsed, and takes those that this one parses; nil: there is none.
	Shelf *pyast.Shelf

	// Pace is told when the scan has tasks for all cores; nil: nobody asks.
	Pace *Pace

	Workers     int           // parallel readers and parsers; 0 means 2
	MaxFileSize int64         // larger files are noted and not read; 0 means 2 MiB
	ParseLimit  time.Duration // per file; 0 means 10 s
	Now         time.Time     // for `until=` in suppressions; zero means today
}

// Selector picks functions: a glob over the path and one over the qualified name (Class.method). `**` matches across
// '/' and '.'.
type Selector struct{ Path, Name string }

// SeverityRule overrides severities: Match is a rule id (GB301), a group (GB3xx) or a path glob; later rules win.
type SeverityRule struct {
	Match    string
	Severity finding.Severity
}
