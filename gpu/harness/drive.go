package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/gatebot/gatebot/internal/trace"
)

// Request says which step module to run, and how. Root and Entry are absolute.
type Request struct {
	Root       string
	Entry      string
	Python     string            // interpreter of the repository's environment; default python3
	Env        map[string]string // added to ours
	Warmup     int
	Steps      int
	Boundaries []int
	Capture    []string // globs of regions; none: what the module's regions() says, else the whole step
	Eager      []string
	Launch     string // a launcher for several ranks
	Probe      string // path of gatebot-probe.so; "" runs without
	Keep       string // folder that the trace files are copied to; "" keeps none
	// Progress is called when a process starts; may be nil.
	Progress func(what string)
}

// Run is what was recorded.
type Run struct {
	Trace *trace.Trace
	Died  []string // for each process that ended before its time: how
}

// maxTries bounds the processes that are spent on regions that cannot be captured.
const maxTries = 16

// Drive runs the phases. An error means that nothing can be said about the step: the interpreter does not start, or ctx
// ended (context.Cause says why). What the step module does wrong is in the Run.
func Drive(ctx context.Context, r Request) (_ *Run, err error) {
	if r.Launch != "" {
		return nil, errors.New("step.launch: this gatebot runs a step in one process only (remove it, and gate one rank by itself)")
	}
	dir, err := os.MkdirTemp("", "gatebot-harness-")
	if err != nil {
		return nil, fmt.Errorf("harness: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	d := &driver{Request: r, dir: dir, run: &Run{Trace: &trace.Trace{}}}
	if d.script, err = unpack(dir); err != nil {
		return nil, fmt.Errorf("harness: %w", err)
	}
	if err := d.all(ctx); err != nil {
		return nil, err
	}
	d.run.Trace.Arrange()
	return d.run, nil
}

type driver struct {
	Request
	dir, script string
	n           int // processes so far
	newest      int // index of the newest harness file in the trace
	run         *Run
}

func (d *driver) all(ctx context.Context) error {
	whole, err := d.process(ctx, "eager", nil)
	if err != nil {
		return err
	}
	if !whole || !finished(d.run.Trace, "eager") {
		return nil // nothing to compare a replay with
	}
	var skip []string
	for range maxTries {
		if _, err := d.process(ctx, "capture", skip); err != nil {
			return err
		}
		bad := d.failed()
		if bad == "" || bad == "step" || slices.Contains(skip, bad) {
			return nil
		}
		skip = append(skip, bad)
	}
	d.run.Died = append(d.run.Died, fmt.Sprintf("more than %d regions cannot be captured; the others were not tried", maxTries))
	return nil
}

// finished reports whether a phase ended well.
func finished(t *trace.Trace, phase string) bool {
	return slices.ContainsFunc(trace.Of[*trace.Phase](t), func(p *trace.Phase) bool {
		return p.Name == phase && p.At == trace.Exit && (p.Status == "" || p.Status == "ok")
	})
}

// failed is the region whose capture failed in the newest process, "" when none did.
func (d *driver) failed() string {
	name := ""
	for _, e := range d.run.Trace.Errors() {
		if e.Code == "capture_failed" && e.Base().Source == d.newest {
			name = e.Of
		}
	}
	return name
}

// process runs one process of the harness and reads its trace; whole is false when it ended before its time.
func (d *driver) process(ctx context.Context, mode string, skip []string) (whole bool, err error) {
	d.n++
	if d.Progress != nil {
		d.Progress(mode)
	}
	name := filepath.Join(d.dir, fmt.Sprintf("%d-%s.ndjson", d.n, mode))
	cfg, err := json.Marshal(map[string]any{
		"entry": d.Entry, "root": d.Root, "trace": name, "mode": mode, "device": "cuda", "warmup": d.Warmup, "steps": d.Steps,
		"boundaries": list(d.Boundaries), "capture": list(d.Capture), "eager": list(d.Eager), "skip": list(skip),
		"reference": filepath.Join(d.dir, "reference.pt"),
	})
	if err != nil {
		return false, fmt.Errorf("harness: %w", err)
	}
	cfgName := filepath.Join(d.dir, fmt.Sprintf("%d.json", d.n))
	if err := os.WriteFile(cfgName, cfg, 0o600); err != nil {
		return false, fmt.Errorf("harness: %w", err)
	}
	probe := filepath.Join(d.dir, fmt.Sprintf("%d-probe.%%p.ndjson", d.n))
	end, err := d.start(ctx, cfgName, probe)
	if err != nil {
		return false, err
	}
	return d.read(name, mode, end)
}

// list keeps an empty list from becoming null.
func list[T any](v []T) []T {
	if v == nil {
		return []T{}
	}
	return v
}
