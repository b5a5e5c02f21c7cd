package gate

import (
	"context"
	"slices"
	"time"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/checks/judge"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/verdict"
)

// noEntry is why the checks on a step do not run where nobody said which step.
const noEntry = "no step module (set step.entry or --entry)"

// stepChecks are the GPU checks that the harness serves.
func stepChecks() []string {
	return slices.DeleteFunc(slices.Clone(finding.GPUChecks), func(n string) bool { return n == finding.CheckCanary })
}

// level is what a check does to the verdict: allocations and speed are shown and do not gate unless asked to.
func level(cfg *config.Config, name string) finding.Severity {
	if l := cfg.Checks[name].Level; l != "" {
		return l
	}
	if name == finding.CheckAlloc || name == finding.CheckSpeed {
		return finding.Warn
	}
	return finding.Error
}

// steps runs the step module and judges what was recorded. It fills res.Checks and res.Findings. Blind is why that would
// show nothing; empty: it does.
func (r CheckRequest) steps(ctx context.Context, run *Run, blind string) error {
	cfg, res := run.Config, run.Results
	var names []string
	for _, name := range stepChecks() {
		switch {
		case !r.wants(name):
			res.Checks = append(res.Checks, verdict.NotRun(name, "left out by --only", false))
		case level(cfg, name) == finding.Off:
			res.Checks = append(res.Checks, verdict.NotRun(name, "turned off in "+config.FileName, false))
		default:
			names = append(names, name)
			res.Checks = append(res.Checks, finding.CheckResult{Name: name, Status: finding.StatusError,
				Required: level(cfg, name) == finding.Error})
		}
	}
	if len(names) == 0 {
		return nil
	}
	entry, why := r.ready(ctx, run)
	if why == noEntry {
		put(res, names, func(c *finding.CheckResult) { *c = verdict.NotRun(c.Name, why, r.RequireGPU && c.Required) })
		return nil
	}
	if why != "" { // what was asked for cannot be looked at: the verdict says so
		put(res, names, func(c *finding.CheckResult) { *c = verdict.NotRun(c.Name, why, c.Required) })
		return nil
	}
	if blind != "" {
		put(res, names, func(c *finding.CheckResult) { *c = verdict.NotRun(c.Name, blind, c.Required) })
		return nil
	}
	in, took, why := r.record(ctx, run, entry, names)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if why != "" {
		put(res, names, func(c *finding.CheckResult) { c.Reason = why })
		return nil
	}
	r.judge(ctx, run, in, names, took)
	return nil
}

// put changes the results of the named checks.
func put(res *finding.Results, names []string, change func(*finding.CheckResult)) {
	for i := range res.Checks {
		if slices.Contains(names, res.Checks[i].Name) {
			change(&res.Checks[i])
		}
	}
}

func (r CheckRequest) judge(ctx context.Context, run *Run, in *dynamic.Input, names []string, took time.Duration) {
	res := run.Results
	run.Trace = in.Trace
	var results []*dynamic.Result
	for _, name := range names {
		one := *in
		one.Max, one.Min = run.Config.Checks[name].Max, run.Config.Checks[name].Min
		results = append(results, judge.Check(name, &one))
	}
	res.Findings = judge.Merge(allow(ctx, res.Findings, results, run.Read), results, sees)
	judge.Mark(res.Findings, in, results, sees)
	for i := range res.Findings {
		complete(&res.Findings[i], run.Read)
	}
	res.Summary.Count(res.Findings)
	captureFails := slices.ContainsFunc(results, func(x *dynamic.Result) bool {
		return x.Check.Name == finding.CheckCapture && x.Check.Status == finding.StatusFail && level(run.Config, finding.CheckCapture) == finding.Error
	})
	for _, x := range results {
		put(res, []string{x.Check.Name}, func(c *finding.CheckResult) {
			required := c.Required && !(x.Check.Status == finding.StatusNotRun && captureFails)
			*c = x.Check
			c.Required, c.DurationMS = required, took.Milliseconds()
		})
	}
}
