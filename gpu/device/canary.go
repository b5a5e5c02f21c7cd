package device

import (
	"fmt"

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
func (p plant) judge(s *Step, issued int) {
	s.Name, s.WantCall, s.WantEnd = p.name, p.call, p.end
	refused := s.Call != codeSuccess || s.End != codeSuccess
	switch {
	case p.uncaught && (refused || len(s.Nodes) < issued):
		s.Status = finding.StatusPass
	case p.uncaught:
		s.fail("the gate cannot see it: not refused, and the graph has %d nodes for %d operations", len(s.Nodes), issued)
	case !refused:
		s.fail("the gate cannot see it: the driver did not refuse it, want %d at the call and %d at the end", p.call, p.end)
	case s.Call != p.call || s.End != p.end:
		s.fail("refused with %d at the call and %d at the end, want %d and %d as measured (another driver? measure it again)",
			s.Call, s.End, p.call, p.end)
	default:
		s.Status = finding.StatusPass
	}
}

func (s *Step) fail(format string, args ...any) {
	s.Status, s.Reason = finding.StatusFail, fmt.Sprintf(format, args...)
}

// conclude sets the status of the whole: an error outweighs a failure, since it leaves the question open.
func (r *Report) conclude() {
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
}
