package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/gpu/fire"
	"github.com/gatebot/gatebot/hooks"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/gate"
	"github.com/gatebot/gatebot/internal/queue"
)

// Values of --gpu.
const (
	gpuOff    = "off"
	gpuLocal  = "local"
	gpuRemote = "remote"
)

func addGPU(c *cobra.Command, value *string) {
	c.Flags().StringVar(value, "gpu", gpuOff, "GPU checks after the source check: off, local (on this machine's device) or remote (on a runner, see gatebot fire)")
}

// checkGPU refuses what cannot be done: a stage that silently does not run would look like one that passed.
func checkGPU(value string) error {
	switch value {
	case gpuOff, gpuLocal, gpuRemote:
		return nil
	}
	return usagef("--gpu %q is none of off, local, remote", value)
}

// gpuStage runs the GPU checks alone, all required: a check that did not run is no pass.
func gpuStage(limit time.Duration) hooks.GPU {
	return func(ctx context.Context, rev string) (*finding.Results, error) {
		run, err := gate.Check(ctx, gate.CheckRequest{Request: gate.Request{Dir: ".", Rev: rev}, Only: finding.GPUChecks,
			RequireGPU: true, Timeout: limit})
		if err != nil {
			return nil, err
		}
		return run.Results, run.Close()
	}
}

// remoteStage is gpuStage on a runner: the commit goes there as a bundle, its progress comes back while it runs. What
// the machines do wrong, and a runner that nobody has free in time, is no verdict.
func remoteStage(limit time.Duration, s streams) hooks.GPU {
	return func(ctx context.Context, rev string) (*finding.Results, error) {
		out, err := fireCheck(ctx, rev, limit, s.err)
		switch {
		case err != nil:
			return nil, err
		case out.Class != queue.ClassVerdict:
			return nil, fmt.Errorf("runner %s: %s", out.Runner, out.Reason)
		case len(out.Results) == 0:
			return nil, errors.New("the runner sent no results")
		}
		return finding.Read(out.Results)
	}
}

func fireCheck(ctx context.Context, rev string, limit time.Duration, errw io.Writer) (_ *fire.Outcome, err error) {
	conf, err := fire.LoadConfig("")
	if err != nil {
		return nil, err
	}
	client, err := fire.Dial(ctx, conf, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, client.Queue.Close()) }()
	client.Patience, client.Say = limit, say(errw)
	snap, err := fire.Of(ctx, ".", rev)
	if err != nil {
		return nil, err
	}
	return client.Run(ctx, ".", snap, queue.Fire{Name: "pre-push", Only: finding.GPUChecks, Timeout: limit}, errw)
}
