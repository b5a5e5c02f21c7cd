// Package child starts a program that may hang, crash or print without end, and returns what it said. Everything that
// touches a GPU runs in such a process: a driver can take its process with it, beyond the reach of SIGKILL.
package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Bounds on what is kept and waited for.
const (
	maxOutput = 1 << 20 // bytes of each stream
	grace     = 2 * time.Second
)

// Command is a program to start, in a process group of its own.
type Command struct {
	Path string
	Args []string
	Env  []string // added to this process's
	Dir  string   // empty: here
}

// Ended is what a program left behind. Of each stream only the first MiB is kept.
type Ended struct {
	Stdout, Stderr string
	Code           int
}

// Run starts the program and returns when it has ended or ctx has. A program that a signal ends, that does not start or
// that is killed because ctx ended is an error; one that exits with a code other than 0 is not. What the program itself
// left running in its group is killed.
func Run(ctx context.Context, c Command) (Ended, error) {
	out, complaints := &limited{left: maxOutput}, &limited{left: maxOutput}
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.Dir, out, complaints
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = grace
	if err := cmd.Start(); err != nil {
		return Ended{}, err
	}
	var err error
	done := make(chan struct{})
	go func() {
		err = cmd.Wait()
		close(done)
	}()
	select {
	case <-done:
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // ESRCH is the usual case: nothing is left
	case <-ctx.Done():
		return Ended{}, killed(ctx, cmd.Process.Pid, done)
	}
	ended := Ended{Stdout: out.b.String(), Stderr: complaints.b.String()}
	var exit *exec.ExitError
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return ended, nil
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		ended.Code = exit.ExitCode()
		return ended, nil
	}
	return Ended{}, fmt.Errorf("%w: output %.200q", err, ended.Stderr+ended.Stdout)
}

// killed ends the group of a program that took too long, and does not wait for one that cannot be killed.
func killed(ctx context.Context, pid int, done <-chan struct{}) error {
	kill := syscall.Kill(-pid, syscall.SIGKILL)
	select {
	case <-done:
	case <-time.After(grace):
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return errors.Join(fmt.Errorf("no answer in time, killed (is the driver hung? see nvidia-smi): %w", context.Cause(ctx)), kill)
	}
	return context.Cause(ctx)
}

// limited keeps the first bytes that are written to it and swallows the rest, so that a child never blocks on it. Only
// the goroutine that exec starts for it writes.
type limited struct {
	b    bytes.Buffer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	l.b.Write(p[:n])
	return len(p), nil
}
