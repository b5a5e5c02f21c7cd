package device

import (
	"fmt"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
)

// Report is the outcome of the canary: whether this device, driver and build show the gate what it has to see.
type Report struct {
	Schema     string         `json:"schema"`
	Status     finding.Status `json:"status"`
	Reason     string         `json:"reason,omitempty"` // of the first step that did not pass
	Driver     string         `json:"driver"`
	CUDA       string         `json:"cuda"`
	Device     Info           `json:"device"`
	Steps      []Step         `json:"steps"`
	DurationMS int64          `json:"duration_ms"`
	// Disabled are the detectors that the environment switched off (EnvDisable). A report that has any is no pass.
	Disabled []string `json:"disabled,omitempty"`
	Python   *Python  `json:"python,omitempty"` // nil: only Go was asked for
}

// Python says in what the part of the canary ran that is written in Python. Its steps are among the others.
type Python struct {
	Interpreter string         `json:"interpreter"`
	Version     string         `json:"version,omitempty"` // "3.12.3"
	Torch       string         `json:"torch,omitempty"`
	CUDA        string         `json:"cuda,omitempty"` // that torch was built for
	Status      finding.Status `json:"status"`         // not_run when there is no torch
	Reason      string         `json:"reason,omitempty"`
	DurationMS  int64          `json:"duration_ms"`
}

// Step is one capture of the canary. Call and End are the codes (CUresult) that the planted call and the end of the
// capture returned, WantCall and WantEnd what was measured on an H200.
type Step struct {
	Name     string         `json:"name"`
	Status   finding.Status `json:"status"`
	Reason   string         `json:"reason,omitempty"`
	Call     int            `json:"call"`
	WantCall int            `json:"want_call"`
	End      int            `json:"end"`
	WantEnd  int            `json:"want_end"`
	Nodes    []int          `json:"nodes,omitempty"` // kinds of the captured nodes (CUgraphNodeType)
	// Detections are what each detector made of it.
	Detections []Detection `json:"detections,omitempty"`
}

// CUresult codes that the canary waits for, from cuda.h.
const (
	codeSuccess            = 0
	codeCaptureUnsupported = 900
	codeCaptureInvalidated = 901
	codeCaptureUnjoined    = 904
	codeCaptureIsolation   = 905
	codeCapturedEvent      = 907
)

// plant is one violation that the canary commits during a capture in global mode. Its name is that of the row in the
// measured table, where the codes come from; a test compares them.
//
// The driver lets a synchronous copy through: it runs at once and is missing from the graph, so a replay reads what
// was there at capture. That plant is seen when the graph has fewer nodes than operations were issued, the check that
// the gate makes on every captured region.
type plant struct {
	name     string
	call     int
	end      int
	uncaught bool
}

var plants = []plant{
	{name: "cuStreamSynchronize(captured)", call: codeCaptureUnsupported, end: codeCaptureInvalidated},
	{name: "cuStreamQuery(captured)", call: codeCaptureUnsupported, end: codeCaptureInvalidated},
	{name: "cuStreamSynchronize(other stream)", call: codeCaptureUnsupported, end: codeCaptureInvalidated},
	{name: "cuCtxSynchronize", call: codeCaptureUnsupported, end: codeCaptureInvalidated},
	{name: "cuMemAlloc", call: codeCaptureUnsupported, end: codeCaptureInvalidated},
	{name: "cuEventQuery(captured event)", call: codeCapturedEvent, end: codeCaptureInvalidated},
	{name: "cuEventSynchronize(captured event)", call: codeCapturedEvent, end: codeCaptureInvalidated},
	{name: "wait on event recorded before capture", call: codeCaptureIsolation, end: codeCaptureInvalidated},
	{name: "fork to side stream, never joined", call: codeSuccess, end: codeCaptureUnjoined},
	{name: "cuMemcpyDtoH (sync, pageable)", call: codeSuccess, end: codeSuccess, uncaught: true},
}

// judge fills in the status of a plant's step; issued is the number of device operations between begin and end.
func (r *Report) judge(p plant, s *Step, issued int) {
	s.Name, s.WantCall, s.WantEnd = p.name, p.call, p.end
	refused := r.detection(DetectCapture, !p.uncaught, s.Call != codeSuccess || s.End != codeSuccess)
	missing := r.detection(DetectWork, p.uncaught, s.End == codeSuccess && len(s.Nodes) < issued)
	s.Detections = []Detection{refused, missing}
	switch {
	case p.uncaught && (refused.Caught || missing.Caught):
		s.Status = finding.StatusPass
	case p.uncaught:
		s.fail("the gate cannot see it: not refused, and the graph has %d nodes for %d operations%s", len(s.Nodes), issued, missing.off())
	case !refused.Caught:
		s.fail("the gate cannot see it: the driver did not refuse it, want %d at the call and %d at the end%s", p.call, p.end, refused.off())
	case s.Call != p.call || s.End != p.end:
		s.fail("refused with %d at the call and %d at the end, want %d and %d as measured (another driver? measure it again)",
			s.Call, s.End, p.call, p.end)
	default:
		s.Status = finding.StatusPass
	}
}

// off says in a reason that a detector was switched off.
func (d Detection) off() string {
	if !d.Off {
		return ""
	}
	return " (detector " + d.Detector + " is switched off by " + EnvDisable + ")"
}

func (s *Step) fail(format string, args ...any) {
	s.Status, s.Reason = finding.StatusFail, fmt.Sprintf(format, args...)
}

// Conclude sets the status of the whole: an error outweighs a failure, since it leaves the question open. A detector that
// is switched off is a failure of its own, whatever the steps say.
func (r *Report) Conclude() {
	r.Schema, r.Status, r.Reason = CanarySchema, finding.StatusPass, ""
	if len(r.Steps) == 0 {
		r.Status, r.Reason = finding.StatusError, "nothing was run"
	}
	for _, s := range r.Steps {
		if s.Status == finding.StatusPass || r.Status == finding.StatusError || r.Status == s.Status {
			continue
		}
		r.Status, r.Reason = s.Status, s.Name+": "+s.Reason
	}
	if r.Status == finding.StatusPass && len(r.Disabled) > 0 {
		r.Status = finding.StatusFail
		r.Reason = fmt.Sprintf("detector %s is switched off by %s (unset it)", strings.Join(r.Disabled, ", "), EnvDisable)
	}
}
