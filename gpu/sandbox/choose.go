package sandbox

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
	"time"
)

// Want is what the operator asks for.
type Want struct {
	Kind    Kind     // empty: the first of Kinds that holds
	Image   string   // for podman, which is not tried without one
	See     []string // beside the system's own
	Devices []string // of the GPU
	Secrets []string // paths that must not be readable inside
	Scratch int64
	Memory  int64
	Pids    int64
	CPUs    float64

	// Wrapper starts a command inside: it is followed by a file with the Spec, "--" and the command. Facts is the command
	// that prints Inspect's findings as JSON, followed by the paths to ask for.
	Wrapper, Facts []string
	Dir            string // to work in
	// Prepare may change the command before it starts, such as its user; may be nil.
	Prepare func(*exec.Cmd)
}

// ErrNoSandbox means that no kind of sandbox holds on this machine.
var ErrNoSandbox = errors.New("no sandbox holds on this machine")

// Choose returns the Spec of the first kind that holds, without what differs between jobs. Each candidate is entered and
// looked at from inside; what was wrong with the others is in the error, or in notes.
func Choose(ctx context.Context, w Want) (spec *Spec, notes []string, err error) {
	kinds := Kinds
	switch w.Kind {
	case "":
	case None:
		return &Spec{Kind: None}, nil, nil
	default:
		kinds = []Kind{w.Kind}
	}
	for _, k := range kinds {
		s, err := w.candidate(k)
		if err == nil {
			err = w.prove(ctx, s)
		}
		if err == nil {
			return s, notes, nil
		}
		notes = append(notes, fmt.Sprintf("%s: %v", k, err))
	}
	return nil, nil, fmt.Errorf("%w: %s (install bubblewrap, or rootless podman with sandbox.image; sandbox.kind: none runs jobs without one)",
		ErrNoSandbox, strings.Join(notes, "; "))
}

func (w *Want) candidate(k Kind) (*Spec, error) {
	s := &Spec{Kind: k, Runtime: os.Getenv("XDG_RUNTIME_DIR"), See: w.See, Devices: w.Devices, Scratch: w.Scratch, Memory: w.Memory, Pids: w.Pids, CPUs: w.CPUs}
	name := map[Kind]string{Podman: "podman", Bubblewrap: "bwrap", Systemd: "systemd-run"}[k]
	if name == "" {
		return nil, fmt.Errorf("no such kind of sandbox (there are podman, bubblewrap, systemd and none)")
	}
	var err error
	if s.Program, err = exec.LookPath(name); err != nil {
		return nil, errors.New("not installed")
	}
	if s.Program, err = filepath.Abs(s.Program); err != nil {
		return nil, err
	}
	if k == Podman {
		if w.Image == "" {
			return nil, errors.New("no sandbox.image is set")
		}
		s.Image = w.Image
	}
	return s, nil
}

// proveFor is how long the look from inside may take; a container's first start unpacks its image.
const proveFor = 60 * time.Second

// prove enters the sandbox and looks.
func (w *Want) prove(ctx context.Context, s *Spec) (err error) {
	ctx, cancel := context.WithTimeout(ctx, proveFor)
	defer cancel()
	dir, err := os.MkdirTemp(w.Dir, "prove-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // the job's user reads the Spec
		return err
	}
	one := *s
	one.Etc, one.Dir = filepath.Join(dir, "etc"), "/"
	if err := WriteEtc(one.Etc); err != nil {
		return err
	}
	file := filepath.Join(dir, "spec.json")
	if err := one.Store(file); err != nil {
		return err
	}
	args := append(append([]string{}, w.Wrapper...), file, "--")
	args = append(append(args, w.Facts...), w.Secrets...)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.WaitDelay = 2 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if w.Prepare != nil {
		w.Prepare(cmd)
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s", err, last(errs.String()))
	}
	var f Facts
	if err := json.Unmarshal(out.Bytes(), &f); err != nil {
		return fmt.Errorf("it printed %.100q: %w", out.String(), err)
	}
	f.OfThisMachine()
	return f.Holds(w.Devices)
}

func last(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
