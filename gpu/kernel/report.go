package kernel

import (
	"fmt"

	"github.com/gatebot/gatebot/internal/finding"
)

// Schema of what gatebot-gpu kernel prints.
const Schema = "gatebot.kernel/v1"

// Report is what came of one kernel.
type Report struct {
	Schema     string         `json:"schema"`
	Status     finding.Status `json:"status"`
	Reason     string         `json:"reason,omitempty"`
	Module     Module         `json:"module"`
	Path       string         `json:"path"`
	SHA256     string         `json:"sha256"` // of the module
	Kernel     string         `json:"kernel"`
	Driver     string         `json:"driver"`
	CUDA       string         `json:"cuda"`
	Device     string         `json:"device"`
	Capability string         `json:"compute_capability"`
	Attributes *Attributes    `json:"attributes,omitempty"` // nil: not loaded
	Checks     []Check        `json:"checks"`
	Replays    int            `json:"replays"`
	// Host time of one launch in µs, over a series without waits in between; 0: not measured.
	EagerUS    float64 `json:"eager_us,omitempty"`
	ReplayUS   float64 `json:"replay_us,omitempty"`
	DurationMS int64   `json:"duration_ms"`
}

// Attributes are those of the loaded kernel (CUfunction_attribute), sizes in bytes.
type Attributes struct {
	Registers    int `json:"registers"`      // a thread
	SharedStatic int `json:"shared_static"`  // a block
	SharedMax    int `json:"shared_max"`     // dynamic, that this device lets a block have
	Const        int `json:"const"`          //
	Local        int `json:"local"`          // a thread: spilled registers and arrays
	MaxThreads   int `json:"max_threads"`    // a block
	PTX          int `json:"ptx_version"`    // 90: compute_90
	Binary       int `json:"binary_version"` // 90: sm_90
	BlocksPerSM  int `json:"blocks_per_sm"`  // resident, with this block and this shared memory
	Parameters   int `json:"parameters"`     // -1: this driver does not tell
}

// Check is one thing that was shown, or was not.
type Check struct {
	Name   string         `json:"name"` // load, launch, eager, bounds, capture, replay, sequence
	Status finding.Status `json:"status"`
	Reason string         `json:"reason,omitempty"`
}

// Pass adds a check that holds.
func (r *Report) Pass(name, what string) {
	r.Checks = append(r.Checks, Check{Name: name, Status: finding.StatusPass, Reason: what})
}

// Fail adds a check that does not hold.
func (r *Report) Fail(name, format string, args ...any) {
	r.Checks = append(r.Checks, Check{Name: name, Status: finding.StatusFail, Reason: fmt.Sprintf(format, args...)})
}

// Names of the checks, in their order.
var Names = []string{"load", "launch", "eager", "bounds", "capture", "replay", "sequence"}

// Conclude adds what was not run and sets the status: a kernel passes when every check does.
func (r *Report) Conclude() {
	r.Schema, r.Status, r.Reason = Schema, finding.StatusPass, ""
	has := map[string]bool{}
	for _, c := range r.Checks {
		has[c.Name] = true
		if c.Status != finding.StatusPass && r.Status == finding.StatusPass {
			r.Status, r.Reason = c.Status, c.Name+": "+c.Reason
		}
	}
	for _, name := range Names {
		if !has[name] {
			r.Checks = append(r.Checks, Check{Name: name, Status: finding.StatusNotRun, Reason: "a check before it did not pass"})
			if r.Status == finding.StatusPass {
				r.Status, r.Reason = finding.StatusError, name+": not run"
			}
		}
	}
}
