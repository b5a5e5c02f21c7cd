package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/gpu/runner"
	"github.com/gatebot/gatebot/internal/queue"
)

const longRunner = `Runs jobs beside the GPU: connects outward to the queue of gatebot serve, takes one job at a time, checks out its exact
tree, runs gatebot check on it as a child with a time limit and without any token, and sends the result back. When the
queue cannot be reached it says so and tries again for ever.

A configuration (paths are relative to it):

    queue: nats://gatebot.example.com:4222
    name: b200-0
    nkey_file: runner.nkey
    pools: [default]
    dir: /var/lib/gatebot-runner
    require_gpu: true
    sandbox: {see: [/data/models], memory: 64GiB}

Jobs run in a sandbox (bubblewrap, rootless podman with an image, or systemd-run); when none holds, the runner refuses to
start. docs/runner.md has every key.`

func newRunner(s streams) *cobra.Command {
	var file string
	var once bool
	c := &cobra.Command{
		Use:   "runner --config FILE",
		Short: "Run jobs beside the GPU",
		Long:  longRunner,
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if file == "" {
				return usagef("runner: needs --config FILE (see gatebot runner --help)")
			}
			o, err := runner.LoadConfig(file)
			if err != nil {
				return &exitError{code: exitUsage, err: err}
			}
			o.Once, o.OwnProcess = once, true
			return runner.Run(c.Context(), o, newLog(s))
		},
	}
	c.Flags().StringVar(&file, "config", "", "configuration `file` of the runner")
	c.Flags().BoolVar(&once, "once", false, "end after one job")
	c.AddCommand(newKeygen(s), newConfine(), newFacts(s), newQuarantine(s), newDrain(s))
	return c
}

func newKeygen(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "keygen FILE",
		Short: "Make a runner's keys: the secret one into FILE, the public one on the terminal",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			public, seed, err := queue.NewRunnerKey()
			if err != nil {
				return err
			}
			f, err := os.OpenFile(args[0], os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
			if err != nil {
				return usagef("keygen: %w (an existing key is never replaced)", err)
			}
			if _, err := f.Write(append(seed, '\n')); err != nil {
				return fmt.Errorf("keygen: %w", err)
			}
			if err := f.Close(); err != nil {
				return fmt.Errorf("keygen: %w", err)
			}
			_, err = fmt.Fprintln(s.out, public)
			return err
		},
	}
}
