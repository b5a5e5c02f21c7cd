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
	Only       []string // names of checks; the others are left out
	RequireGPU bool     // GPU checks that do not run are an error and not a remark
	Timeout    time.Duration
	Detect     func(ctx context.Context) (*finding.Device, error) // tests replace it; nil asks gatebot-gpu
	Progress   func(phase string)                                 // called when a phase starts; may be nil
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
	detect := r.Detect
	if detect == nil {
		detect = func(ctx context.Context) (*finding.Device, error) { return device.Detect(ctx, "") }
	}
	dev, why := detect(ctx)
	res.Device = dev
	for _, name := range finding.GPUChecks {
		res.Checks = append(res.Checks, r.gpu(name, dev, why, run.Config))
	}
	verdict.Decide(res)
	return run, nil
}

// gpu is the outcome of one GPU check.
func (r CheckRequest) gpu(name string, dev *finding.Device, why error, cfg *config.Config) finding.CheckResult {
	level := cfg.Checks[name].Level
	required := r.RequireGPU && level != finding.Off && level != finding.Warn
	switch {
	case !r.wants(name):
		return verdict.NotRun(name, "left out by --only", false)
	case level == finding.Off:
		return verdict.NotRun(name, "turned off in "+config.FileName, false)
	case why != nil:
		return verdict.NotRun(name, why.Error(), required)
	case dev == nil:
		return verdict.NotRun(name, "no CUDA device", required)
	}
	// There is a device and this gatebot has no dynamic checks yet: that is said, and never counted as a pass.
	return verdict.NotRun(name, "this version of gatebot has no "+name+" check (it needs the GPU harness)", required)
}

func (r CheckRequest) wants(name string) bool {
	return len(r.Only) == 0 || slices.Contains(r.Only, name)
}

func (r CheckRequest) say(phase string) {
	if r.Progress != nil {
		r.Progress(phase)
	}
}
