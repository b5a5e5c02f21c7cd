package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/gpu/fire"
	"github.com/gatebot/gatebot/internal/queue"
)

const longFire = `Runs a script of this checkout on a runner's GPU. The working tree is sent as it is, with what is not committed and
without what git ignores; HEAD alone with --head. The log comes while the script runs, to the terminal and to LOG, and
the exit code is the script's own.

  gatebot fire tests/unit/test_cuda_graph_readiness.py kernel-test /tmp/kernel-test.log 1800

SCRIPT lies in the repository: a .py, a .sh, or a file with its own #! line. NAME is shown where people look at the
runner, LOG is written anew, TIMEOUT_S are seconds. Arguments after -- are the script's. Ctrl-C takes the job back.

The configuration is gatebot/client.yaml in your configuration folder, --config, or GATEBOT_CLIENT_CONFIG:

    queue: nats://gatebot.example.com:4222
    name: alice                # as in the server's clients
    nkey_file: alice.nkey      # gatebot runner keygen makes one
    pool: default

Exit codes: the script's own; 2 when it could not be sent or run as asked; 3 when the machines, the time limit or Ctrl-C
ended it, with the reason on the terminal.`

// newFire is the first user's fire_b200_test.
func newFire(s streams) *cobra.Command {
	var config string
	var head bool
	var wait time.Duration
	c := &cobra.Command{
		Use:   "fire SCRIPT [NAME] [LOG] [TIMEOUT_S] [-- ARGUMENT…]",
		Short: "Run a script of this checkout on a runner's GPU",
		Long:  longFire,
		Args: func(c *cobra.Command, args []string) error {
			n := len(args)
			if dash := c.ArgsLenAtDash(); dash >= 0 {
				n = dash
			}
			if n < 1 || n > 4 {
				return fmt.Errorf("needs SCRIPT [NAME] [LOG] [TIMEOUT_S], got %d arguments", n)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			o := fireOptions{config: config, head: head, wait: wait}
			if dash := c.ArgsLenAtDash(); dash >= 0 {
				args, o.job.Args = args[:dash], args[dash:]
			}
			if err := o.positional(args); err != nil {
				return err
			}
			return o.run(c.Context(), s)
		},
	}
	f := c.Flags()
	f.StringVar(&config, "config", "", "configuration `file` of the client")
	f.BoolVar(&head, "head", false, "send HEAD, without what is not committed")
	f.DurationVar(&wait, "wait", 0, "longest wait for a runner; 0: for ever")
	return c
}

type fireOptions struct {
	config, log string
	head        bool
	wait        time.Duration
	job         queue.Fire
}

func (o *fireOptions) positional(args []string) error {
	o.job.Script, o.job.Name = args[0], args[0]
	if len(args) > 1 {
		o.job.Name = args[1]
	}
	if len(args) > 2 {
		o.log = args[2]
	}
	if len(args) > 3 {
		n, err := strconv.Atoi(args[3])
		if err != nil || n <= 0 {
			return usagef("fire: TIMEOUT_S %q is no number of seconds", args[3])
		}
		o.job.Timeout = time.Duration(n) * time.Second
	}
	return nil
}

// say writes short lines about what is being waited for.
func say(w io.Writer) func(string, ...any) {
	return func(format string, v ...any) {
		_, _ = fmt.Fprintf(w, "gatebot: fire: "+format+"\n", v...) // a closed terminal ends nothing
	}
}

func (o *fireOptions) run(ctx context.Context, s streams) (err error) {
	conf, err := fire.LoadConfig(o.config)
	if err != nil {
		return &exitError{code: exitUsage, err: err}
	}
	if o.job.Script, err = fire.InTree(ctx, ".", o.job.Script); err != nil {
		return &exitError{code: exitUsage, err: err}
	}
	snap, err := o.snapshot(ctx)
	if err != nil {
		return err
	}
	out := s.out
	if o.log != "" {
		f, err := os.Create(o.log)
		if err != nil {
			return usagef("fire: log: %w", err)
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		out = io.MultiWriter(s.out, f)
	}
	client, err := fire.Dial(ctx, conf, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Queue.Close()) }()
	client.Say, client.Patience = say(s.err), o.wait
	if snap.Dirty {
		client.Say("the working tree differs from HEAD and is sent as it is")
	}
	end, err := client.Run(ctx, ".", snap, o.job, out)
	if err != nil {
		return err
	}
	return fired(end)
}

func (o *fireOptions) snapshot(ctx context.Context) (fire.Snapshot, error) {
	if o.head {
		return fire.Of(ctx, ".", "HEAD")
	}
	return fire.Take(ctx, ".")
}

// fired maps the end of a job to an exit code. Only a script's own is passed on without a word.
func fired(o *fire.Outcome) error {
	switch {
	case o.Class != queue.ClassVerdict:
		return fmt.Errorf("fire: job %s: %s: %s", o.ID, o.Class, o.Reason)
	case o.Code == 0:
		return nil
	case o.Reason != "":
		return &exitError{code: o.Code, err: fmt.Errorf("fire: %s", o.Reason)}
	}
	return &exitError{code: o.Code}
}
