package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// commander starts git children that all look at one place with one environment.
type commander struct {
	binary string
	dir    string
	env    []string
}

// CommandError is a git command that did not end with 0.
type CommandError struct {
	Command string // the git subcommand
	Code    int    // exit status, -1 when a signal ended it
	Stderr  string // its first line
}

func (e *CommandError) Error() string {
	if e.Stderr == "" {
		return fmt.Sprintf("git %s: exit status %d", e.Command, e.Code)
	}
	return fmt.Sprintf("git %s: %s (exit status %d)", e.Command, e.Stderr, e.Code)
}

func newCommander(binary, dir string, keep []string) commander {
	return commander{binary: binary, dir: dir, env: append(scrub(os.Environ(), keep), fixedEnv...)}
}

// command prepares a child; when ctx ends the child is killed, and two seconds later its pipes are given up.
func (c *commander) command(ctx context.Context, args ...string) *exec.Cmd {
	full := append([]string{"--no-pager", "-c", "core.quotePath=false"}, args...)
	cmd := exec.CommandContext(ctx, c.binary, full...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = c.dir, c.env, 2*time.Second
	return cmd
}

// run returns the child's output. Its error is the context's when that ended it, else a *CommandError.
func (c *commander) run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	cmd := c.command(ctx, args...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = stdin, &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, commandError(ctx, args[0], err, stderr.String())
	}
	return out, nil
}

func commandError(ctx context.Context, command string, err error, stderr string) error {
	if ctx.Err() != nil {
		return fmt.Errorf("git %s: %w", command, context.Cause(ctx))
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return &CommandError{Command: command, Code: exit.ExitCode(), Stderr: firstLine(stderr)}
	}
	return fmt.Errorf("git %s: %w", command, err)
}

// exitCode is the status of a command that ran, else -1.
func exitCode(err error) int {
	var ce *CommandError
	if errors.As(err, &ce) {
		return ce.Code
	}
	return -1
}

// firstLine is the first line that is more than a hint or a warning when there is one.
func firstLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	for _, l := range lines {
		if !strings.HasPrefix(l, "hint:") && !strings.HasPrefix(l, "warning:") {
			return strings.TrimSpace(l)
		}
	}
	return strings.TrimSpace(lines[0])
}
