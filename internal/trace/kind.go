package trace

import "slices"

// Schema is the version that a header carries.
const Schema = "gatebot.trace/v1"

// Kind is the "ev" of a line.
type Kind string

// The kinds of events.
const (
	KindHeader  Kind = "header"
	KindDevice  Kind = "device"
	KindPhase   Kind = "phase"
	KindStep    Kind = "step"
	KindRegion  Kind = "region"
	KindAPI     Kind = "api"
	KindLaunch  Kind = "launch"
	KindName    Kind = "name"
	KindOp      Kind = "op"
	KindLines   Kind = "lines"
	KindSame    Kind = "same"
	KindAlloc   Kind = "alloc"
	KindGraph   Kind = "graph"
	KindTensor  Kind = "tensor"
	KindMeasure Kind = "measure"
	KindWarning Kind = "warning"
	KindError   Kind = "error"
	KindEnd     Kind = "end"
)

// Kinds are those of events: all but the first and the last line of a file, and the names that the Reader puts in.
var Kinds = []Kind{KindDevice, KindPhase, KindStep, KindRegion, KindAPI, KindLaunch, KindOp, KindAlloc, KindGraph, KindTensor,
	KindMeasure, KindWarning, KindError}

// Event is one line. Consumers switch on its type: *API, *Launch and so on.
type Event interface {
	// Base gives the fields that all kinds have.
	Base() *Common
	// Kind is the "ev" of the line.
	Kind() Kind
}

// fresh gives an empty event of a kind, nil for an unknown one.
func fresh(k Kind) Event {
	switch k {
	case KindHeader:
		return &Header{}
	case KindDevice:
		return &Device{}
	case KindPhase:
		return &Phase{}
	case KindStep:
		return &Step{}
	case KindRegion:
		return &Region{}
	case KindAPI:
		return &API{}
	case KindLaunch:
		return &Launch{}
	case KindOp:
		return &Op{}
	case KindLines:
		return &Lines{}
	case KindSame:
		return &Same{}
	case KindName:
		return &Name{}
	case KindAlloc:
		return &Alloc{}
	case KindGraph:
		return &Graph{}
	case KindTensor:
		return &Tensor{}
	case KindMeasure:
		return &Measure{}
	case KindWarning:
		return &Warning{}
	case KindError:
		return &Error{}
	case KindEnd:
		return &End{}
	}
	return nil
}

// Common is what every event has. Times are CLOCK_MONOTONIC nanoseconds.
type Common struct {
	Ev     Kind  `json:"ev"`
	Time   int64 `json:"t"`             // start of what it is about, ns
	PID    int   `json:"pid,omitempty"` // 0: the header's
	TID    int   `json:"tid,omitempty"` // Linux thread id; 0: the process as a whole
	Device *int  `json:"dev,omitempty"` // CUDA ordinal as the process sees it; nil: unknown or none

	// Set by Load, never in the file.
	Rank    int      `json:"-"` // the header's rank
	Source  int      `json:"-"` // index of the file in Trace.Files
	Phase   string   `json:"-"` // name of the phase running in the process, else ""
	Step    int      `json:"-"` // step running in the process, else -1
	Region  string   `json:"-"` // innermost region, else ""
	Foreign bool     `json:"-"` // Region is another thread's
	open    []string // all regions open in the process
}

// In reports whether a region of that name was open in the process, on any thread and at any depth. Load sets it.
func (c *Common) In(region string) bool { return slices.Contains(c.open, region) }

// Base implements Event.
func (c *Common) Base() *Common { return c }

// Kind implements Event.
func (c *Common) Kind() Kind { return c.Ev }

// Frame is one Python stack frame, as the interpreter names it.
type Frame struct {
	File string `json:"file"`           // co_filename, absolute or as the program gave it
	Line int    `json:"line"`           // 1-based
	Func string `json:"func,omitempty"` // co_qualname, or co_name before Python 3.11
}

// NativeFrame is one return address, for threads or calls with no Python below them.
type NativeFrame struct {
	Module string `json:"module"`        // path of the shared object or program
	Symbol string `json:"sym,omitempty"` // nearest exported symbol, mangled as it is
	Offset uint64 `json:"off"`           // from Symbol, or from the module's base when there is no symbol
}
