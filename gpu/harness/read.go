package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"github.com/gatebot/gatebot/internal/trace"
)

// read adds the files that a process left to the run, and says of a process that ended before its time how it ended.
func (d *driver) read(name, mode string, end ended) (whole bool, err error) {
	probes, err := filepath.Glob(filepath.Join(d.dir, fmt.Sprintf("%d-probe.*.ndjson", d.n)))
	if err != nil {
		return false, fmt.Errorf("harness: %w", err)
	}
	sort.Strings(probes)
	if d.Keep != "" {
		for _, f := range append([]string{name}, probes...) {
			if err := keep(f, d.Keep); err != nil {
				return false, fmt.Errorf("keep traces: %w", err)
			}
		}
	}
	at := ""
	for i, f := range append([]string{name}, probes...) {
		one, err := trace.Load(f)
		switch {
		case errors.Is(err, fs.ErrNotExist) && i == 0:
			d.run.Died = append(d.run.Died, fmt.Sprintf("the %s process of the harness recorded nothing: %s", mode, end))
			return false, nil
		case err != nil:
			d.run.Died = append(d.run.Died, fmt.Sprintf("the trace of the %s process is not readable: %v", mode, err))
			return false, nil
		}
		for _, e := range one.Events {
			e.Base().Source = len(d.run.Trace.Files)
		}
		d.run.Trace.Files = append(d.run.Trace.Files, one.Files...)
		d.run.Trace.Events = append(d.run.Trace.Events, one.Events...)
		if i == 0 {
			d.newest = len(d.run.Trace.Files) - 1
			at = where(one)
			whole = one.Incomplete() == ""
		}
	}
	if !whole {
		d.run.Died = append(d.run.Died, fmt.Sprintf("%s: the step module's process ended before its time (%s)%s", at, end, end.words()))
	}
	return whole, nil
}

// where says what a process was doing last.
func where(t *trace.Trace) string {
	phase, step := "load", -1
	for _, e := range t.Events {
		switch e := e.(type) {
		case *trace.Phase:
			if e.At == trace.Enter {
				phase, step = e.Name, -1
			}
		case *trace.Step:
			step = e.I
		}
	}
	if step < 0 {
		return "in phase " + phase
	}
	return fmt.Sprintf("in phase %s at step %d", phase, step)
}

func keep(file, dir string) error {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, filepath.Base(file)), data, 0o644)
}
