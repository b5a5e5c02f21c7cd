package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/gpu/probe"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

type probeOptions struct {
	judgeOptions
	regionFuncs []string
	keep        string
	timeout     time.Duration
	frames      bool
}

const longProbe = `Runs any program under the probe and reports what makes the host wait for the device, moves data through pageable
memory, takes memory or breaks a capture, each with the line that did it.

What counts are the regions named: NVTX ranges and gatebot marks with --region, Python functions with --region-func, which
needs no change to the program. With no region everything after the first kernel launch counts. What a region does only in
its first run is start-up and is shown as info.

  gatebot probe --region-func model:Decoder.step -- python serve.py
  gatebot probe -- python -m pytest tests/test_decode.py

What the program prints goes to stderr, so that the report has stdout for itself. A program that fails without a finding
exits 3, whatever its own code was.`

func newProbe(s streams) *cobra.Command {
	o := &probeOptions{}
	c := &cobra.Command{
		Use:   "probe [flags] -- COMMAND [ARGUMENT...]",
		Short: "Run any program and report its hidden waits, copies and allocations",
		Long:  longProbe,
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return runProbe(c.Context(), o, args, s)
		},
	}
	f := c.Flags()
	f.SetInterspersed(false) // flags of the command are the command's
	o.flags(c)
	f.StringArrayVar(&o.regionFuncs, "region-func", nil, "judge what this Python function does: `package.module:Class.method` (repeatable)")
	f.StringVar(&o.keep, "trace", "", "keep the trace files in this `directory`")
	f.DurationVar(&o.timeout, "timeout", 30*time.Minute, "time limit of the program, 0 for none")
	f.BoolVar(&o.frames, "launch-frames", false, "record the stack of every kernel launch too (slower)")
	return c
}

func runProbe(ctx context.Context, o *probeOptions, command []string, s streams) error {
	if err := o.check(); err != nil {
		return err
	}
	for _, f := range o.regionFuncs {
		if module, name, ok := strings.Cut(f, ":"); !ok || module == "" || name == "" {
			return usagef("--region-func %q is not package.module:Class.method", f)
		}
	}
	if _, err := exec.LookPath(command[0]); err != nil {
		return usagef("probe: %w", err)
	}
	library, err := probe.Find()
	if err != nil {
		return err
	}
	dir := o.keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "gatebot-probe-"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }() // a leftover in /tmp is no reason to fail
	} else if dir, err = filepath.Abs(dir); err != nil {
		return err
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if o.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.timeout, fmt.Errorf("the program took longer than %s (raise --timeout)", o.timeout))
		defer cancel()
	}
	code, files, err := probe.Run(ctx, probe.Options{Library: library, Command: command, TraceDir: dir, RegionFuncs: o.regionFuncs,
		Frames: o.frames, Stdin: s.in, Output: s.err})
	if err != nil {
		return err
	}
	t, err := trace.Load(files...)
	if err != nil {
		return err
	}
	o.regions = append(o.regions, o.regionFuncs...)
	return o.judge(t, probe.Ended{Known: true, Code: code}, s)
}

// judgeOptions is what probe and trace verdict have in common.
type judgeOptions struct {
	regions                       []string
	root, format, results, failOn string
	warmup                        int
	all                           bool
}

func (o *judgeOptions) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVar(&o.regions, "region", nil, "judge what happens inside this NVTX range or mark: `name` (repeatable)")
	f.StringVar(&o.root, "root", "", "the repository whose lines are named (default: the one around this directory)")
	f.IntVar(&o.warmup, "warmup", 1, "first runs of a region, per process, that are start-up")
	f.StringVar(&o.format, "format", "text", "text, json, sarif or github")
	f.StringVar(&o.results, "results", "", "also write the results to this `file`")
	f.StringVar(&o.failOn, "fail-on", "error", "least severity that gates: error or warn")
	f.BoolVar(&o.all, "all", false, "also print infos (text)")
}

func (o *judgeOptions) check() error {
	if _, ok := formats[o.format]; !ok {
		return usagef("--format %q is none of text, json, sarif, github", o.format)
	}
	if s := finding.Severity(o.failOn); s != finding.Error && s != finding.Warn {
		return usagef("--fail-on %q is none of error, warn", o.failOn)
	}
	if o.warmup < 0 {
		return usagef("--warmup %d is negative", o.warmup)
	}
	return nil
}
