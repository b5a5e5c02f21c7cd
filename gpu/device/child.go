package device

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gatebot/gatebot/gpu/child"
	"github.com/gatebot/gatebot/internal/finding"
)

// ChildName is the executable that links libcuda.
const ChildName = "gatebot-gpu"

// childTimeout bounds the child. A driver without persistence mode takes seconds per device to wake up; a card that has
// fallen off the bus can hang the first call for ever, beyond the reach of SIGKILL.
const childTimeout = 60 * time.Second

// pythonTimeout is for a canary with its Python part, whose own limit is shorter: torch may come from a cold disk.
const pythonTimeout = 4 * time.Minute

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

// CanaryRequest says which canary to run.
type CanaryRequest struct {
	Exe    string   // gatebot-gpu; empty: the one beside this program, else the one on PATH
	Index  int      // device, as CUDA counts what it can see
	Python string   // interpreter of the part in Python; empty leaves it out
	Env    []string // added to ours, NAME=value
	// Wrap is a command that the canary is started through, as in harness.Request; See is what must be visible inside beside
	// gatebot-gpu.
	Wrap, See []string
}

// RunCanary plants violations on one device, from Go and, with an interpreter, from Python. A report whose status is not
// pass is not an error. Where the interpreter has no torch the report says so and decides by the part in Go.
func RunCanary(ctx context.Context, c CanaryRequest) (*Report, error) {
	if c.Python == "" {
		c.Python = "none"
	}
	var r Report
	code, err := c.ask(ctx, &r, "canary", "--json", "--device", fmt.Sprint(c.Index), "--python", c.Python)
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
	return CanaryRequest{Exe: exe}.ask(ctx, into, args...)
}

func (c CanaryRequest) ask(ctx context.Context, into any, args ...string) (int, error) {
	exe, err := Find(c.Exe)
	if err != nil {
		return 0, err
	}
	limit := childTimeout
	if args[0] == "canary" && args[len(args)-1] != "none" {
		limit = pythonTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	command := child.Command{Path: exe, Args: args, Env: c.Env}
	if len(c.Wrap) > 0 {
		command.Path, command.Args = c.Wrap[0], c.Wrap[1:]
		for _, see := range append([]string{filepath.Dir(exe)}, c.See...) {
			command.Args = slices.Concat(command.Args, []string{"--see", see})
		}
		command.Args = slices.Concat(command.Args, []string{"--", exe}, args)
	}
	ended, err := child.Run(ctx, command)
	out, code := ended.Stdout, ended.Code
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
	switch text := strings.TrimSpace(ended.Stderr + "\n" + out); {
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

// Find returns the absolute path of the gatebot-gpu to start, or an error that wraps ErrNoCUDA.
func Find(exe string) (string, error) {
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
	return filepath.Abs(path)
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }
