package webhook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/fixlog"
	"github.com/gatebot/gatebot/webhook/github"
)

// Inspect looks at the source of head against base with a gate configuration (nil: the default one). No code of the
// repository is executed, which is why it may be done for everybody at once.
type Inspect func(ctx context.Context, dir, head, base string, config []byte) (*finding.Results, error)

// staticTime bounds what somebody waits for whose commit is held.
const staticTime = 3 * time.Minute

// static inspects a record's commit. It never fails the job: what could not be looked at is said in the run.
func (p *planner) static(ctx context.Context, r *Record, dir, base string, config []byte) (*finding.Results, error) {
	if p.inspect == nil {
		return nil, nil
	}
	select {
	case p.scans <- struct{}{}:
		defer func() { <-p.scans }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, staticTime)
	defer cancel()
	return p.inspect(ctx, dir, r.Head, base, config)
}

// heldOutcome is what a commit shows that must not run: why, how to let it, and what its source says.
func (p *planner) heldOutcome(ctx context.Context, r *Record, why, dir, base string, config []byte) Outcome {
	o := held(why, r.Head)
	res, err := p.static(ctx, r, dir, base, config)
	switch {
	case err != nil:
		p.log.WarnContext(ctx, "source of a held commit not looked at", "key", r.Key, "error", err)
		o.Output.Summary += "\n\nThe source could not be looked at: `" + fenced(lastLines(err.Error(), 1)) + "`\n"
	case res != nil:
		face := github.Render(res, github.Context{Head: r.Head, Base: base, PR: r.PR})
		o.Annotations = face.Annotations
		o.Output.Title += "; source: " + face.Output.Title
		o.Output.Summary += "\n\n### What the source says\n\nNo code was run for this.\n\n" + face.Output.Summary
		o.Output.Text = face.Output.Text
	}
	return o
}

// ChildInspect inspects in a child process with limits, `EXE scan --rev HEAD --base BASE --config FILE`: a parser that
// dies on hostile source takes the child with it and not the server.
func ChildInspect(exe string) Inspect {
	return func(ctx context.Context, dir, head, base string, config []byte) (*finding.Results, error) {
		if config == nil {
			config = []byte("version: 1\n") // never the one of the commit itself
		}
		f, err := os.CreateTemp("", "gate-*.yaml")
		if err != nil {
			return nil, fmt.Errorf("scan: %w", err)
		}
		defer func() { _ = os.Remove(f.Name()) }()
		_, err = f.Write(config)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("scan: %w", err)
		}
		args := []string{"scan", "--rev", head, "--config", f.Name(), "--format", "json"}
		if base != "" {
			args = append(args, "--base", base)
		}
		out, err := scanChild(ctx, exe, dir, args...)
		if err != nil {
			return nil, fmt.Errorf("scan %.12s: %w", head, err)
		}
		r, err := finding.Read(out)
		if err != nil {
			return nil, fmt.Errorf("scan %.12s: %w", head, err)
		}
		return r, nil
	}
}

// ChildScan scans one commit for the fix log in such a child.
func ChildScan(exe string) Scan {
	return func(ctx context.Context, dir, rev string) ([]finding.Finding, error) {
		ctx, cancel := context.WithTimeout(ctx, scanTime)
		defer cancel()
		out, err := scanChild(ctx, exe, dir, "scan", "--rev", rev, "--format", "json")
		var usage *scanUsageError
		switch {
		case errors.As(err, &usage): // with arguments that are ours, only the commit's own configuration is left to be wrong
			return nil, fmt.Errorf("scan %.12s: %w: %s", rev, fixlog.ErrNotAnalysable, usage.said)
		case err != nil:
			return nil, fmt.Errorf("scan %.12s: %w", rev, err)
		}
		r, err := finding.Read(out)
		if err != nil {
			return nil, fmt.Errorf("scan %.12s: %w", rev, err)
		}
		return r.Findings, nil
	}
}
