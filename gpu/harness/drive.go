package harness

import (
	"cmp"
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
	Device     string            // what build is given; default cuda. On another one nothing but the eager phase runs
	Env        map[string]string // added to ours
	Warmup     int
	Steps      int
	Boundaries []int
	Capture    []string // globs of regions; none: what the module's regions() says, else the whole step
	Eager      []string
	Launch     string // a launcher for several ranks: the words of its command line
	// Checks are those that are asked for: phases that serve none of them are left out. Empty means all.
	Checks []string
	// Reference is what the outputs of every step are compared with, beside the module's own reference; nil: nothing.
	Reference *Reference
	// Batch and Scratch are attribute paths of the state: tensors whose rows are those of the batch, and tensors whose
	// contents before a step must not matter.
	Batch, Scratch []string
	// SyncAll also looks for waits in every replayed step, between the graphs, and not in eager steps alone.
	SyncAll bool
	Probe   string // path of gatebot-probe.so; "" runs without
	Keep    string // folder that the trace files are copied to; "" keeps none
	// Wrap is the command that each process of the step is started through, such as one that confines it: it is given
	// "--see PATH" and "--write PATH" for what must be visible inside, "--", and the command. Empty starts them directly.
	Wrap []string
	// Progress is called when a process starts; may be nil.
	Progress func(what string)
	// Count is called from another goroutine while a process runs: its phase and, where total is not 0, done of total; else
	// done counts alone. May be nil.
	Count func(phase, unit string, done, total int)
}

// Run is what was recorded.
type Run struct {
	Trace *trace.Trace
	Died  []trace.Death // processes that ended before their time
}

// maxTries bounds the processes that are spent on regions that cannot be captured.
const maxTries = 16

// Drive runs the phases. An error means that nothing can be said about the step: the interpreter does not start, or ctx
// ended (context.Cause says why). What the step module does wrong is in the Run.
func Drive(ctx context.Context, r Request) (_ *Run, err error) {
	dir, err := os.MkdirTemp("", "gatebot-harness-")
	if err != nil {
		return nil, fmt.Errorf("harness: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	d := &driver{Request: r, dir: dir, run: &Run{Trace: &trace.Trace{}}}
	if d.launcher, err = words(r.Launch); err != nil {
		return nil, err
	}
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
	launcher    []string
	n           int // processes so far
	newest      int // index in the trace of the first file of the newest process, or of its ranks
	run         *Run
}

func (d *driver) all(ctx context.Context) error {
	if d.Reference != nil {
		// What goes wrong in it is in the trace, and the check that needs it says so; the others can still be made.
		if _, err := d.process(ctx, "reference", nil); err != nil {
			return err
		}
	}
	whole, err := d.process(ctx, "eager", nil)
	if err != nil {
		return err
	}
	if !whole || !finished(d.run.Trace, "eager") {
		return nil // nothing to compare a replay with
	}
	if len(d.Checks) > 0 && !slices.ContainsFunc(d.Checks, func(c string) bool {
		return c == "capture" || c == "replay" || c == "speed" || c == "sync" && d.SyncAll
	}) {
		return nil // nothing that is asked for needs a graph
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
	d.died(0, "more than %d regions cannot be captured; the others were not tried", maxTries)
	return nil
}

func (d *driver) died(rank int, format string, args ...any) {
	how := fmt.Sprintf(format, args...)
	if len(d.launcher) > 0 {
		how = fmt.Sprintf("rank %d: %s", rank, how)
	}
	d.run.Died = append(d.run.Died, trace.Death{Rank: rank, How: how})
}

// finished reports whether a phase ended well, in every rank.
func finished(t *trace.Trace, phase string) bool {
	well := map[int]bool{}
	for _, p := range trace.Of[*trace.Phase](t) {
		if p.Name == phase && p.At == trace.Exit {
			well[p.Rank] = p.Status == "" || p.Status == "ok"
		}
	}
	return !slices.ContainsFunc(t.Ranks(), func(r int) bool { return !well[r] })
}

// failed is the region whose capture failed in the newest process, or in any of its ranks; "" when none did.
func (d *driver) failed() string {
	name := ""
	for _, e := range d.run.Trace.Errors() {
		if e.Code == "capture_failed" && e.Base().Source >= d.newest {
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
	reference, meet := filepath.Join(d.dir, "reference.pt"), filepath.Join(d.dir, fmt.Sprintf("%d-meet", d.n))
	outputs := filepath.Join(d.dir, "outputs")
	if len(d.launcher) > 0 {
		name = filepath.Join(d.dir, fmt.Sprintf("%d-%s.rank%%r.ndjson", d.n, mode))
		reference, outputs = filepath.Join(d.dir, "reference.%r.pt"), filepath.Join(d.dir, "outputs.%r")
		if err := os.Mkdir(meet, 0o700); err != nil {
			return false, fmt.Errorf("harness: %w", err)
		}
	}
	settings := map[string]any{
		"entry": d.Entry, "root": d.Root, "trace": name, "mode": mode, "device": cmp.Or(d.Device, "cuda"), "warmup": d.Warmup, "steps": d.Steps,
		"boundaries": list(d.Boundaries), "capture": list(d.Capture), "eager": list(d.Eager), "skip": list(skip), "checks": list(d.Checks),
		"reference": reference, "launched": len(d.launcher) > 0, "meet": meet,
		"outputs": outputs, "sync_all": d.SyncAll, "against": d.against(), "invariance": d.invariance(),
	}
	root := d.Root
	if mode == "reference" {
		root = d.Reference.Root
		d.Reference.settings(d.Request, settings)
	}
	cfg, err := json.Marshal(settings)
	if err != nil {
		return false, fmt.Errorf("harness: %w", err)
	}
	cfgName := filepath.Join(d.dir, fmt.Sprintf("%d.json", d.n))
	if err := writeNew(cfgName, cfg); err != nil {
		return false, fmt.Errorf("harness: %w", err)
	}
	probe := filepath.Join(d.dir, fmt.Sprintf("%d-probe.%%p.ndjson", d.n))
	stop := d.follow(name)
	end, err := d.start(ctx, root, cfgName, probe)
	stop()
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
