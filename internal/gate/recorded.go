package gate

import (
	"context"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
	"github.com/gatebot/gatebot/internal/verdict"
)

// Recorded is Check on a run that was recorded before, perhaps on another machine: the source is scanned here, the
// checks judge the trace, and nothing needs a GPU. The canary proves something of a machine and cannot be had from a
// recording; it is not run, and not required.
func Recorded(ctx context.Context, r CheckRequest, in *dynamic.Input) (*Run, error) {
	run, err := Scan(ctx, r.Request)
	if err != nil {
		return nil, err
	}
	res := run.Results
	res.Device = recordedOn(in.Trace)
	res.Checks = append(res.Checks, verdict.NotRun(finding.CheckCanary, "the trace was recorded before", false))
	var names []string
	for _, name := range stepChecks() {
		switch {
		case !r.wants(name):
			res.Checks = append(res.Checks, verdict.NotRun(name, "left out by --only", false))
		case level(run.Config, name) == finding.Off:
			res.Checks = append(res.Checks, verdict.NotRun(name, "turned off in "+config.FileName, false))
		default:
			names = append(names, name)
			res.Checks = append(res.Checks, finding.CheckResult{Name: name, Status: finding.StatusError,
				Required: level(run.Config, name) == finding.Error})
		}
	}
	r.judge(ctx, run, in, names, 0)
	verdict.Decide(res)
	return run, nil
}

// recordedOn is the first device that a trace names, nil when it names none.
func recordedOn(t *trace.Trace) *finding.Device {
	for _, d := range trace.Of[*trace.Device](t) {
		return &finding.Device{Name: d.Name, ComputeCapability: d.CC, Driver: d.Driver, CUDA: d.CUDA, UUID: d.UUID}
	}
	return nil
}
