package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/gatebot/gatebot/internal/trace"
)

// read adds the files that a process, or each of its ranks, left to the run, and says of those that ended before their time
// how they ended.
func (d *driver) read(name, mode string, end ended) (whole bool, err error) {
	files, err := filepath.Glob(strings.ReplaceAll(name, "%r", "*"))
	if err != nil {
		return false, fmt.Errorf("harness: %w", err)
	}
	probes, err := filepath.Glob(filepath.Join(d.dir, fmt.Sprintf("%d-probe.*.ndjson", d.n)))
	if err != nil {
		return false, fmt.Errorf("harness: %w", err)
	}
	sort.Strings(files)
	sort.Strings(probes)
	if d.Keep != "" {
		for _, f := range slices.Concat(files, probes) {
			if plain(f) != nil {
				continue // said below
			}
			if err := keep(f, d.Keep); err != nil {
				return false, fmt.Errorf("keep traces: %w", err)
			}
		}
	}
	if len(files) == 0 {
		d.died(0, "the %s process of the harness recorded nothing: %s%s", mode, end, end.words())
		return false, nil
	}
	whole, d.newest = true, len(d.run.Trace.Files)
	world, seen := 0, map[int]bool{}
	for i, f := range slices.Concat(files, probes) {
		err := plain(f)
		var one *trace.Trace
		if err == nil {
			one, err = trace.Load(f)
		}
		if err != nil {
			d.died(d.rankOf(f), "the trace of the %s process is not readable: %v", mode, err)
			return false, nil
		}
		for _, e := range one.Events {
			e.Base().Source = len(d.run.Trace.Files)
		}
		d.run.Trace.Files = append(d.run.Trace.Files, one.Files...)
		d.run.Trace.Events = append(d.run.Trace.Events, one.Events...)
		if i < len(files) {
			h := one.Files[0].Header
			world, seen[h.Rank] = max(world, h.World), true
			if one.Incomplete() != "" {
				whole = false
				d.died(h.Rank, "%s: the step module's process ended before its time (%s)%s", where(one), end, end.words())
			}
		}
	}
	for r := range min(world, maxRanks) {
		if !seen[r] {
			whole = false
			d.died(r, "the %s process of the harness recorded nothing: %s%s", mode, end, end.words())
		}
	}
	return whole, nil
}

// maxRanks bounds what the file of a rank can make us believe of how many there are.
const maxRanks = 1024

// rankOf is the rank in the name of a file, 0 where there is none.
func (d *driver) rankOf(file string) int {
	_, after, ok := strings.Cut(filepath.Base(file), ".rank")
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSuffix(after, ".ndjson"))
	if err != nil {
		return 0
	}
	return n
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
