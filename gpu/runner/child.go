package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gatebot/gatebot/internal/crash"
)

// child is one run of gatebot check.
type child struct {
	exe     string
	args    []string
	dir     string
	attempt string
	env     []string
	limit   time.Duration
	box     *box
	tee     func([]byte) // is given the output as it comes; may be nil
}

// ended is how it went.
type ended struct {
	code     int
	signal   string // set when a signal ended it that was not ours
	timedOut bool
	tail     string // the last of what it printed, cleaned
	why      string // set when we ended it for what it did, such as filling the disk
	remark   string // what the control group saw: a limit that was reached
}

// drainFor is how long the output of a dead child is waited for: a process that outlived every kill may hold the pipe.
const drainFor = 10 * time.Second

// runChild runs c in a process group of its own and returns when it and everything it started is gone. When ctx ends
// or the time is up the group is asked to end, and killed after the grace.
func (r *runner) runChild(ctx context.Context, c child) (ended, error) {
	log, err := newCappedLog(filepath.Join(c.attempt, "log.txt"), r.MaxLog)
	if err != nil {
		return ended{}, fmt.Errorf("log: %w", err)
	}
	log.tee = c.tee
	cmd := exec.Command(c.exe, c.args...)
	cmd.Dir, cmd.Env = c.dir, c.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: r.machine.user}
	leave, err := c.box.enter(cmd.SysProcAttr)
	if err != nil {
		return ended{}, errors.Join(err, log.Close())
	}
	defer leave()
	if err := r.give(c.attempt); err != nil {
		return ended{}, errors.Join(err, log.Close())
	}
	read, write, err := os.Pipe()
	if err != nil {
		return ended{}, errors.Join(err, log.Close())
	}
	cmd.Stdout, cmd.Stderr = write, write
	err = cmd.Start()
	_ = write.Close()
	if err != nil {
		_ = read.Close()
		return ended{}, errors.Join(fmt.Errorf("start of gatebot check: %w", err), log.Close())
	}
	copied := make(chan struct{})
	go func() {
		log.copyFrom(read)
		close(copied)
	}()
	if err := recordProcess(c.attempt, cmd.Process.Pid); err != nil {
		r.log.Warn("runner: process not recorded, a restart will know it by its environment only", "error", err)
	}
	crash.At(crash.JobRunning)
	out := r.waitChild(ctx, cmd, c)
	out.remark = c.box.remark()
	if err := errors.Join(r.endAll(c.attempt, cmd.Process.Pid), c.box.end(ctx)); err != nil {
		r.log.Error("runner: a process of the job does not end", "error", err)
	}
	select {
	case <-copied:
	case <-time.After(drainFor):
	}
	_ = read.Close() // ends the copy
	<-copied
	out.tail = log.Tail()
	if err := log.Close(); err != nil {
		r.log.Warn("runner: log of the job is not whole", "error", err)
	}
	return out, nil
}

// waitChild returns when the child itself is gone.
func (r *runner) waitChild(ctx context.Context, cmd *exec.Cmd, c child) ended {
	var timedOut, killed atomic.Bool
	full := ""
	pgid := cmd.Process.Pid
	done := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		limit := time.NewTimer(c.limit)
		defer limit.Stop()
		disk, stop := r.watchDisk(c.attempt)
		defer stop()
		select {
		case <-done:
			return
		case <-ctx.Done():
		case full = <-disk:
		case <-limit.C:
			timedOut.Store(true)
		}
		killed.Store(true)
		_ = syscall.Kill(-pgid, syscall.SIGTERM)
		select {
		case <-done:
		case <-time.After(r.Grace):
			_ = syscall.Kill(-pgid, syscall.SIGKILL)
		}
	}()
	_ = cmd.Wait() // what matters is in ProcessState
	close(done)
	<-watched
	out := ended{code: cmd.ProcessState.ExitCode(), timedOut: timedOut.Load(), why: full}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() && !killed.Load() {
		out.signal = ws.Signal().String()
	}
	return out
}

// endAll kills what is left of the attempt's processes.
func (r *runner) endAll(attempt string, pgid int) error {
	return killUntilGone(func() []int { return r.belongs(attempt, pgid) })
}

// processRecord is what a later run needs to find the child again, and to know that a process of that number is it.
type processRecord struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"` // clock ticks after boot
	Boot  string `json:"boot"`
}

func recordName(attempt string) string { return filepath.Join(attempt, "process.json") }

func recordProcess(attempt string, pid int) error {
	start, err := startTime(pid)
	if err != nil {
		return nil //nolint:nilerr // it is gone already: there will be nothing to find
	}
	data, err := json.Marshal(processRecord{PID: pid, Start: start, Boot: bootID()})
	if err != nil {
		return err
	}
	return writeSynced(recordName(attempt), data)
}
