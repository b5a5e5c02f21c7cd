package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/gpu/sandbox"
)

// confined is the command that enters a sandbox; what must be visible, "--" and a command follow.
func confined(exe, spec string) []string { return []string{exe, "runner", "confine", spec} }

// newConfine replaces itself by a command in a sandbox. The runner and gatebot check --confine start it.
func newConfine() *cobra.Command {
	var see, write, env []string
	c := &cobra.Command{
		Use:    "confine SPEC -- COMMAND…",
		Short:  "Run a command inside a sandbox",
		Hidden: true,
		Args:   cobra.MinimumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			spec, err := sandbox.Load(args[0])
			if err != nil {
				return err
			}
			spec.See, spec.Write, spec.Env = slices.Concat(spec.See, see), slices.Concat(spec.Write, write), slices.Concat(spec.Env, env)
			if spec.Dir == "" {
				if spec.Dir, err = os.Getwd(); err != nil {
					return fmt.Errorf("sandbox: %w", err)
				}
			}
			return spec.Enter(os.Environ(), args[1:])
		},
	}
	f := c.Flags()
	f.StringArrayVar(&see, "see", nil, "`path` that is visible inside, read-only")
	f.StringArrayVar(&write, "write", nil, "`path` that is visible and writable inside")
	f.StringArrayVar(&env, "env", nil, "`variable` that is set inside, NAME=value")
	return c
}

// newFacts prints what this process can see and do. The runner starts it inside a sandbox to find out whether it holds.
func newFacts(s streams) *cobra.Command {
	return &cobra.Command{
		Use:    "facts [PATH…]",
		Short:  "Say what this process can see and do, and which of the paths it can read",
		Hidden: true,
		RunE: func(_ *cobra.Command, args []string) error {
			return json.NewEncoder(s.out).Encode(sandbox.Inspect(args))
		},
	}
}
