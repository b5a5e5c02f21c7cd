package main

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	gpudoctor "github.com/gatebot/gatebot/gpu/doctor"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/doctor"
)

type doctorOptions struct {
	asJSON, requireGPU    bool
	only                  []string
	python, serve, runner string
}

const longDoctor = `Proves the set-up: the repository, its configuration and hook; the device, its health, the probe and the canary, which
plants violations from Go and from Python and demands that each is caught; with --serve and --runner the configuration of
a server and of a runner.

Every line is ok, warn, FAIL, or - where this machine or this repository does not use that part. Below a warning or a
failure stands what to do. The exit code is 0 when nothing failed, 1 when a check failed, 3 when the machine did.`

func newDoctor(s streams) *cobra.Command {
	o := &doctorOptions{}
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Prove the set-up: device, probe, canary, configuration, hook, server, runner",
		Long:  longDoctor,
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runDoctor(c.Context(), o, s)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.asJSON, "json", false, "print "+doctor.Schema)
	f.BoolVar(&o.requireGPU, "require-gpu", false, "no CUDA device is a failure (exit 3)")
	f.StringSliceVar(&o.only, "only", nil, "`checks` to run, with what they need, comma separated")
	f.StringVar(&o.python, "python", "", "`interpreter` of the canary's Python part, none for none (default: step.python of the configuration)")
	f.StringVar(&o.serve, "serve", "", "also check this configuration `file` of gatebot serve")
	f.StringVar(&o.runner, "runner", "", "also check this configuration `file` of gatebot runner, and reach its queue")
	return c
}

func runDoctor(ctx context.Context, o *doctorOptions, s streams) error {
	all, err := o.registry(ctx)
	if err != nil {
		return err
	}
	if len(o.only) > 0 {
		if all, err = all.Select(o.only); err != nil {
			return usagef("--only: %w", err)
		}
	}
	progress := newProgress(s.err)
	report := all.Run(ctx, progress.phase)
	progress.done()
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	report.Tool = version
	render := report.Print
	if o.asJSON {
		render = report.JSON
	}
	if err := writeTo("-", s.out, func(w io.Writer) error { return render(w) }); err != nil {
		return err
	}
	if code := report.ExitCode(); code != 0 {
		return &exitError{code: code}
	}
	return nil
}

// registry puts the checks of all parts together. A server's and a runner's belong here too when they have more to prove.
func (o *doctorOptions) registry(ctx context.Context) (doctor.Registry, error) {
	repo, err := openPlace(ctx, ".")
	if err != nil {
		return nil, err
	}
	host := &gpudoctor.Host{Require: o.requireGPU, Python: o.python, Config: repo.config}
	if host.Python == "" {
		host.Python = repo.python()
	}
	return slices.Concat(repo.checks(), host.Checks(), o.services()), nil
}

// configError tells a broken configuration, which is a finding of the doctor, from a file that cannot be read.
func configError(err error) (*config.Error, bool) {
	var ce *config.Error
	ok := errors.As(err, &ce)
	return ce, ok
}
