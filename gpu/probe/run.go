package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Options says what to run.
type Options struct {
	Library     string   // of the native probe, see Find
	Command     []string // program and arguments
	Dir         string   // where it starts; empty: here
	Env         []string // added to this process's
	TraceDir    string   // exists; gets one file per process
	RegionFuncs []string // module:Class.method
	Frames      bool     // record the stacks of launches too
	Stdin       io.Reader
	Output      io.Writer // takes what the program prints on both streams
}

// grace is how long a group of processes has to end after SIGTERM.
const grace = 5 * time.Second

// Env is what makes a process, and all that it starts, load the probe and write into dir.
func Env(library, dir string) []string {
	return []string{
		"CUDA_INJECTION64_PATH=" + library,
		"NVTX_INJECTION64_PATH=" + library,
		"GATEBOT_TRACE=" + filepath.Join(dir, "trace-%p.ndjson"),
	}
}

// Run starts the program, waits for it and gives its exit code and the trace files. When ctx ends first, the whole group
// of processes is stopped and the error is the reason of ctx. A program that a signal ends has code 128 plus its number.
func Run(ctx context.Context, o Options) (code int, files []string, err error) {
	if len(o.Command) == 0 {
		return 0, nil, errors.New("probe: no command")
	}
	if old, err := Files(o.TraceDir); err != nil || len(old) > 0 {
		return 0, nil, errors.Join(err, fmt.Errorf("probe: %s holds the record of another run (name an empty directory)", o.TraceDir))
	}
	cmd := exec.Command(o.Command[0], o.Command[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = o.Dir, o.Stdin, o.Output, o.Output
	cmd.Env = append(os.Environ(), Env(o.Library, o.TraceDir)...)
	if len(o.RegionFuncs) > 0 {
		cmd.Env = append(cmd.Env, "GATEBOT_REGION_FUNC="+strings.Join(o.RegionFuncs, "\n"))
	}
	cmd.Env = append(cmd.Env, "GATEBOT_HOST_READS=1")
	if o.Frames {
		cmd.Env = append(cmd.Env, "GATEBOT_LAUNCH_FRAMES=1")
	}
	cmd.Env = append(cmd.Env, o.Env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = grace
	if err := cmd.Start(); err != nil {
		return 0, nil, fmt.Errorf("probe: start: %w", err)
	}
	done := make(chan struct{})
	var waited error
	go func() {
		waited = cmd.Wait()
		close(done)
	}()
	select {
	case <-done:
		err = waited
	case <-ctx.Done():
		stop(cmd.Process.Pid, done)
		files, _ = Files(o.TraceDir)
		return 0, files, context.Cause(ctx)
	}
	files, ferr := Files(o.TraceDir)
	var exit *exec.ExitError
	switch {
	case err == nil:
	case errors.As(err, &exit):
		code = exit.ExitCode()
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			code = 128 + int(ws.Signal())
		}
	default:
		return 0, files, fmt.Errorf("probe: %s: %w", o.Command[0], err)
	}
	return code, files, ferr
}

// stop ends a process group: politely, then not. What it cannot kill it does not wait for.
func stop(pid int, done <-chan struct{}) {
	_ = syscall.Kill(-pid, syscall.SIGTERM) // it may be gone
	select {
	case <-done:
	case <-time.After(grace):
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL) // also what it left behind
	select {
	case <-done:
	case <-time.After(grace):
	}
}

// Files gives the trace files in a folder.
func Files(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "trace-*.ndjson"))
	if err != nil {
		return nil, fmt.Errorf("probe: %w", err)
	}
	slices.Sort(files)
	return files, nil
}
