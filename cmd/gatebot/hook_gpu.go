package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/hooks"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/gate"
)

// Values of --gpu.
const (
	gpuOff    = "off"
	gpuLocal  = "local"
	gpuRemote = "remote"
)

func addGPU(c *cobra.Command, value *string) {
	c.Flags().StringVar(value, "gpu", gpuOff, "GPU checks after the source check: off, or local (on this machine's device)")
}

// checkGPU refuses what cannot be done: a stage that silently does not run would look like one that passed.
func checkGPU(value string) error {
	switch value {
	case gpuOff, gpuLocal:
		return nil
	case gpuRemote:
		return usagef("--gpu=remote: this version of gatebot cannot submit a job to the server (use --gpu=local or --gpu=off; the server checks the commit when it arrives)")
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
