package ops

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/gpu/trial"
	"github.com/gatebot/gatebot/internal/trace"
)

// Row is one line of the table.
type Row struct {
	Name     string
	Warned   int            // calls that torch's sync-debug mode reported
	Blocking int            // calls that wait for a stream, the device or an event, as the probe saw them
	Other    int            // other calls that hold the host: copies without Async, queries, memory of the driver, pageable sides
	Capture  string         // "" when a graph took it, else what was raised
	Eager    string         // not valid here: what the call itself raised
	Calls    map[string]int // all calls but launches
	Unknown  string         // why there is no measurement
}

// Rows turns results into the table.
func Rows(results []trial.Result) []Row {
	var out []Row
	for _, r := range results {
		row := Row{Name: r.Name, Warned: r.Warned, Capture: r.Capture, Eager: r.Eager, Calls: map[string]int{}}
		switch {
		case r.Died != "":
			row.Unknown = r.Died
		case r.Eager == "" && (r.Unseen != "" || r.Blind != ""):
			row.Unknown = r.Unseen + r.Blind
		}
		for _, c := range r.Calls {
			row.Calls[c.Name]++
			switch {
			case waits(c):
				row.Blocking++
			case holds(c):
				row.Other++
			}
		}
		out = append(out, row)
	}
	return out
}

// waits reports whether a call waits by its name.
func waits(c *trace.API) bool { return c.Class == trace.ClassSync }

// holds reports whether a call that does not wait by its name holds the host or breaks a capture all the same.
func holds(c *trace.API) bool {
	switch c.Class {
	case trace.ClassCopy:
		return c.Copy != nil && c.Copy.Dir != "dtod" && (!c.Copy.Async || c.Copy.Src == trace.Pageable || c.Copy.Dst == trace.Pageable)
	case trace.ClassQuery, trace.ClassAlloc, trace.ClassFree, trace.ClassPin, trace.ClassUnpin:
		return true
	}
	return false
}

// Write prints the table in the form of checks/torchop/testdata: name, warnings, blocking calls, capture | calls.
func Write(w io.Writer, torch trial.Torch, device string, rows []Row) error {
	b := bufio.NewWriter(w)
	_, _ = fmt.Fprintf(b, "# One call each, in a process of its own after three warm-up calls: %s, torch %s, Python %s; written by gatebot ops.\n",
		device, torch.Version, torch.Python)
	_, _ = fmt.Fprintln(b, "# columns: name | warnings of torch's sync-debug mode | blocking calls the probe saw (stream, device, event) | capture of that call alone | calls other than launches")
	width := 22
	for _, r := range rows {
		width = max(width, len(r.Name))
	}
	for _, r := range rows {
		capture := r.Capture
		switch {
		case r.Unknown != "":
			_, _ = fmt.Fprintf(b, "# %s was not measured: %s\n", r.Name, r.Unknown)
			continue
		case r.Eager != "":
			capture = r.Eager
		case capture == "":
			capture = "ok"
		}
		_, _ = fmt.Fprintf(b, "%-*s %-4d %-4d %-60.60s | %s", width, r.Name, r.Warned, r.Blocking, capture, calls(r.Calls))
		if r.Eager != "" {
			_, _ = fmt.Fprintf(b, " EAGER %s", r.Eager)
		}
		_, _ = fmt.Fprintln(b)
	}
	return b.Flush() // and with it every error of the writes above
}

// calls prints counts the way the first tables were printed, a Python dict.
func calls(m map[string]int) string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		names[i] = fmt.Sprintf("'%s': %d", name, m[name])
	}
	return "{" + strings.Join(names, ", ") + "}"
}
