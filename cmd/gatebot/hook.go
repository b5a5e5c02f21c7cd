package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/hooks"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/gate"
	"github.com/gatebot/gatebot/internal/git"
)

func newHook(s streams) *cobra.Command {
	return group("hook", "The gate as a local pre-push hook", newHookInstall(s), newHookUninstall(s), newHookStatus(s), newPrePush(s),
		newPostCommit(s))
}

func newHookInstall(s streams) *cobra.Command {
	var o hooks.InstallOptions
	var gpu string
	var each bool
	c := &cobra.Command{
		Use:   "install",
		Short: "Install the pre-push hook; a hook that is there keeps running after it",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkGPU(gpu); err != nil {
				return err
			}
			if each {
				o.Options = append(o.Options, "--each-commit")
			}
			if gpu != gpuOff {
				o.Options = append(o.Options, "--gpu="+gpu)
			}
			exe, err := executable()
			if err != nil {
				return err
			}
			o.Dir, o.Binary = ".", exe
			return hookError(hooks.Install(c.Context(), o, s.out))
		},
	}
	f := c.Flags()
	f.BoolVar(&o.Force, "force", false, "write into a hooks directory that other repositories share")
	f.BoolVar(&o.PostCommit, "post-commit", false, "also install the hook that notes locally what each commit fixes")
	f.BoolVar(&each, "each-commit", false, "the hook checks every commit that is pushed, not only the tips")
	addGPU(c, &gpu)
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
			exe, err := executable()
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
	if len(st.Options) > 0 {
		rows = append(rows, [2]string{"options", strings.Join(st.Options, " ")})
	}
	if st.PostCommit {
		rows = append(rows, [2]string{"post-commit", "installed"})
	}
	if st.Strict {
		rows = append(rows, [2]string{"strict", "a fault of the machine refuses a push"})
	}
	for _, r := range rows {
		if r[1] == "" {
			continue
		}
		if _, err := fmt.Fprintf(s.out, "%-11s %s\n", r[0], r[1]); err != nil {
			return err
		}
	}
	return nil
}

func newPrePush(s streams) *cobra.Command {
	o := hooks.PushOptions{Dir: "."}
	var failOn, gpu string
	var limit time.Duration
	c := &cobra.Command{
		Use:   "pre-push [REMOTE URL]",
		Short: "Check a push; git calls this",
		Long: `Reads git's lines from standard input and checks the trees of the commits that are pushed, never the working tree.
Only what the remote does not have yet gates. GATEBOT_SKIP=reason lets one push through and records why.

Without arguments it reads no input and asks the variables of pre-commit (the program) which push is meant, or git for
the one of the current branch.`,
		Args: cobra.MatchAll(cobra.MaximumNArgs(2), func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return fmt.Errorf("a remote and no URL (git gives both)")
			}
			return nil
		}),
		RunE: func(c *cobra.Command, args []string) error {
			o.FailOn = finding.Severity(failOn)
			if o.FailOn != finding.Error && o.FailOn != finding.Warn {
				return usagef("--fail-on %q is none of error, warn", failOn)
			}
			if err := checkGPU(gpu); err != nil {
				return err
			}
			if limit <= 0 {
				return usagef("--gpu-timeout %s is not a time limit", limit)
			}
			switch gpu {
			case gpuLocal:
				o.GPU = gpuStage(limit)
			case gpuRemote:
				o.GPU = remoteStage(limit, s)
			}
			o.Rules, o.Color = gate.Tool().Rules, color(s.err)
			o.Scanner = hooks.ScanFunc(scanPushed(!o.EachCommit))
			return prePush(c.Context(), o, args, s)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.EachCommit, "each-commit", false, "check every commit that is pushed, not only the tips")
	f.BoolVar(&o.All, "all", false, "also refuse what the remote has already")
	f.StringVar(&failOn, "fail-on", "error", "least severity that gates: error or warn")
	f.DurationVar(&limit, "gpu-timeout", 10*time.Minute, "time limit of the GPU checks of one commit")
	addGPU(c, &gpu)
	return c
}

func prePush(ctx context.Context, o hooks.PushOptions, args []string, s streams) error {
	stdin := s.in
	if len(args) == 0 {
		remote, url, lines, err := hooks.FromManager(ctx, o.Dir)
		if err != nil {
			return hookError(err)
		}
		args, stdin = []string{remote, url}, lines
	}
	if code := hooks.PrePush(ctx, o, args[0], args[1], stdin, s.err); code != exitClean {
		return &exitError{code: code}
	}
	return nil
}

func newPostCommit(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "post-commit",
		Short: "Note locally what the commit just made fixes; git calls this",
		Long: `Compares the findings of HEAD with those of its parent and keeps what disappeared as provisional entries of the fix log
in the git directory (gatebot fixlog show --open lists them). They become rows when the commit lands, whether it is
merged, rebased or squashed.

A push of commits that were looked at this way finds them known and scans nothing.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			records, err := gate.AfterCommit(c.Context(), ".", rememberScanned)
			if err != nil {
				return hookError(err)
			}
			for _, r := range records {
				if _, err := fmt.Fprintf(s.err, "gatebot: fixed, to be logged when it lands: %s\n", r.Description); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// rememberScanned spares the push what was scanned when the commit was made.
func rememberScanned(ctx context.Context, repo git.Repository, rev string, fs []finding.Finding) {
	hooks.Remember(ctx, repo, gate.Tool().Rules, rev, fs)
}

// scanPushed scans commits with the configuration that each carries. The first of them is the tip when tipFirst is set.
func scanPushed(tipFirst bool) func(context.Context, git.Repository, string) ([]finding.Finding, error) {
	var trees *gate.Trees
	return func(ctx context.Context, repo git.Repository, rev string) ([]finding.Finding, error) {
		cfg, err := gate.TreeConfig(ctx, repo, rev)
		if err != nil {
			return nil, err
		}
		if trees == nil {
			trees = gate.NewTrees(repo)
			trees.TipFirst = tipFirst
		}
		defer trees.Keep()
		return trees.Scan(ctx, rev, cfg)
	}
}
