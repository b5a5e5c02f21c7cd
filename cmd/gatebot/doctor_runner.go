package main

import (
	"context"

	"github.com/gatebot/gatebot/gpu/runner"
	"github.com/gatebot/gatebot/gpu/sandbox"
	"github.com/gatebot/gatebot/internal/doctor"
)

// checkSandbox enters the sandbox that the runner of this configuration would use. Run it as the runner's user.
func (o *doctorOptions) checkSandbox(ctx context.Context) doctor.Outcome {
	if o.runner == "" {
		return doctor.None("name the runner's configuration with --runner FILE")
	}
	c, err := runner.LoadConfig(o.runner)
	if err != nil {
		return doctor.Failed("see gatebot runner --help", "%v", err)
	}
	if q := runner.ReadQuarantine(c.WorkDir); q != nil {
		return doctor.Failed("gatebot runner quarantine --config "+o.runner+" --end", "the runner is quarantined: %s", q.Reason)
	}
	p, err := runner.Prove(ctx, c)
	switch {
	case err != nil:
		return doctor.Failed("see docs/runner.md", "%v", err)
	case p.Sandbox == sandbox.None:
		return doctor.Warned("take sandbox.kind out of the configuration, and install bubblewrap", "jobs run with all the rights of the runner's user")
	case p.Limits != nil && c.Sandbox.Limits == runner.LimitsRequired:
		return doctor.Warned("start the runner as the unit in integrations/systemd, which has Delegate", "%s holds; this process itself could not limit a job: %v", p.Sandbox, p.Limits)
	}
	return doctor.Good("%s holds, %d devices", p.Sandbox, len(p.Devices))
}
