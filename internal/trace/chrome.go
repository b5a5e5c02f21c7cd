package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// Virtual threads of the exported trace, one for each kind of mark; the threads of the process keep their ids.
const (
	chromePhases = -3
	chromeSteps  = -2
)

// chromeEvent is one event of the Chrome trace event format, which Perfetto and chrome://tracing open. Times are µs.
type chromeEvent struct {
	Name string         `json:"name"`
	Cat  string         `json:"cat,omitempty"`
	Ph   string         `json:"ph"`
	TS   json.Number    `json:"ts"`
	Dur  json.Number    `json:"dur,omitempty"`
	PID  int            `json:"pid"`
	TID  int            `json:"tid"`
	S    string         `json:"s,omitempty"` // scope of an instant event
	Args map[string]any `json:"args,omitempty"`
}

// WriteChrome writes t in the Chrome trace event format: calls and launches on their threads with the regions around
// them, phases and steps on rows of their own, and the bytes of the caching allocator as a counter.
func WriteChrome(w io.Writer, t *Trace) error {
	out := bufio.NewWriter(w)
	c := &chrome{w: out, open: map[chromeRow][]Event{}, bytes: map[int]int64{}, sizes: map[chromeBlock]int64{}}
	for _, e := range t.Events {
		if c.start == 0 {
			c.start = e.Base().Time
		}
	}
	c.raw(`{"displayTimeUnit":"ns","traceEvents":[`)
	c.names(t)
	for _, e := range t.Events {
		c.event(e)
	}
	c.raw("\n]}\n")
	if c.err != nil {
		return fmt.Errorf("trace: export: %w", c.err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("trace: export: %w", err)
	}
	return nil
}

type chromeRow struct {
	pid, tid int
	name     string
}

type chromeBlock struct {
	pid int
	ptr string
}

type chrome struct {
	w     *bufio.Writer
	err   error
	n     int
	start int64
	open  map[chromeRow][]Event
	bytes map[int]int64 // by process
	sizes map[chromeBlock]int64
}

func (c *chrome) raw(s string) {
	if c.err == nil {
		_, c.err = c.w.WriteString(s)
	}
}

func (c *chrome) put(e chromeEvent) {
	data, err := json.Marshal(e)
	if err != nil {
		c.err = err
		return
	}
	if c.n++; c.n > 1 {
		c.raw(",")
	}
	c.raw("\n" + string(data))
}

func chromeTime(ns int64) json.Number { return json.Number(fmt.Sprintf("%d.%03d", ns/1000, ns%1000)) }

// names labels processes and the rows that are not threads.
func (c *chrome) names(t *Trace) {
	seen := map[int]bool{}
	for _, f := range t.Files {
		if f.Header == nil || seen[f.Header.PID] {
			continue
		}
		pid := f.Header.PID
		seen[pid] = true
		name := fmt.Sprintf("pid %d", pid)
		if f.Header.World > 1 {
			name = fmt.Sprintf("rank %d of %d", f.Header.Rank, f.Header.World)
		}
		c.put(chromeEvent{Name: "process_name", Ph: "M", TS: "0", PID: pid, Args: map[string]any{"name": name}})
		c.put(chromeEvent{Name: "thread_name", Ph: "M", TS: "0", PID: pid, TID: chromePhases, Args: map[string]any{"name": "phases"}})
		c.put(chromeEvent{Name: "thread_name", Ph: "M", TS: "0", PID: pid, TID: chromeSteps, Args: map[string]any{"name": "steps"}})
	}
}

func (c *chrome) event(e Event) {
	b := e.Base()
	switch e := e.(type) {
	case *Phase:
		c.mark(chromeRow{b.PID, chromePhases, e.Name}, e, e.At, e.Name, "phase", map[string]any{"status": e.Status, "reason": e.Reason})
	case *Step:
		name := fmt.Sprintf("step %d", e.I)
		c.mark(chromeRow{b.PID, chromeSteps, name}, e, e.At, name, "step", map[string]any{"bucket": e.Bucket, "mode": e.Mode})
	case *Region:
		c.mark(chromeRow{b.PID, b.TID, e.Name}, e, e.At, e.Name, "region", map[string]any{"eager": e.Eager})
	case *Launch:
		c.span(b, e.Kernel, "launch", e.Dur, map[string]any{"grid": e.Grid, "block": e.Block, "smem": e.Smem, "stream": e.Stream,
			"code": e.Code, "api": e.Name, "region": b.Region})
	case *API:
		args := map[string]any{"code": e.Code, "stream": e.Stream, "region": b.Region}
		if e.Copy != nil {
			args["copy"] = e.Copy
		}
		if e.Bytes > 0 {
			args["bytes"] = e.Bytes
		}
		if len(e.Frames) > 0 {
			args["at"] = fmt.Sprintf("%s:%d %s", e.Frames[0].File, e.Frames[0].Line, e.Frames[0].Func)
			args["stack"] = e.Frames
		}
		c.span(b, e.Name, string(e.Class), e.Dur, args)
	case *Alloc:
		c.alloc(b, e)
	case *Warning:
		c.instant(b, e.Text, "warning", map[string]any{"source": e.Source})
	case *Error:
		c.instant(b, e.Text, "error", map[string]any{"source": e.Source, "code": e.Code, "hint": e.Hint})
	}
}

// mark pairs enter and exit into one span. What never ends is not drawn.
func (c *chrome) mark(row chromeRow, e Event, at, name, cat string, args map[string]any) {
	if at == Enter {
		c.open[row] = append(c.open[row], e)
		return
	}
	stack := c.open[row]
	if len(stack) == 0 {
		return
	}
	enter := stack[len(stack)-1].Base()
	c.open[row] = stack[:len(stack)-1]
	c.put(chromeEvent{Name: name, Cat: cat, Ph: "X", TS: chromeTime(enter.Time - c.start), Dur: chromeTime(max(0, e.Base().Time-enter.Time)),
		PID: row.pid, TID: row.tid, Args: args})
}

func (c *chrome) span(b *Common, name, cat string, dur int64, args map[string]any) {
	if name == "" {
		name = "kernel"
	}
	c.put(chromeEvent{Name: name, Cat: cat, Ph: "X", TS: chromeTime(b.Time - c.start), Dur: chromeTime(dur), PID: b.PID, TID: b.TID, Args: args})
}

func (c *chrome) instant(b *Common, name, cat string, args map[string]any) {
	c.put(chromeEvent{Name: name, Cat: cat, Ph: "i", TS: chromeTime(b.Time - c.start), PID: b.PID, TID: b.TID, S: "p", Args: args})
}

// alloc keeps the sum of what the allocator holds.
func (c *chrome) alloc(b *Common, e *Alloc) {
	key := chromeBlock{b.PID, e.Ptr}
	switch e.Op {
	case "alloc":
		c.bytes[b.PID] += e.Bytes
		c.sizes[key] = e.Bytes
	case "free":
		size, ok := c.sizes[key]
		if !ok {
			return // allocated before the recording began
		}
		delete(c.sizes, key)
		c.bytes[b.PID] -= size
	default:
		return
	}
	c.put(chromeEvent{Name: "allocated since recording began", Ph: "C", TS: chromeTime(b.Time - c.start), PID: b.PID,
		Args: map[string]any{"bytes": c.bytes[b.PID]}})
}
