package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"
)

// grace is how long the group of a process has to die of SIGKILL, and its output to drain. One that hangs in the driver
// does not die; it is left behind rather than waited for.
const grace = 3 * time.Second

// ended is how a process ended.
type ended struct {
	code   int
	signal syscall.Signal // 0 when none
	tail   string         // the last of what it printed
}

func (e ended) String() string {
	if e.signal != 0 {
		s := "signal " + e.signal.String()
		if e.signal == syscall.SIGKILL {
			s += ", out of host memory?"
		}
		return s
	}
	return fmt.Sprintf("exit code %d; does it call os._exit?", e.code)
}

// words are the last line that the process printed: for people, never judged.
func (e ended) words() string {
	lines := strings.Split(strings.TrimSpace(e.tail), "\n")
	last := ""
	for _, l := range lines { // torchrun says of a rank how it ended, in the middle of a page
		if l = strings.TrimSpace(l); strings.HasPrefix(l, "exitcode") {
			return "; the launcher says " + l
		}
	}
	for i := len(lines) - 1; i >= 0 && !strings.ContainsFunc(last, unicode.IsLetter); i-- { // frames of === say nothing
		last = strings.Map(func(r rune) rune {
			if r < 0x20 || r == 0x7f {
				return ' '
			}
			return r
		}, lines[i])
	}
	if last == "" {
		return ""
	}
	return fmt.Sprintf("; it last printed %.200q", last)
}

// start runs one process in a group of its own and returns when it has ended and its group is gone.
func (d *driver) start(ctx context.Context, root, cfg, probe string) (ended, error) {
	if err := ctx.Err(); err != nil {
		return ended{}, context.Cause(ctx)
	}
	args := d.command(cfg)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	cmd.Env = append(cmd.Env, d.launchEnv()...)
	for k, v := range d.Env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	d.confine(cmd, root)
	if d.Probe != "" {
		cmd.Env = append(cmd.Env, "CUDA_INJECTION64_PATH="+d.Probe, "GATEBOT_TRACE="+probe, "GATEBOT_ARM=0")
	}
	out := &tail{}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = grace
	if err := cmd.Start(); err != nil {
		if len(d.launcher) > 0 {
			return ended{}, fmt.Errorf("step.launch %s: %w (name a launcher that is installed there, or its path)", args[0], err)
		}
		return ended{}, fmt.Errorf("step.python %s: %w (name the interpreter that has torch)", args[0], err)
	}
	var err error
	done := make(chan struct{})
	go func() {
		err = cmd.Wait()
		close(done)
	}()
	select {
	case <-done:
		killGroup(cmd.Process.Pid) // what it left behind must not hold the card
	case <-ctx.Done():
		killTree(cmd.Process.Pid)
		select {
		case <-done: // its error is our kill
		case <-time.After(grace):
		}
		return ended{}, context.Cause(ctx)
	}
	var exit *exec.ExitError
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return ended{tail: out.String()}, nil
	case errors.As(err, &exit):
		e := ended{code: exit.ExitCode(), tail: out.String()}
		if st, ok := exit.Sys().(syscall.WaitStatus); ok && st.Signaled() {
			e.signal = st.Signal()
		}
		return e, nil
	}
	return ended{}, fmt.Errorf("harness: %w", err)
}

func killGroup(pid int) {
	// ESRCH is the usual case: nothing is left.
	_ = syscall.Kill(-pid, syscall.SIGKILL)
}

// tail keeps the last bytes that are written to it. A module that prints megabytes costs no memory and blocks nothing.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailSize = 16 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if len(t.buf) > 2*tailSize {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-tailSize:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
