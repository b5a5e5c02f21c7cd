package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/internal/finding"
)

// sing is nil when the planted violations are seen on every device of this runner, now or within the last minutes. A
// gate that cannot fail says nothing about the code.
func (r *runner) sing(ctx context.Context) error {
	if len(r.machine.gpus) == 0 || r.Health.Off || time.Since(r.sang) < r.Health.Canary {
		return nil
	}
	inv, err := device.ReadInventory(ctx, r.GPUTool)
	if err != nil {
		return fmt.Errorf("canary: %w", err)
	}
	for _, g := range r.machine.gpus {
		index := -1
		for i := range inv.Devices {
			if d := inv.Device(i); d != nil && d.UUID == g.UUID {
				index = i
			}
		}
		if index < 0 {
			return fmt.Errorf("canary: the driver does not list GPU %s", g.UUID)
		}
		rep, err := device.RunCanary(ctx, device.CanaryRequest{Exe: r.GPUTool, Index: index})
		if err != nil {
			return fmt.Errorf("canary: %w", err)
		}
		if rep.Status != finding.StatusPass {
			return fmt.Errorf("canary on %s: %s: %s", g.UUID, rep.Status, rep.Reason)
		}
		r.device = rep.Device.Name
	}
	r.sang = time.Now()
	return nil
}
