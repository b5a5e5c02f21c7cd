package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/hooks"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/gate"
	"github.com/gatebot/gatebot/internal/git"
)

func newHook(s streams) *cobra.Command {
	return group("hook", "The gate as a local pre-push hook", newHookInstall(s), newHookUninstall(s), newHookStatus(s), newPrePush(s))
}

func newHookInstall(s streams) *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "install",
		Short: "Install the pre-push hook; a hook that is there keeps running after it",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			exe, err := os.Executable()
			if err != nil {
				return err
			}
			return hookError(hooks.Install(c.Context(), hooks.InstallOptions{Dir: ".", Binary: exe, Force: force}, s.out))
		},
	}
	c.Flags().BoolVar(&force, "force", false, "write into a hooks directory that other repositories share")
	return c
}

func newHookUninstall(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall",
		Short: "Take the hook away and put back what was there, byte for byte",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return hookError(hooks.Uninstall(c.Context(), ".", s.out))
		},
	}
}

// hookError tells a mistake of the caller from a fault of the machine.
func hookError(err error) error {
	var foreign *hooks.ForeignDirError
	if errors.As(err, &foreign) || errors.Is(err, git.ErrNotRepository) {
		return &exitError{code: exitUsage, err: err}
	}
	return err
}

func newHookStatus(s streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Say whether the hook is installed and what it would run",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			exe, err := os.Executable()
			if err != nil {
				return err
			}
			st, err := hooks.Status(c.Context(), ".", exe)
			if err != nil {
				return hookError(err)
			}
			if asJSON {
				enc := json.NewEncoder(s.out)
				enc.SetIndent("", "  ")
				return enc.Encode(st)
			}
			return printHookStatus(s, st)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func printHookStatus(s streams, st hooks.State) error {
	state := "not installed"
	switch {
	case st.Installed && st.Current:
		state = "installed"
	case st.Installed:
		state = "installed by another version (gatebot hook install renews it)"
	case st.Other:
		state = "not installed; another program's hook is there (gatebot hook install keeps it)"
	}
	rows := [][2]string{{"state", state}, {"hook", st.Hook}, {"runs", st.Program}, {"then", st.Chained}, {"hooksPath", st.HooksPath}}
	if st.Strict {
		rows = append(rows, [2]string{"strict", "a fault of the machine refuses a push"})
	}
	for _, r := range rows {
		if r[1] == "" {
			continue
		}
		if _, err := fmt.Fprintf(s.out, "%-10s %s\n", r[0], r[1]); err != nil {
			return err
		}
	}
	return nil
}

func newPrePush(s streams) *cobra.Command {
	o := hooks.PushOptions{Dir: "."}
	var failOn string
	c := &cobra.Command{
		Use:   "pre-push REMOTE URL",
		Short: "Check a push; git calls this",
		Long: `Reads git's lines from standard input and checks the trees of the commits that are pushed, never the working tree.
Only what the remote does not have yet gates. GATEBOT_SKIP=reason lets one push through and records why.`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			o.FailOn = finding.Severity(failOn)
			if o.FailOn != finding.Error && o.FailOn != finding.Warn {
				return usagef("--fail-on %q is none of error, warn", failOn)
			}
			o.Rules, o.Color = gate.Tool().Rules, color(s.err)
			o.Scanner = hooks.ScanFunc(scanPushed)
			if code := hooks.PrePush(c.Context(), o, args[0], args[1], s.in, s.err); code != exitClean {
				return &exitError{code: code}
			}
			return nil
		},
	}
	f := c.Flags()
	f.BoolVar(&o.EachCommit, "each-commit", false, "check every commit that is pushed, not only the tips")
	f.BoolVar(&o.All, "all", false, "also refuse what the remote has already")
	f.StringVar(&failOn, "fail-on", "error", "least severity that gates: error or warn")
	return c
}

// scanPushed scans a commit with the configuration that it carries.
func scanPushed(ctx context.Context, repo git.Repository, rev string) ([]finding.Finding, error) {
	cfg, err := gate.TreeConfig(ctx, repo, rev)
	if err != nil {
		return nil, err
	}
	return gate.Tree(ctx, repo, rev, cfg)
}
