package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/internal/gate"
)

const longRoot = `gatebot keeps the per-step decode forward fully GPU-native, so that a CUDA graph can capture and replay it.

Branching on a host-known integer is fine. Branching on a device value is not, and neither is anything else that makes
the host wait for the device, allocates per step, or captures what is gone at replay.

Exit codes of every command:
  0  clean
  1  gating findings or a failed check
  2  usage or configuration error
  3  the tool could not finish (infrastructure, no GPU when one is required, internal error)`

// run executes one command line and returns its exit code. A panic is a bug of ours and must not look like a verdict.
func run(ctx context.Context, args []string, s streams) (code int) {
	defer func() {
		if p := recover(); p != nil {
			complain(s.err, fmt.Errorf("internal error: %v (please report it; the first frame is %s)", p, firstFrame()))
			code = exitInfra
		}
	}()
	gate.Version = version
	root := newRoot(s)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil {
		complain(s.err, err)
	}
	return exitCode(err)
}

func newRoot(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:           "gatebot",
		Short:         "The gate for CUDA graph capture safety",
		Long:          longRoot,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return c.Help()
		},
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetVersionTemplate("gatebot {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usagef("%s: %w (see %s --help)", c.CommandPath(), err, c.CommandPath())
	})
	root.AddCommand(
		newScan(s),
		newCheck(s),
		newRules(s),
		newHook(s),
		newServe(s),
		newApp(s),
		newRunner(s), newFire(s),
		newFixlog(s),
		newReadiness(s),
		newDemo(s),
		newProbe(s),
		newTrace(s),
		newOps(s),
		newReport(s),
		newSchema(s),
		newMan(),
		newInit(s),
		newDoctor(s),
	)
	usageErrors(root)
	return root
}

// usageErrors makes wrong arguments of c and its children usage errors; cobra reports them as plain errors.
func usageErrors(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return usagef("%s: %w (see %s --help)", c.CommandPath(), err, c.CommandPath())
			}
			return nil
		}
	}
	for _, child := range c.Commands() {
		usageErrors(child)
	}
}

// group is a command that only holds others: alone, or with a name it does not know, it is a usage error.
func group(use, short string, children ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, RunE: func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("%s: no command %q (see %s --help)", c.CommandPath(), args[0], c.CommandPath())
		}
		return errors.Join(c.Help(), &exitError{code: exitUsage})
	}}
	c.AddCommand(children...)
	return c
}

// firstFrame names the place of a panic without a stack trace.
func firstFrame() string {
	lines := strings.Split(string(debug.Stack()), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "panic(") && i+3 < len(lines) {
			return strings.TrimSpace(lines[i+3])
		}
	}
	return "unknown"
}
