package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/fixlog"
	"github.com/gatebot/gatebot/internal/git"
)

// Exit codes of `gatebot scan` (DESIGN 5.1).
const (
	scanClean    = 0
	scanFindings = 1
	scanUsage    = 2
)

// ChildScan scans in a child process, `EXE scan --rev REV --format json`: a parser that dies on what somebody committed
// takes the child with it and not the server.
func ChildScan(exe string) Scan {
	return func(ctx context.Context, dir, rev string) ([]finding.Finding, error) {
		ctx, cancel := context.WithTimeout(ctx, scanTime)
		defer cancel()
		cmd := exec.CommandContext(ctx, exe, "scan", "--rev", rev, "--format", "json")
		var out, errs bytes.Buffer
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = dir, git.CleanEnv(), &out, &errs, 5*time.Second
		err := cmd.Run()
		var exit *exec.ExitError
		code := scanClean
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Errorf("scan %.12s: %w", rev, ctx.Err())
		case errors.As(err, &exit):
			code = exit.ExitCode()
		case err != nil:
			return nil, fmt.Errorf("scan %.12s: %w", rev, err)
		}
		said := lastLines(errs.String(), 3)
		switch code {
		case scanClean, scanFindings:
		case scanUsage: // with arguments that are ours, only the commit's own configuration is left to be wrong
			return nil, fmt.Errorf("scan %.12s: %w: %s", rev, fixlog.ErrNotAnalysable, said)
		default:
			return nil, fmt.Errorf("scan %.12s: exit status %d: %s", rev, code, said)
		}
		r, err := finding.Read(out.Bytes())
		if err != nil {
			return nil, fmt.Errorf("scan %.12s: %w", rev, err)
		}
		return r.Findings, nil
	}
}
