package gate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/gpu/harness"
	"github.com/gatebot/gatebot/internal/finding"
)

// ProbeName is the probe's file, beside the executable.
const ProbeName = "gatebot-probe.so"

// record drives the step module through the phases of the checks, under the configuration's own time limit. Why says why nothing was recorded.
func (r CheckRequest) record(ctx context.Context, run *Run, entry string, checks []string) (in *dynamic.Input, took time.Duration, why string) {
	s := run.Config.Step
	disabled, err := dynamic.Disabled(os.Getenv(dynamic.EnvDisable))
	if err != nil {
		return nil, 0, err.Error()
	}
	if s.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, s.Timeout, fmt.Errorf("timeout: the step module took longer than %s, its processes were ended (raise step.timeout)", s.Timeout))
		defer cancel()
	}
	ref, done, err := r.reference(ctx, run, entry)
	if err != nil {
		return nil, 0, err.Error()
	}
	defer done()
	start := time.Now()
	h, err := harness.Drive(ctx, harness.Request{Root: run.Root, Entry: entry, Python: s.Python, Env: s.Env, Warmup: s.Warmup,
		Steps: s.Steps, Boundaries: s.Boundaries, Capture: s.Capture, Eager: s.Eager, Launch: s.Launch, Checks: checks, Probe: probe(),
		Reference: ref, Batch: s.Invariance.Batch, Scratch: s.Invariance.Scratch,
		SyncAll: run.Config.Checks[finding.CheckSync].AllSteps, Keep: r.KeepTraces, Progress: r.say, Count: r.Count, Wrap: r.Wrap})
	if err != nil {
		return nil, 0, err.Error()
	}
	return &dynamic.Input{Trace: h.Trace, Root: run.Root, Died: h.Died, NeedProbe: r.RequireGPU, Disabled: disabled}, time.Since(start), ""
}

// probe is the probe beside the program, nothing when there is none.
func probe() string {
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	name := filepath.Join(filepath.Dir(exe), ProbeName)
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return name
}
