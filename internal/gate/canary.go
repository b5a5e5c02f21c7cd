package gate

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/gpu/probelib"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/verdict"
)

// GPU is what Check asks of the machine.
type GPU interface {
	Detect(ctx context.Context) (*finding.Device, error)
	// Canary plants violations on the first device, or on all that this process can see.
	Canary(ctx context.Context, c device.CanaryRequest, all bool) (*device.Report, error)
}

// child asks gatebot-gpu, a process of its own that may die with the driver.
type child struct{}

func (child) Detect(ctx context.Context) (*finding.Device, error) { return device.Detect(ctx, "") }

func (child) Canary(ctx context.Context, c device.CanaryRequest, all bool) (*device.Report, error) {
	devices := 1
	if all {
		inv, err := device.ReadInventory(ctx, c.Exe)
		if err != nil {
			return nil, err
		}
		devices = len(inv.Devices)
	}
	if len(c.Wrap) > 0 { // what the sandbox holds cannot speak for the device: the part in Go is run outside of it as well
		outside := c
		outside.Wrap, outside.Python = nil, ""
		if rep, err := device.RunCanary(ctx, outside); err != nil || rep.Status != finding.StatusPass {
			return rep, err
		}
	}
	rep, err := device.RunCanary(ctx, c)
	for c.Index = 1; c.Index < devices && err == nil && rep.Status == finding.StatusPass; c.Index++ {
		other := c
		other.Wrap, other.Python = nil, "" // the detectors in Python are the same ones on every device
		var one *device.Report
		if one, err = device.RunCanary(ctx, other); err == nil && one.Status != finding.StatusPass {
			one.Reason = fmt.Sprintf("device %d: %s", c.Index, one.Reason)
			return one, nil
		}
	}
	return rep, err
}

// canary is the outcome of the canary check. Where a step is to run it has a part in Python, in the step's interpreter:
// it proves the recorder and torch's own mode, which the part in Go does not use.
func (r CheckRequest) canary(ctx context.Context, gpu GPU, run *Run) finding.CheckResult {
	const name = finding.CheckCanary
	switch {
	case !r.wants(name):
		return verdict.NotRun(name, "left out by --only", false)
	case level(run.Config, name) == finding.Off:
		return verdict.NotRun(name, "turned off in "+config.FileName, false)
	}
	r.say(name)
	s, c := run.Config.Step, device.CanaryRequest{Wrap: r.Wrap}
	needed := r.RequireGPU // whether anything rests on it
	if _, why := r.ready(ctx, run); why == "" && r.asksForSteps(run.Config) {
		needed, c.Python = true, s.Python
		if strings.Contains(c.Python, "/") && !filepath.IsAbs(c.Python) {
			c.Python = filepath.Join(run.Root, c.Python) // steps run there, the canary does not
		}
		for k, v := range s.Env {
			c.Env = append(c.Env, k+"="+v)
		}
		slices.Sort(c.Env)
		if probe, err := probelib.Find(); err == nil {
			c.See = []string{probe}
		}
	}
	out := r.sing(ctx, gpu, c, s.Launch != "")
	out.Required = level(run.Config, name) == finding.Error && (r.RequireGPU || needed && out.Status == finding.StatusError)
	return out
}

// asksForSteps reports whether any check on a step is asked for.
func (r CheckRequest) asksForSteps(cfg *config.Config) bool {
	return slices.ContainsFunc(stepChecks(), func(name string) bool { return r.wants(name) && level(cfg, name) != finding.Off })
}

// sing runs the planted violations, or remembers that they were seen minutes ago. A canary that sings is a broken gate and
// no violation of the code: an error.
func (r CheckRequest) sing(ctx context.Context, gpu GPU, c device.CanaryRequest, all bool) finding.CheckResult {
	out := finding.CheckResult{Name: finding.CheckCanary, Status: finding.StatusPass}
	start := time.Now()
	memory := r.canaryMemory(c, all)
	rep, age, err := memory.canary(ctx, func() (*device.Report, error) { return gpu.Canary(ctx, c, all) })
	out.DurationMS = time.Since(start).Milliseconds()
	switch {
	case err != nil:
		out.Status, out.Reason = finding.StatusError, err.Error()
	case rep.Status != finding.StatusPass:
		out.Status, out.Reason = finding.StatusError, "this device, driver and build do not show what the gate has to see: "+rep.Reason
		if names := unseen(rep); len(names) > 0 {
			out.Reason = "blind: " + strings.Join(names, ", ") + "; " + out.Reason
		}
	default:
		out.Metrics = map[string]float64{"steps": float64(len(rep.Steps))}
		if age > 0 {
			out.Reason = fmt.Sprintf("passed %s ago on this device, driver and recorder", age.Round(time.Second))
		}
		if p := rep.Python; p != nil && p.Status == finding.StatusNotRun {
			out.Reason = strings.TrimPrefix(out.Reason+"; the part in Python did not run: "+p.Reason, "; ")
		}
	}
	return out
}

// unseen are the detectors that did not see what they have to.
func unseen(rep *device.Report) []string {
	var out []string
	for _, s := range rep.Steps {
		for _, d := range s.Detections {
			if s.Status == finding.StatusFail && d.Want && !d.Caught && d.Unknown == "" && !slices.Contains(out, d.Detector) {
				out = append(out, d.Detector)
			}
		}
	}
	return out
}

// blind is why nothing can be said about a step, "" when the canary did not fail.
func blind(c finding.CheckResult) string {
	if c.Required && c.Status == finding.StatusError {
		return "the canary failed, so that a pass would show nothing" // its own line says how
	}
	return ""
}
