package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Exit codes of `gatebot scan` (DESIGN 5.1).
const (
	scanClean    = 0
	scanFindings = 1
	scanUsage    = 2
)

// Limits of a child that reads what strangers wrote. Memory is address space, which Go reserves generously.
const (
	scanMemory = 12 << 30 // bytes
	scanCPU    = 900      // seconds
	scanFiles  = 1024     // open ones
	scanOutput = 64 << 20 // bytes
)

// scanUsageError is exit code 2: the configuration is wrong.
type scanUsageError struct{ said string }

func (e *scanUsageError) Error() string { return "configuration: " + e.said }

// scanChild runs a scan in a process group of its own with limits and no secrets, and returns its output. The child dies
// with this process.
func scanChild(ctx context.Context, exe, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, exe, args...)
	out, errs := &capped{left: scanOutput}, &capped{left: 64 << 10}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = dir, scanEnv(), out, errs, 5*time.Second
	cmd.SysProcAttr = scanAttr()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if err := limitScan(cmd.Process.Pid); err != nil {
		_ = cmd.Cancel()
		return nil, errors.Join(fmt.Errorf("limits of the child: %w", err), cmd.Wait())
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	code := scanClean
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		return nil, err
	}
	said := lastLines(errs.String(), 3)
	switch code {
	case scanClean, scanFindings:
		return out.Bytes(), nil
	case scanUsage:
		return nil, &scanUsageError{said}
	}
	return nil, fmt.Errorf("the child ended with %w: %s", exit, said)
}

// scanEnv is what the child needs and nothing that is a secret of the server.
func scanEnv() []string {
	env := []string{"GIT_CONFIG_NOSYSTEM=1", "GOMEMLIMIT=4GiB"}
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "XDG_CACHE_HOME", "GATEBOT_CRASH_AT", "GATEBOT_CRASH_ONCE":
			env = append(env, kv)
		}
	}
	return env
}

// capped keeps output up to its limit; more is an error, which ends the child by SIGPIPE.
type capped struct {
	bytes.Buffer
	left int
}

func (c *capped) Write(b []byte) (int, error) {
	if len(b) > c.left {
		return 0, io.ErrShortWrite
	}
	c.left -= len(b)
	return c.Buffer.Write(b)
}
