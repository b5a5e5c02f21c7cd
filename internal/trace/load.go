package trace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// MaxEvents bounds what Load keeps in memory.
const MaxEvents = 20_000_000

// File is one file of a run.
type File struct {
	Name       string
	Header     *Header
	Incomplete string // why the file is not whole, "" when it is
}

// Trace is a whole run: the events of all its files, in order of time.
type Trace struct {
	Files  []File
	Events []Event // without headers and ends
}

// Incomplete says why the trace is not whole, "" when it is. An incomplete trace has no verdict but error.
func (t *Trace) Incomplete() string {
	if len(t.Files) == 0 {
		return "no trace file (the process never initialised CUDA, or the probe was not loaded)"
	}
	for _, f := range t.Files {
		if f.Incomplete != "" {
			return f.Name + ": " + f.Incomplete
		}
	}
	return ""
}

// Errors gives the error events, in order.
func (t *Trace) Errors() []*Error { return Of[*Error](t) }

// Of gives the events of one type, in order.
func Of[E Event](t *Trace) []E {
	var out []E
	for _, e := range t.Events {
		if e, ok := e.(E); ok {
			out = append(out, e)
		}
	}
	return out
}

// Load reads the files of one run. A missing or unreadable file, or a bad line, is an error; an incomplete file is not,
// ask Trace.Incomplete.
func Load(names ...string) (*Trace, error) {
	t := &Trace{}
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("trace: %w", err)
		}
		err = t.Read(f, name)
		_ = f.Close() // only read
		if err != nil {
			return nil, err
		}
	}
	t.Arrange()
	return t, nil
}

// Read adds one file. Call Arrange after the last.
func (t *Trace) Read(r io.Reader, name string) error {
	in, err := NewReader(r, name)
	if err != nil {
		return err
	}
	h := in.Header()
	for {
		e, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if _, ok := e.(*End); ok {
			continue
		}
		if len(t.Events) >= MaxEvents {
			return in.bad("%w (%d events)", ErrTooLarge, MaxEvents)
		}
		c := e.Base()
		c.Rank, c.Source = h.Rank, len(t.Files)
		if c.PID == 0 {
			c.PID = h.PID
		}
		t.Events = append(t.Events, e)
	}
	t.Files = append(t.Files, File{Name: name, Header: h, Incomplete: in.Incomplete()})
	return nil
}

// Arrange sorts the events by time and says for each in which phase, step and region it happened.
func (t *Trace) Arrange() {
	slices.SortStableFunc(t.Events, func(a, b Event) int { return cmp.Compare(a.Base().Time, b.Base().Time) })
	procs := map[procKey]*process{}
	for _, e := range t.Events {
		c := e.Base()
		k := procKey{c.Rank, c.PID}
		p := procs[k]
		if p == nil {
			p = &process{step: -1}
			procs[k] = p
		}
		p.mark(e, true)
		c.Phase, c.Step = p.phase, p.step
		c.Region, c.Foreign = p.region(c.TID)
		c.open = p.names
		p.mark(e, false)
	}
}

type procKey struct{ rank, pid int }

// process is what is running in one process while the events go by.
type process struct {
	phase string
	step  int
	open  []openRegion // in order of entry
	names []string     // of open; made anew when that changes, so that events may keep it
}

type openRegion struct {
	name string
	tid  int
}

// mark follows the marks: what is entered counts for the enter event itself, and what is left still counts for the exit.
func (p *process) mark(e Event, before bool) {
	switch e := e.(type) {
	case *Phase:
		if before && e.At == Enter {
			p.phase = e.Name
		} else if !before && e.At == Exit {
			p.phase = ""
		}
	case *Step:
		if before && e.At == Enter {
			p.step = e.I
		} else if !before && e.At == Exit {
			p.step = -1
		}
	case *Region:
		if before && e.At == Enter {
			p.open = append(p.open, openRegion{e.Name, e.TID})
			p.name()
		} else if !before && e.At == Exit {
			p.leave(e.Name, e.TID)
		}
	}
}

// leave closes the innermost region of that name on the thread; an exit without its enter closes nothing.
func (p *process) leave(name string, tid int) {
	for i := len(p.open) - 1; i >= 0; i-- {
		if p.open[i].name == name && p.open[i].tid == tid {
			p.open = slices.Delete(p.open, i, i+1)
			p.name()
			return
		}
	}
}

func (p *process) name() {
	p.names = nil
	for _, o := range p.open {
		p.names = append(p.names, o.name)
	}
}

func (p *process) region(tid int) (name string, foreign bool) {
	for i := len(p.open) - 1; i >= 0; i-- {
		if p.open[i].tid == tid {
			return p.open[i].name, false
		}
	}
	if n := len(p.open); n > 0 {
		return p.open[n-1].name, true
	}
	return "", false
}
