// Package config is the gate configuration, .gatebot.yaml (DESIGN 5.11): its types, its defaults and a loader that
// refuses what it does not know with file, line, key and the nearest key it does.
package config

import (
	"time"

	"github.com/gatebot/gatebot/internal/finding"
)

// FileName is where the configuration lives, at the root of the repository.
const FileName = ".gatebot.yaml"

// Config is the gate configuration. The zero value is not usable: start from Default or Load.
type Config struct {
	Version int
	HotPath HotPath
	Step    Step
	Checks  map[string]CheckLevel // by check name; absent means the check's default
	Device  Device
	Hazards []Hazard
	FixLog  FixLog
	Hash    string // content hash of the file, "default" when there is none
}

// HotPath says which code runs per step.
type HotPath struct {
	Include  []string // globs; default: every source file
	Exclude  []string
	Roots    []Root
	LoadTime []Root   // never hot
	Guards   []string // conditions that are false in production
	Severity []SeverityRule
}

// Root selects functions: path glob and qualified-name glob, written "path::name".
type Root struct{ Path, Name string }

// SeverityRule overrides severities: Match is a rule id (GB301), a group (GB3xx) or a path glob. Later rules win.
type SeverityRule struct {
	Match    string
	Severity finding.Severity
}

// Step says how to run one decode step (DESIGN 5.4).
type Step struct {
	Entry      string
	Python     string
	Env        map[string]string
	Launch     string
	Warmup     int
	Steps      int
	Boundaries []int
	Capture    []string
	Eager      []string
	Timeout    time.Duration
	Reference  string     // "base", or FILE[:FUNCTION] that outputs are compared with; empty: nothing
	Tolerance  Tolerance  // of that comparison
	Invariance Invariance // what outputs must not depend on
}

// Tolerance is how far an output may be from a reference. The zero value is bit for bit.
type Tolerance struct {
	ByDtype            bool // what torch.testing allows for the dtype
	Relative, Absolute float64
}

// Invariance names tensors of the state by attribute paths, as in Capture.
type Invariance struct {
	Batch   []string // their rows, in the first dimension, are those of the batch
	Scratch []string // what they hold before a step must not matter
}

// CheckLevel is what a failing check does to the verdict, with the check's own bounds (nil when not set).
type CheckLevel struct {
	Level    finding.Severity // error, warn or off
	Max, Min *float64
	AllSteps bool // of sync: every replayed step is looked at too
}

// Device is what the GPU checks must run on.
type Device struct {
	Name                 string
	MinComputeCapability string
}

// Hazard is one row of the readiness document that people keep.
type Hazard struct {
	ID, Title, Status, Phase, Fix string
	Rules                         []string
}

// FixLog says where the fix log goes. Mode is pr, push, fragments, notes or off.
type FixLog struct {
	Path, Heading, Mode string
}

// Default is the configuration of a repository without a file.
func Default() *Config {
	return &Config{
		Version: 1,
		Step:    Step{Python: "python3", Warmup: 3, Steps: 8, Timeout: 30 * time.Minute},
		Checks:  map[string]CheckLevel{},
		FixLog:  FixLog{Path: "GATEBOT_FIXLOG.md", Heading: "Violation Fix Log", Mode: "pr"},
		Hash:    "default",
	}
}
