package gate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/checks/judge"
	"github.com/gatebot/gatebot/checks/registry"
	"github.com/gatebot/gatebot/gpu/harness"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/verdict"
)

// ProbeName is the probe's file, beside the executable.
const ProbeName = "gatebot-probe.so"

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

// entry is the step module: absolute, below the root of the tree. Empty when none is named.
func (r CheckRequest) entry(run *Run) (string, error) {
	name := run.Config.Step.Entry
	base := run.Root
	if r.Entry != "" {
		name, base = r.Entry, r.Dir
	}
	if name == "" {
		return "", nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(base, name)
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	if info, err := os.Stat(abs); err != nil || info.IsDir() {
		return "", fmt.Errorf("step module %s: no such file in the working tree (check step.entry)", name)
	}
	if rel, err := filepath.Rel(run.Root, abs); err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return "", fmt.Errorf("step module %s: outside of %s (start gatebot in the tree that holds it)", abs, run.Root)
	}
	return abs, nil
}

// here says why the working tree is not the tree that is checked; the step always runs from the working tree.
func (r CheckRequest) here(ctx context.Context, run *Run) error {
	if r.Staged {
		return errors.New("the index is checked and a step runs from the working tree (commit it, or leave --staged out)")
	}
	if run.Results.Commit == "" || run.repo == nil {
		return nil
	}
	head, err := run.repo.Resolve(ctx, "HEAD")
	if err != nil {
		return err
	}
	if head != run.Results.Commit {
		return fmt.Errorf("the working tree is at %.12s and not at %.12s, which is checked (check it out)", head, run.Results.Commit)
	}
	return nil
}

// steps runs the step module and judges what was recorded. It fills res.Checks and res.Findings.
func (r CheckRequest) steps(ctx context.Context, run *Run) error {
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
	entry, bad := r.entry(run)
	if bad == nil && entry == "" {
		put(res, names, func(c *finding.CheckResult) {
			*c = verdict.NotRun(c.Name, noEntry, r.RequireGPU && c.Required)
		})
		return nil
	}
	if bad == nil {
		bad = r.here(ctx, run)
	}
	if bad != nil { // what was asked for cannot be looked at: the verdict says so
		put(res, names, func(c *finding.CheckResult) { *c = verdict.NotRun(c.Name, bad.Error(), c.Required) })
		return nil
	}
	in, took, bad := r.record(ctx, run, entry)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if bad != nil {
		put(res, names, func(c *finding.CheckResult) { c.Reason = bad.Error() })
		return nil
	}
	r.judge(run, in, names, took)
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

// record drives the step module under the configuration's own time limit.
func (r CheckRequest) record(ctx context.Context, run *Run, entry string) (*dynamic.Input, time.Duration, error) {
	s := run.Config.Step
	if s.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, s.Timeout, fmt.Errorf("timeout: the step module took longer than %s, its processes were ended (raise step.timeout)", s.Timeout))
		defer cancel()
	}
	start := time.Now()
	h, err := harness.Drive(ctx, harness.Request{Root: run.Root, Entry: entry, Python: s.Python, Env: s.Env, Warmup: s.Warmup,
		Steps: s.Steps, Boundaries: s.Boundaries, Capture: s.Capture, Eager: s.Eager, Launch: s.Launch, Probe: probe(),
		Keep: r.KeepTraces, Progress: r.say})
	if err != nil {
		return nil, 0, err
	}
	return &dynamic.Input{Trace: h.Trace, Root: run.Root, Died: h.Died, NeedProbe: r.RequireGPU}, time.Since(start), nil
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

func (r CheckRequest) judge(run *Run, in *dynamic.Input, names []string, took time.Duration) {
	res := run.Results
	var results []*dynamic.Result
	for _, name := range names {
		one := *in
		one.Max, one.Min = run.Config.Checks[name].Max, run.Config.Checks[name].Min
		results = append(results, judge.Check(name, &one))
	}
	res.Findings = judge.Merge(res.Findings, results, sees)
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

// sees reports whether the catalogue says that a check can show a rule.
func sees(rule, check string) bool {
	e, ok := registry.Find(rule)
	return ok && slices.Contains(e.GPU, check)
}

// complete gives a finding of a trace what the source scan gives its own: name, fix, columns and fingerprint.
func complete(f *finding.Finding, read func(string) ([]byte, error)) {
	if f.Check == finding.CheckSource {
		return
	}
	if e, ok := registry.Find(f.Rule); ok {
		f.Name = e.Name
		if e.Rule != nil && f.Fix == "" {
			f.Fix = e.Rule.Fix
		}
	}
	text := ""
	if data, err := read(f.Path); err == nil {
		if lines := strings.Split(string(data), "\n"); f.Line <= len(lines) {
			text = strings.TrimRight(lines[f.Line-1], " \t\r")
		}
	}
	code := strings.TrimLeft(text, " \t")
	f.Column = utf8.RuneCountInString(text) - utf8.RuneCountInString(code) + 1
	f.EndColumn = max(f.Column+1, utf8.RuneCountInString(text)+1)
	tokens := append(strings.Fields(code), f.Region)
	f.Fingerprint = finding.Fingerprint(f.Rule, f.Path, f.Function, tokens, 0)
	f.MoveKey = finding.MoveKey(f.Rule, tokens)
	if code != "" {
		f.Evidence = append([]finding.Evidence{{Kind: finding.EvidenceSource, Path: f.Path, Line: f.Line, Code: code}}, f.Evidence...)
	}
}
