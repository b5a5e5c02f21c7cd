package main

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/gpu/kernel"
	"github.com/gatebot/gatebot/internal/finding"
)

// maxModule bounds what is read: the largest fatbins of frameworks are below it.
const maxModule = 1 << 30

// kernelCommand returns exit code 1 when the kernel failed a check.
func kernelCommand(flags *flag.FlagSet, args []string, w io.Writer) (int, error) {
	asJSON := flags.Bool("json", false, "")
	index := flags.Int("device", 0, "")
	launch := flags.String("launch", "", "")
	replays := flags.Int("replays", 100, "")
	timeout := flags.Duration("timeout", time.Minute, "")
	rest, err := parse(flags, args, "MODULE")
	if err != nil {
		return 0, err
	}
	if *launch == "" || *replays < 1 || *timeout <= 0 {
		return 0, usagef("needs --launch SPEC, at least one replay and a time limit (see gatebot-gpu without arguments)")
	}
	spec, err := readSpec(*launch)
	if err != nil {
		return 0, usagef("--launch: %w", err)
	}
	module, image, sum, err := readModule(rest[0])
	if err != nil {
		return 0, usagef("%s: %w", rest[0], err)
	}
	if spec.Kernel, err = module.Choose(spec.Kernel); err != nil {
		return 0, usagef("%s: %w", rest[0], err)
	}
	r, err := within(*timeout, func() (*kernel.Report, error) { return device.RunKernel(*index, image, spec, *replays) })
	if err != nil {
		return 0, err
	}
	r.Path, r.Module, r.SHA256 = filepath.ToSlash(rest[0]), *module, sum
	if *asJSON {
		err = write(w, r)
	} else {
		err = printKernel(w, r)
	}
	switch r.Status {
	case finding.StatusPass:
		return 0, err
	case finding.StatusFail:
		return 1, err
	}
	return 3, err
}

// within gives up on a kernel that does not end: nothing can stop it but the end of the process, which follows.
func within(limit time.Duration, do func() (*kernel.Report, error)) (*kernel.Report, error) {
	type outcome struct {
		r   *kernel.Report
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := do()
		done <- outcome{r, err}
	}()
	select {
	case o := <-done:
		return o.r, o.err
	case <-time.After(limit):
		return nil, fmt.Errorf("no end after %s (does the kernel hang? a long one needs --timeout)", limit)
	}
}

// readSpec takes JSON itself or the name of a file, - for standard input.
func readSpec(launch string) (*kernel.Spec, error) {
	if strings.HasPrefix(strings.TrimSpace(launch), "{") {
		return kernel.Parse("--launch", []byte(launch))
	}
	if launch == "-" {
		text, err := io.ReadAll(os.Stdin)
		if err != nil {
			return nil, err
		}
		return kernel.Parse("standard input", text)
	}
	text, err := os.ReadFile(launch)
	if err != nil {
		return nil, err
	}
	return kernel.Parse(filepath.ToSlash(launch), text)
}

func readModule(name string) (*kernel.Module, []byte, string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxModule {
		return nil, nil, "", fmt.Errorf("no file, or more than %d MiB", maxModule>>20)
	}
	image, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, "", err
	}
	m, err := kernel.Inspect(image)
	sum := sha256.Sum256(image)
	return m, image, hex.EncodeToString(sum[:]), err
}

func printKernel(w io.Writer, r *kernel.Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s (%s) on %s\n", r.Kernel, r.Path, r.Module.Kind, r.Device)
	if a := r.Attributes; a != nil {
		fmt.Fprintf(&b, "      %d registers, %d bytes of shared and %d of local memory, %d of constants; at most %d threads a block, %d blocks resident on an SM; sm_%d from compute_%d\n",
			a.Registers, a.SharedStatic, a.Local, a.Const, a.MaxThreads, a.BlocksPerSM, a.Binary, a.PTX)
	}
	for _, c := range r.Checks {
		line := fmt.Sprintf("%-7s %s", c.Status, c.Name)
		if c.Reason != "" {
			line += ": " + c.Reason
		}
		b.WriteString(line + "\n")
	}
	if r.ReplayUS > 0 {
		fmt.Fprintf(&b, "      host time of a launch: %.1f µs eager, %.1f µs as a graph of its own\n", r.EagerUS, r.ReplayUS)
	}
	fmt.Fprintf(&b, "%s in %d ms\n", r.Status, r.DurationMS)
	_, err := io.WriteString(w, b.String())
	return err
}
