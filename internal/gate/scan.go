package gate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/registry"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/trace"
	"github.com/gatebot/gatebot/internal/tree"
	"github.com/gatebot/gatebot/internal/verdict"
)

// Run is what one run of the gate gives.
type Run struct {
	Results *finding.Results
	Notes   []string                          // what was not looked at and why
	Read    func(path string) ([]byte, error) // the files of the scanned tree, for code frames
	Config  *config.Config
	Root    string // of the working tree; empty in a bare repository
	FailOn  finding.Severity
	Trace   *trace.Trace   // what the GPU checks recorded, nil when they did not run
	repo    git.Repository // nil outside any repository
}

// Close ends what reads the repository; Read works until then.
func (r *Run) Close() error {
	if r.repo == nil {
		return nil
	}
	return r.repo.Close()
}

// Scan runs the source check. The error is a *UsageError, a *config.Error or a failure of the machine; findings are
// never an error.
func Scan(ctx context.Context, r Request) (_ *Run, err error) {
	if r, err = r.normal(); err != nil {
		return nil, err
	}
	defer frugal()()
	t, err := open(ctx, r)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil && t.repo != nil {
			err = errors.Join(err, t.repo.Close())
		}
	}()
	cfg, err := loadConfig(ctx, r, t)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	rep, err := t.scan(ctx, t.source, scanOptions(cfg, r.AllFunctions))
	if err != nil {
		return nil, err
	}
	if err := markKnown(ctx, r, t, cfg, rep); err != nil {
		return nil, err
	}
	res := &finding.Results{Schema: finding.Schema, Tool: Tool(), Commit: t.commit, Tree: t.tree, ConfigHash: cfg.Hash,
		Findings: rep.Findings,
		Summary:  finding.Summary{Files: rep.Files, Functions: rep.Functions, HotFunctions: rep.Hot}}
	res.Summary.Count(rep.Findings)
	source := verdict.Source(rep.Findings, cfg.Checks[finding.CheckSource], r.FailOn)
	source.DurationMS = time.Since(start).Milliseconds()
	res.Checks = []finding.CheckResult{source}
	verdict.Decide(res)
	return &Run{Results: res, Notes: rep.Notes, Read: t.read, Config: cfg, Root: t.root, FailOn: r.FailOn, repo: t.repo}, nil
}

// TreeConfig reads the configuration that a commit carries; it is the default when there is none.
func TreeConfig(ctx context.Context, repo git.Repository, rev string) (*config.Config, error) {
	data, err := tree.ReadFile(ctx, repo, rev, config.FileName)
	switch {
	case errors.Is(err, git.ErrNotFound):
		return config.Default(), nil
	case err != nil:
		return nil, err
	}
	return config.Load(config.FileName, data)
}

func scanOptions(c *config.Config, all bool) checks.Options {
	o := checks.Options{Rules: registry.Rules, Include: c.HotPath.Include, Exclude: c.HotPath.Exclude,
		Guards: c.HotPath.Guards, AllFunctions: all, Elsewhere: registry.OnlyOnDevice}
	for _, r := range c.HotPath.Roots {
		o.Roots = append(o.Roots, checks.Selector(r))
	}
	for _, r := range c.HotPath.LoadTime {
		o.LoadTime = append(o.LoadTime, checks.Selector(r))
	}
	for _, s := range c.HotPath.Severity {
		o.Severity = append(o.Severity, checks.SeverityRule(s))
	}
	return o
}

func loadConfig(ctx context.Context, r Request, t *target) (*config.Config, error) {
	if r.ConfigFile != "" {
		name := r.ConfigFile
		if !filepath.IsAbs(name) {
			name = filepath.Join(r.Dir, name)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, &UsageError{fmt.Sprintf("--config: %v (check the path)", err)}
		}
		return config.Load(r.ConfigFile, data)
	}
	if t.rev != "" {
		return TreeConfig(ctx, t.repo, t.rev)
	}
	data, err := os.ReadFile(filepath.Join(t.root, config.FileName))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return config.Default(), nil
	case err != nil:
		return nil, fmt.Errorf("configuration: %w (fix the permissions or name another with --config)", err)
	}
	return config.Load(config.FileName, data)
}

// markKnown suppresses what the base or the baseline file already has; with Write the file is written first.
func markKnown(ctx context.Context, r Request, t *target, cfg *config.Config, rep *checks.Report) error {
	if r.Base != "" {
		known, err := t.known(ctx, r.Base, cfg, r.AllFunctions)
		if err != nil {
			return err
		}
		reason := "already in " + r.Base
		finding.NewBaseline(known).MarkSame(rep.Findings, reason)
		finding.MarkMoved(known, rep.Findings, reason)
	}
	if r.Baseline == "" {
		return nil
	}
	name := r.Baseline
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.Dir, name)
	}
	if r.Write {
		if err := writeBaseline(name, finding.NewBaseline(rep.Findings)); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return &UsageError{fmt.Sprintf("--baseline: %v (write it with --write-baseline)", err)}
	}
	b, err := finding.ReadBaseline(data)
	if err != nil {
		return &UsageError{fmt.Sprintf("%s: %v", r.Baseline, err)}
	}
	if gone := b.Mark(rep.Findings, "in "+r.Baseline); gone > 0 {
		rep.Notes = append(rep.Notes, fmt.Sprintf("%d of the %d findings in %s are gone (write it anew with --write-baseline, so that they stay gone)",
			gone, len(b.Known), r.Baseline))
	}
	return nil
}

func writeBaseline(name string, b *finding.Baseline) error {
	var data bytes.Buffer
	if err := b.Write(&data); err != nil {
		return err
	}
	return replaceFile(name, data.Bytes())
}
