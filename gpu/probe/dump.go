package probe

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/gatebot/gatebot/internal/trace"
)

// DumpOptions picks what is printed.
type DumpOptions struct {
	Region string       // only inside this region; empty: everything
	Kinds  []trace.Kind // only these; empty: all
	Wide   bool         // kernels by their whole names
}

// nameWidth is what is printed of a kernel's name, which may have a thousand characters.
const nameWidth = 60

// Dump prints a trace for people: one event a line, times in ms from the first.
func Dump(w io.Writer, t *trace.Trace, o DumpOptions) error {
	b := bufio.NewWriter(w)
	for _, f := range t.Files {
		h := f.Header
		_, _ = fmt.Fprintf(b, "# %s: %s, pid %d, rank %d, %s\n", f.Name, h.Writer, h.PID, h.Rank, strings.Join(h.Args, " "))
	}
	var start int64
	for i, e := range t.Events {
		c := e.Base()
		if i == 0 {
			start = c.Time
		}
		if o.Region != "" && !c.In(o.Region) || len(o.Kinds) > 0 && !slices.Contains(o.Kinds, c.Ev) {
			continue
		}
		where := c.Region
		if c.Foreign {
			where = "(" + where + ")"
		}
		_, _ = fmt.Fprintf(b, "%12.3f %d/%d %-10s %-8s %s\n", float64(c.Time-start)/1e6, c.PID, c.TID, where, c.Ev, line(e, o.Wide))
	}
	for _, f := range t.Files {
		if f.Incomplete != "" {
			_, _ = fmt.Fprintf(b, "# %s: incomplete: %s\n", f.Name, f.Incomplete)
		}
	}
	return b.Flush() // and with it every error of the writes above
}

func line(e trace.Event, wide bool) string {
	switch e := e.(type) {
	case *trace.API:
		s := fmt.Sprintf("%s %.1fµs", e.Name, float64(e.Dur)/1e3)
		if e.Code != 0 {
			s += fmt.Sprintf(" code=%d", e.Code)
		}
		if c := e.Copy; c != nil {
			s += fmt.Sprintf(" %s→%s %d bytes", c.Src, c.Dst, c.Bytes)
		} else if e.Bytes > 0 {
			s += fmt.Sprintf(" %d bytes", e.Bytes)
		}
		return s + at(e.Frames, e.Native)
	case *trace.Launch:
		return fmt.Sprintf("%s grid=%v block=%v smem=%d stream=%s %.1fµs", short(e.Kernel, wide), e.Grid, e.Block, e.Smem, e.Stream, float64(e.Dur)/1e3) +
			at(e.Frames, e.Native)
	case *trace.Region:
		return e.At + " " + e.Name
	case *trace.Phase:
		return strings.TrimSpace(e.At + " " + e.Name + " " + e.Status + " " + e.Reason)
	case *trace.Step:
		return fmt.Sprintf("%s %d %s", e.At, e.I, e.Bucket)
	case *trace.Device:
		return fmt.Sprintf("%s, compute capability %s, driver %s, CUDA %s", e.Name, e.CC, e.Driver, e.CUDA)
	case *trace.Alloc:
		return fmt.Sprintf("%s %d bytes%s", e.Op, e.Bytes, at(e.Frames, nil))
	case *trace.Graph:
		return fmt.Sprintf("%s: %d nodes (%s), %d launches in eager mode", e.Name, e.Nodes, kinds(e.Kinds), e.Launches)
	case *trace.Tensor:
		return fmt.Sprintf("%s %s %v %s %s", e.Role, e.Name, e.Shape, e.DType, e.Digest)
	case *trace.Measure:
		return fmt.Sprintf("%s %s %g %s", e.Name, e.Of, e.Value, e.Unit)
	case *trace.Warning:
		return e.Source + ": " + e.Text + at(e.Frames, nil)
	case *trace.Error:
		return e.Source + ": " + e.Text + at(e.Frames, nil)
	}
	return ""
}

// short is the beginning of a kernel's name.
func short(name string, wide bool) string {
	if r := []rune(name); !wide && len(r) > nameWidth {
		return string(r[:nameWidth-1]) + "…"
	}
	return name
}

func kinds(m map[string]int) string {
	var out []string
	for k, n := range m {
		out = append(out, fmt.Sprintf("%d %s", n, k))
	}
	sort.Strings(out)
	return strings.Join(out, ", ")
}

func at(frames []trace.Frame, native []trace.NativeFrame) string {
	if len(frames) > 0 {
		return fmt.Sprintf("  %s:%d %s", frames[0].File, frames[0].Line, frames[0].Func)
	}
	for _, n := range native {
		if n.Symbol != "" && !strings.HasPrefix(n.Symbol, "cu") {
			return fmt.Sprintf("  %s %s", path.Base(n.Module), n.Symbol)
		}
	}
	return ""
}
