package gate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/verdict"
)

// CheckRequest is a Request with what the GPU checks need.
type CheckRequest struct {
	Request
	Entry      string   // step module, instead of the configuration's
	Reference  string   // "base" or FILE[:FUNCTION], instead of the configuration's
	Tolerance  string   // of the reference, as in the configuration and instead of it
	Only       []string // names of checks; the others are left out
	RequireGPU bool     // GPU checks that do not run are an error and not a remark
	Timeout    time.Duration
	KeepTraces string             // folder that recorded traces are copied to; empty keeps none
	Wrap       []string           // command that the step's processes are started through; empty: none
	GPU        GPU                // tests replace it; nil asks gatebot-gpu
	Progress   func(phase string) // called when a phase starts; may be nil
	// Count is called while the step runs, from another goroutine: see harness.Request. May be nil.
	Count     func(phase, unit string, done, total int)
	CanaryDir string // where a canary's pass is remembered; empty: the user's cache

	device *finding.Device // that the checks run on
}

// Check runs the source check and then the GPU checks, and decides over what is required. What does not run says why.
func Check(ctx context.Context, r CheckRequest) (*Run, error) {
	for _, name := range r.Only {
		if name != finding.CheckSource && !slices.Contains(finding.GPUChecks, name) {
			return nil, &UsageError{fmt.Sprintf("--only: no check %q (there are %s, %s)", name, finding.CheckSource,
				strings.Join(finding.GPUChecks, ", "))}
		}
	}
	if r.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.Timeout, fmt.Errorf("the check took longer than %s (raise --timeout)", r.Timeout))
		defer cancel()
	}
	if r.Entry != "" && r.Rev == "" {
		name := r.Entry
		if !filepath.IsAbs(name) {
			name = filepath.Join(r.Dir, name)
		}
		if info, err := os.Stat(name); err != nil || info.IsDir() {
			return nil, &UsageError{fmt.Sprintf("--entry %s: no such file (name the module with build and step)", r.Entry)}
		}
	}
	if err := r.mistaken(); err != nil {
		return nil, err
	}
	r.say("source")
	run, err := Scan(ctx, r.Request)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, err
	}
	res := run.Results
	if !r.wants(finding.CheckSource) {
		res.Checks[0] = verdict.NotRun(finding.CheckSource, "left out by --only", false)
	}
	r.say("device")
	gpu := r.GPU
	if gpu == nil {
		gpu = child{}
	}
	dev, why := gpu.Detect(ctx)
	res.Device = dev
	if dev != nil { // a step that was proven on another device than the one it is to run on is not proven
		if err := device.Fits(dev, run.Config.Device.Name, run.Config.Device.MinComputeCapability); err != nil {
			dev, why = nil, fmt.Errorf("%w (device in %s)", err, config.FileName)
		}
	}
	if dev == nil {
		for _, name := range finding.GPUChecks {
			c := r.without(name, why, run.Config)
			if r.RequireGPU && name == finding.CheckCanary {
				// The device itself was asked for. Neither --only nor a configuration that turns every check off may
				// make a pass of a run without one.
				c.Required, c.Reason = true, r.missing(why)
			}
			res.Checks = append(res.Checks, c)
		}
		verdict.Decide(res)
		return run, nil
	}
	r.device = dev
	canary := r.canary(ctx, gpu, run)
	res.Checks = append(res.Checks, canary)
	if err := r.steps(ctx, run, blind(canary)); err != nil {
		return nil, err
	}
	verdict.Decide(res)
	return run, nil
}

// without is the outcome of a GPU check on a machine without a device.
func (r CheckRequest) without(name string, why error, cfg *config.Config) finding.CheckResult {
	switch {
	case !r.wants(name):
		return verdict.NotRun(name, "left out by --only", false)
	case level(cfg, name) == finding.Off:
		return verdict.NotRun(name, "turned off in "+config.FileName, false)
	}
	return verdict.NotRun(name, r.missing(why), r.RequireGPU && level(cfg, name) == finding.Error)
}

// missing says why there is no device.
func (r CheckRequest) missing(why error) string {
	if why != nil {
		return why.Error()
	}
	return "no CUDA device"
}

func (r CheckRequest) wants(name string) bool {
	return len(r.Only) == 0 || slices.Contains(r.Only, name)
}

func (r CheckRequest) say(phase string) {
	if r.Progress != nil {
		r.Progress(phase)
	}
}
