package device

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
)

// ChildName is the executable that links libcuda.
const ChildName = "gatebot-gpu"

// Bounds on the child. A driver without persistence mode takes seconds per device to wake up; a card that has fallen
// off the bus can hang the first call for ever, beyond the reach of SIGKILL.
const (
	childTimeout = 60 * time.Second
	childOutput  = 1 << 20
	childGrace   = 2 * time.Second
)

// Detect returns the first CUDA device, or an error that wraps ErrNoCUDA and says why there is none. exe is the
// gatebot-gpu to ask; empty means the one beside this program, else the one on PATH. It returns within a minute even
// when the driver hangs.
func Detect(ctx context.Context, exe string) (*finding.Device, error) {
	inv, err := ReadInventory(ctx, exe)
	if err != nil {
		return nil, err
	}
	return inv.Device(0), nil
}

// ReadInventory asks gatebot-gpu for the devices, of which there is at least one.
func ReadInventory(ctx context.Context, exe string) (*Inventory, error) {
	var inv Inventory
	if _, err := ask(ctx, exe, &inv, "inventory", "--json"); err != nil {
		return nil, err
	}
	if inv.Schema != InventorySchema {
		return nil, fmt.Errorf("gatebot-gpu inventory: schema %q, want %q (another version beside gatebot?)", inv.Schema,
			InventorySchema)
	}
	if len(inv.Devices) == 0 {
		return nil, fmt.Errorf("%w: driver %s sees none (CUDA_VISIBLE_DEVICES?)", ErrNoCUDA, inv.Driver)
	}
	return &inv, nil
}

// RunCanary runs the canary on one device. A report whose status is not pass is not an error.
func RunCanary(ctx context.Context, exe string, index int) (*Report, error) {
	var r Report
	code, err := ask(ctx, exe, &r, "canary", "--json", "--device", fmt.Sprint(index))
	if err != nil {
		return nil, err
	}
	if r.Schema != CanarySchema {
		return nil, fmt.Errorf("gatebot-gpu canary: schema %q, want %q (another version beside gatebot?)", r.Schema,
			CanarySchema)
	}
	if (r.Status == finding.StatusPass) != (code == 0) {
		return nil, fmt.Errorf("gatebot-gpu canary: exit code %d with status %q", code, r.Status)
	}
	return &r, nil
}

// ask runs the child and decodes its output. An exit code other than 0 is an error unless there is a document.
func ask(ctx context.Context, exe string, into any, args ...string) (int, error) {
	exe, err := find(exe)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, childTimeout)
	defer cancel()
	out, complaints, code, err := run(ctx, exe, args...)
	name := ChildName + " " + args[0]
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	if strings.HasPrefix(out, "{") {
		if err := json.Unmarshal([]byte(out), into); err != nil {
			return 0, fmt.Errorf("%s: output: %w", name, err)
		}
		return code, nil
	}
	switch text := strings.TrimSpace(complaints + "\n" + out); {
	case code == 127 || strings.Contains(text, "error while loading shared libraries"):
		return 0, fmt.Errorf("%w: no NVIDIA driver on this machine (%s)", ErrNoCUDA, missing(text))
	case code != 0 && strings.Contains(text, "Error in initialization"):
		// gorgonia.org/cu prints this and exits before main
		_, reason, _ := strings.Cut(lastLine(text), "for details on: ")
		return 0, fmt.Errorf("%w: driver says %s", ErrNoCUDA, reason)
	case code != 0 && strings.Contains(text, ErrNoCUDA.Error()):
		_, reason, _ := strings.Cut(lastLine(text), ErrNoCUDA.Error()+": ")
		return 0, fmt.Errorf("%w: %s", ErrNoCUDA, reason)
	default:
		return 0, fmt.Errorf("%s: exit code %d, output %.200q", name, code, text)
	}
}

// missing is what the loader did not find, without the path of the program that it was asked for.
func missing(text string) string {
	_, what, ok := strings.Cut(lastLine(text), "error while loading shared libraries: ")
	if !ok {
		return lastLine(text)
	}
	lib, _, _ := strings.Cut(what, ":")
	return lib + " does not load"
}

// find returns the executable to start.
func find(exe string) (string, error) {
	if exe == "" {
		if self, err := os.Executable(); err == nil {
			if beside := filepath.Join(filepath.Dir(self), ChildName); executable(beside) {
				return beside, nil
			}
		}
		exe = ChildName
	}
	path, err := exec.LookPath(exe)
	if err != nil {
		return "", fmt.Errorf("%w: %s not found (build cmd/gatebot-gpu with -tags cuda and put it beside gatebot)",
			ErrNoCUDA, exe)
	}
	return path, nil
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// run starts the child in a process group of its own and returns what it wrote to stdout and to stderr, and its exit
// code. It does not wait for a process that cannot be killed.
func run(ctx context.Context, exe string, args ...string) (stdout, stderr string, code int, err error) {
	out, complaints := &limited{left: childOutput}, &limited{left: childOutput}
	cmd := exec.Command(exe, args...)
	cmd.Stdout, cmd.Stderr = out, complaints
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = childGrace
	if err := cmd.Start(); err != nil {
		return "", "", 0, err
	}
	var waitErr error
	done := make(chan struct{})
	go func() {
		waitErr = cmd.Wait()
		close(done)
	}()
	select {
	case <-done:
		err = waitErr
	case <-ctx.Done():
		kill := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		select {
		case <-done:
		case <-time.After(childGrace):
		}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = fmt.Errorf("no answer in time, killed (is the driver hung? see nvidia-smi): %w", ctx.Err())
			return "", "", 0, errors.Join(err, kill)
		}
		return "", "", 0, ctx.Err()
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return out.b.String(), complaints.b.String(), 0, nil
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return out.b.String(), complaints.b.String(), exit.ExitCode(), nil
	}
	return "", "", 0, fmt.Errorf("%w: output %.200q", err, complaints.b.String()+out.b.String())
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

func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }
