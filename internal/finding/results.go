package finding

import (
	"encoding/json"
	"fmt"
	"io"
)

// Schema is the version of the results file (DESIGN 5.3).
const Schema = "gatebot.results/v1"

// Verdict is the outcome of a whole run.
type Verdict string

// Fail means a violation; VerdictError means that there is no verdict (infrastructure, incomplete data). The two are
// never mixed up.
const (
	VerdictPass  Verdict = "pass"
	VerdictFail  Verdict = "fail"
	VerdictError Verdict = "error"
)

// Status is the outcome of one check or region.
type Status string

// NotRun is not Pass: a required check that is not run makes the verdict an error.
const (
	StatusPass   Status = "pass"
	StatusFail   Status = "fail"
	StatusError  Status = "error"
	StatusNotRun Status = "not_run"
)

// Names of the checks, in the order in which they run and are shown.
const (
	CheckSource  = "source"
	CheckCanary  = "canary"
	CheckSync    = "sync"
	CheckDrift   = "drift"
	CheckAlloc   = "alloc"
	CheckCapture = "capture"
	CheckReplay  = "replay"
	CheckSpeed   = "speed"
)

// GPUChecks are the checks that need a device.
var GPUChecks = []string{CheckCanary, CheckSync, CheckDrift, CheckAlloc, CheckCapture, CheckReplay, CheckSpeed}

// Results is the results file.
type Results struct {
	Schema     string        `json:"schema"`
	Tool       Tool          `json:"tool"`
	Commit     string        `json:"commit"`
	Tree       string        `json:"tree"`
	ConfigHash string        `json:"config_hash"`
	Verdict    Verdict       `json:"verdict"`
	Reasons    []string      `json:"reasons,omitempty"` // why the verdict is not pass, or what a pass does not cover
	Device     *Device       `json:"device"`
	Checks     []CheckResult `json:"checks"`
	Findings   []Finding     `json:"findings"`
	Summary    Summary       `json:"summary"`
}

// Tool names the program that wrote the file and the set of rules it used.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Rules   string `json:"rules"` // hash of the rule set, part of cache and job keys
}

// Device is the GPU that the dynamic checks ran on.
type Device struct {
	Name              string `json:"name"`
	ComputeCapability string `json:"compute_capability"` // "10.0"
	Driver            string `json:"driver"`
	CUDA              string `json:"cuda"`
	UUID              string `json:"uuid"`
}

// CheckResult is the outcome of one check. Metrics are numbers with their unit in the key (calls_per_step).
type CheckResult struct {
	Name       string             `json:"name"`
	Status     Status             `json:"status"`
	Reason     string             `json:"reason,omitempty"`
	Required   bool               `json:"required"`
	DurationMS int64              `json:"duration_ms"`
	Metrics    map[string]float64 `json:"metrics,omitempty"`
	Regions    []RegionResult     `json:"regions,omitempty"`
}

// RegionResult is the outcome of one check on one captured region.
type RegionResult struct {
	Name    string             `json:"name"`
	Status  Status             `json:"status"`
	Reason  string             `json:"reason,omitempty"`
	Metrics map[string]float64 `json:"metrics,omitempty"`
}

// Summary counts what was looked at and what was found. Errors and Warnings count findings that are neither
// suppressed nor of confidence possible; New counts those that are not in the base or baseline.
type Summary struct {
	Files        int `json:"files"`
	Functions    int `json:"functions"`
	HotFunctions int `json:"hot_functions"`
	Errors       int `json:"errors"`
	Warnings     int `json:"warnings"`
	Suppressed   int `json:"suppressed"`
	New          int `json:"new"`
}

// Count fills the counters that follow from the findings and leaves the rest of s as it is.
func (s *Summary) Count(fs []Finding) {
	s.Errors, s.Warnings, s.Suppressed, s.New = 0, 0, 0, 0
	for i := range fs {
		f := &fs[i]
		if f.Suppressed != nil {
			s.Suppressed++
			continue
		}
		if f.Confidence == Possible {
			continue
		}
		switch f.Severity {
		case Error:
			s.Errors++
		case Warn:
			s.Warnings++
		default:
			continue
		}
		s.New++
	}
}

// Write writes r as indented JSON with a final newline. Slices are never null in the file.
func (r *Results) Write(w io.Writer) error {
	out := *r
	out.Schema = Schema
	if out.Checks == nil {
		out.Checks = []CheckResult{}
	}
	if out.Findings == nil {
		out.Findings = []Finding{}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(&out)
}

// Read parses a results file and refuses what is not one.
func Read(data []byte) (*Results, error) {
	var r Results
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("results file: %w (was it cut off?)", err)
	}
	if r.Schema != Schema {
		return nil, fmt.Errorf("results file: schema %q, want %q (written by another version?)", r.Schema, Schema)
	}
	switch r.Verdict {
	case VerdictPass, VerdictFail, VerdictError:
	default:
		return nil, fmt.Errorf("results file: verdict %q is none of pass, fail, error", r.Verdict)
	}
	return &r, nil
}
