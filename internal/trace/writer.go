package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// Writer writes one file. It is for one goroutine.
type Writer struct {
	w      *bufio.Writer
	enc    *json.Encoder
	events int64
	ended  bool
}

// NewWriter writes the header and gives the Writer. The caller closes the file after Close.
func NewWriter(w io.Writer, h *Header) (*Writer, error) {
	b := bufio.NewWriter(w)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	out := &Writer{w: b, enc: enc}
	h.Schema = Schema
	return out, out.Write(h)
}

// Write appends an event. Its kind is set from its type.
func (w *Writer) Write(e Event) error {
	if w.ended {
		return fmt.Errorf("trace: %s after the end", kindOf(e))
	}
	e.Base().Ev = kindOf(e)
	if err := w.enc.Encode(e); err != nil {
		return fmt.Errorf("trace: write: %w", err)
	}
	w.events++
	return nil
}

// Close writes the end at time t (CLOCK_MONOTONIC ns) and flushes. Without it the file is incomplete.
func (w *Writer) Close(t int64) error {
	if err := w.Write(&End{Common: Common{Time: t}, Events: w.events}); err != nil {
		return err
	}
	w.ended = true
	return w.w.Flush()
}

// kindOf is the kind that belongs to the type of an event.
func kindOf(e Event) Kind {
	switch e.(type) {
	case *Header:
		return KindHeader
	case *Device:
		return KindDevice
	case *Phase:
		return KindPhase
	case *Step:
		return KindStep
	case *Region:
		return KindRegion
	case *API:
		return KindAPI
	case *Launch:
		return KindLaunch
	case *Op:
		return KindOp
	case *Lines:
		return KindLines
	case *Same:
		return KindSame
	case *Name:
		return KindName
	case *Alloc:
		return KindAlloc
	case *Graph:
		return KindGraph
	case *Tensor:
		return KindTensor
	case *Measure:
		return KindMeasure
	case *Warning:
		return KindWarning
	case *Error:
		return KindError
	case *End:
		return KindEnd
	}
	return ""
}
