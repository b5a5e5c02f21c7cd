package runner

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/gpu/sandbox"
)

// Proof is what a runner with these options would work with on this machine.
type Proof struct {
	Sandbox sandbox.Kind
	Devices []string // UUIDs
	Limits  error    // why control groups cannot limit jobs of this very process; a unit with Delegate may have them
}

// Prove finds out whether a runner could work here: its devices are there and well, and a sandbox holds, looked at from
// inside. It starts no job and needs no queue; a runner that is at work on the devices is in its way.
func Prove(ctx context.Context, o Options) (*Proof, error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	r := &runner{Options: o, log: slog.New(slog.DiscardHandler), xids: &device.XidLog{}, work: &workDir{attempts: filepath.Join(o.WorkDir, "attempts")}}
	if err := os.MkdirAll(r.work.attempts, 0o700); err != nil {
		return nil, fmt.Errorf("runner: work directory: %w", err)
	}
	r.Sandbox.Limits = LimitsOff // a look must not move this process into another group
	if err := r.setUp(ctx); err != nil {
		return nil, err
	}
	defer r.tearDown()
	p := &Proof{Sandbox: r.machine.spec.Kind, Limits: sandbox.Given()}
	for _, g := range r.machine.gpus {
		p.Devices = append(p.Devices, g.UUID)
	}
	return p, r.fit(ctx)
}
