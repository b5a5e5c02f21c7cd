package calls

import (
	"fmt"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// kind says what a call is a hazard of.
type kind struct {
	rule     string
	severity finding.Severity
	what     string // completes "the line …"
}

// classify gives the hazard of one call, with wait the wait that follows a copy (nil: none does). ok is false where the
// call is none.
func classify(a *trace.API, wait *trace.API) (k kind, ok bool) {
	python := len(a.Frames) > 0
	pick := func(inPython, inNative string) string {
		if python || len(a.Native) == 0 {
			return inPython
		}
		return inNative
	}
	async := strings.Contains(a.Name, "Async")
	switch a.Class {
	case trace.ClassSync:
		switch {
		case strings.HasPrefix(a.Name, "jax."):
			return kind{"GB912", finding.Error, "reads a JAX array on the host, or waits for one"}, true
		case strings.Contains(a.Name, "Event"):
			return kind{pick("GB108", "GB801"), finding.Error, "makes the host wait for an event"}, true
		case strings.Contains(a.Name, "Stream"):
			return kind{pick("GB107", "GB801"), finding.Error, "makes the host wait for a stream"}, true
		}
		return kind{pick("GB106", "GB801"), finding.Error, "makes the host wait for the whole device"}, true
	case trace.ClassQuery:
		if strings.Contains(a.Name, "ElapsedTime") {
			return kind{pick("GB108", "GB605"), finding.Error, "reads the time between two events"}, true
		}
		if !asked(a.Frames) {
			return kind{"GB605", finding.Info, "asks an event for its state, as allocators do"}, true
		}
		return kind{"GB605", finding.Error, "asks a stream or an event for its state, which breaks a capture"}, true
	case trace.ClassCopy:
		return classifyCopy(a, wait, pick)
	case trace.ClassSet:
		if a.Copy != nil && a.Copy.Dst != trace.OnDevice && a.Copy.Dst != trace.Unknown {
			return kind{"GB810", finding.Warn, "sets " + a.Copy.Dst + " memory, which the host waits for"}, true
		}
	case trace.ClassAlloc:
		if async {
			return kind{pick("GB305", "GB804"), finding.Info, "takes memory in stream order: " + bytes(a.Bytes)}, true
		}
		return kind{pick("GB301", "GB804"), finding.Warn, "takes memory from the driver: " + bytes(a.Bytes)}, true
	case trace.ClassFree:
		if async {
			return kind{}, false
		}
		return kind{pick("GB304", "GB804"), finding.Error, "gives memory back to the driver, which waits for the device"}, true
	case trace.ClassPin:
		return kind{pick("GB303", "GB804"), finding.Error, "page-locks host memory: " + bytes(a.Bytes)}, true
	case trace.ClassUnpin:
		return kind{pick("GB304", "GB804"), finding.Error, "gives page-locked memory back, which waits for the device"}, true
	case trace.ClassModule:
		if !strings.Contains(a.Name, "Unload") {
			return kind{"GB902", finding.Warn, "loads code (warm up every path before)"}, true
		}
	case trace.ClassHostFunc:
		return kind{"GB610", finding.Warn, "puts a host function on a stream, which every replay runs"}, true
	case trace.ClassCapture:
		return classifyCapture(a)
	}
	return kind{}, false
}

func classifyCopy(a, wait *trace.API, pick func(string, string) string) (kind, bool) {
	c := a.Copy
	out, in := c.Dir == "dtoh", c.Dir == "htod"
	if !out && !in {
		return kind{}, false
	}
	pageable := c.Src == trace.Pageable || c.Dst == trace.Pageable
	switch {
	case out && (wait != nil || !c.Async):
		rule := "GB103"
		if c.Bytes >= 0 && c.Bytes <= 16 && c.Async {
			rule = "GB101" // what item() and its like read: one scalar
		}
		if !c.Async {
			rule = pick(rule, "GB803")
		}
		return kind{rule, finding.Error, "reads " + bytes(c.Bytes) + " from the device and waits for them"}, true
	case in && (wait != nil || !c.Async):
		rule := "GB505"
		if !c.Async {
			rule = pick(rule, "GB803")
		}
		return kind{rule, finding.Error, "copies " + bytes(c.Bytes) + " of " + c.Src + " memory to the device and waits"}, true
	case pageable && out:
		return kind{pick("GB113", "GB807"), finding.Error, "copies " + bytes(c.Bytes) + " into memory that is not pinned: it waits, non_blocking or not"}, true
	case pageable:
		return kind{pick("GB506", "GB807"), finding.Error, "copies " + bytes(c.Bytes) + " from memory that is not pinned: it may wait, and a capture keeps the host address or refuses it"}, true
	}
	return kind{}, false
}

// The codes of a capture that ended badly, of which the first says why (RULES M11).
const (
	codeUnsupported = 900
	codeInvalidated = 901
	codeUnjoined    = 904
	codeIsolation   = 905
	codeImplicit    = 906
	codeCaptured    = 907
)

func classifyCapture(a *trace.API) (kind, bool) {
	switch {
	case strings.Contains(a.Name, "BeginCapture") && a.Mode == "relaxed" && a.Code == 0:
		return kind{"GB607", finding.Warn, "captures in relaxed mode, in which unsafe calls do not show"}, true
	case a.Code == codeUnjoined:
		return kind{"GB603", finding.Error, "ends a capture with a side stream that was not joined"}, true
	case a.Code == codeIsolation:
		return kind{"GB604", finding.Error, "waits in a capture for work outside of it"}, true
	}
	return kind{}, false
}

// captured says what a code means for the capture that runs, "" when it is no such code.
func captured(code int) string {
	switch code {
	case codeUnsupported, codeCaptured:
		return fmt.Sprintf("it broke the running capture (code %d)", code)
	case codeImplicit:
		return "it used the legacy stream during a capture (code 906)"
	}
	return ""
}

// asked reports whether the program asked for the state itself. Allocators ask for events on their own, right below the
// line that allocates or frees, so that only a function whose name says so is believed.
func asked(frames []trace.Frame) bool {
	if len(frames) == 0 {
		return false
	}
	name := frames[0].Func[strings.LastIndexByte(frames[0].Func, '.')+1:]
	return name == "query" || name == "is_completed" || name == "done"
}

func bytes(n int64) string {
	switch {
	case n < 0:
		return "an unknown amount"
	case n == 1:
		return "1 byte"
	case n < 10_000:
		return fmt.Sprintf("%d bytes", n)
	case n < 10_000_000:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.0f MB", float64(n)/1e6)
}
