package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/gpu/probelib"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/doctor"
	"github.com/gatebot/gatebot/internal/finding"
)

// Host is what the checks ask of the machine, and what they remember of each other.
type Host struct {
	Require bool           // no device is a failure
	Python  string         // interpreter of the step; None leaves it out
	Config  *config.Config // of the repository; nil when there is none
	Exe     string         // gatebot-gpu; empty: the one beside this program

	inventory *device.Inventory
}

// Checks are those of a GPU host.
func (h *Host) Checks() doctor.Registry {
	return doctor.Registry{
		{Name: "gpu", About: "the driver answers and there is a device", Run: h.gpu},
		{Name: "device", About: "a device is what the configuration asks for", Needs: []string{"gpu"}, Run: h.device},
		{Name: "health", About: "memory, ECC, other processes, reports in the kernel log", Timeout: 3 * time.Minute, Run: h.healthy},
		{Name: "probe", About: "the recorder is there", Needs: []string{"gpu"}, Run: h.probe},
		{Name: "canary", About: "planted violations are caught, from Go and from Python", Needs: []string{"gpu"}, Timeout: 15 * time.Minute,
			Run: h.canary},
	}
}

const build = "build it with gpu/device/build.sh and put it beside gatebot"

func (h *Host) gpu(ctx context.Context) doctor.Outcome {
	inv, err := device.ReadInventory(ctx, h.Exe)
	switch {
	case errors.Is(err, device.ErrNoCUDA) && h.Require:
		return doctor.Broken(build+"; see whether nvidia-smi shows the device", "%v", err)
	case errors.Is(err, device.ErrNoCUDA):
		return doctor.None("%v; only the scan, the hook and the server work here", err)
	case err != nil:
		return doctor.Broken("see whether nvidia-smi answers", "%v", err)
	}
	h.inventory = inv
	o := doctor.Good("%s", devices(inv))
	for _, d := range inv.Devices {
		if d.Error != "" {
			o.Status, o.Do = doctor.Warn, "see what holds it: nvidia-smi"
			o.More = append(o.More, fmt.Sprintf("device %d: %s", d.Index, d.Error))
		}
	}
	return o
}

func devices(inv *device.Inventory) string {
	var names []string
	for _, d := range inv.Devices {
		names = append(names, fmt.Sprintf("%s (compute capability %s, %d of %d MiB free)", d.Name, d.ComputeCapability, d.FreeBytes>>20, d.TotalBytes>>20))
	}
	return fmt.Sprintf("%s; driver %s, CUDA %s", strings.Join(names, ", "), inv.Driver, inv.CUDA)
}

func (h *Host) device(context.Context) doctor.Outcome {
	if h.Config == nil || h.Config.Device == (config.Device{}) {
		return doctor.None("the configuration asks for no device")
	}
	var why []string
	for i := range h.inventory.Devices {
		err := device.Fits(h.inventory.Device(i), h.Config.Device.Name, h.Config.Device.MinComputeCapability)
		if err == nil {
			return doctor.Good("device %d, %s", i, h.inventory.Devices[i].Name)
		}
		why = append(why, err.Error())
	}
	return doctor.Failed("run the gate on another machine, or change device in "+config.FileName, "%s", strings.Join(why, "; "))
}

// healthy also looks when CUDA does not answer: that is when it matters.
func (h *Host) healthy(ctx context.Context) doctor.Outcome {
	health, err := device.ReadHealth(ctx)
	switch {
	case errors.Is(err, device.ErrNoHealth) && h.inventory == nil, errors.Is(err, device.ErrNoCUDA) && h.inventory == nil:
		return doctor.None("%v", err)
	case errors.Is(err, device.ErrNoHealth):
		return doctor.Warned("install nvidia-smi, or let the container have it", "%v: ECC errors and other processes stay unseen", err)
	case err != nil:
		return doctor.Broken("see nvidia-smi -q", "%v", err)
	}
	o := doctor.Good("%d devices without a fault that the driver reports", len(health.Devices))
	for i, d := range health.Devices {
		for _, p := range health.Problems(i, device.Since) {
			o.More = append(o.More, fmt.Sprintf("device %s: %s (%s)", d.Bus, p.What, p.Do))
			switch {
			case p.Fatal:
				o.Status, o.Infra, o.What, o.Do = doctor.Fail, true, "a device is not to be trusted", "no job may run on it until that is mended"
			case o.Status == doctor.OK:
				o.Status, o.What = doctor.Warn, "nothing that keeps a device from being used"
			}
		}
	}
	if health.NoXids != "" {
		o.More = append(o.More, health.NoXids)
	}
	if health.Partly != "" {
		o.More = append(o.More, health.Partly)
	}
	return o
}

func (h *Host) probe(context.Context) doctor.Outcome {
	path, err := probelib.Find()
	if err != nil {
		return doctor.Failed("make build puts it into bin/", "%v", err)
	}
	return doctor.Good("%s", path)
}

// canary runs on every device, from Go and from Python.
func (h *Host) canary(ctx context.Context) doctor.Outcome {
	var all doctor.Outcome
	for i := range h.inventory.Devices {
		o := h.canaryOn(ctx, i)
		switch {
		case i == 0 || o.Status == doctor.Fail:
			all = o
		case o.Status == doctor.OK:
			all.What += fmt.Sprintf("; device %d: %s", i, o.What)
		}
		if o.Status == doctor.Fail {
			all.What = fmt.Sprintf("device %d: %s", i, o.What)
			break
		}
	}
	return all
}

func (h *Host) canaryOn(ctx context.Context, index int) doctor.Outcome {
	r, err := device.RunCanary(ctx, device.CanaryRequest{Exe: h.Exe, Index: index, Python: h.Python})
	if err != nil {
		return doctor.Broken("run gatebot-gpu canary by hand", "%v", err)
	}
	var caught int
	var more []string
	for _, s := range r.Steps {
		if s.Status == finding.StatusPass {
			caught++
			continue
		}
		more = append(more, s.Name+": "+s.Reason)
	}
	switch {
	case r.Status == finding.StatusFail:
		return doctor.Outcome{Status: doctor.Fail, What: r.Reason, More: more,
			Do: "no result of this machine is worth anything until the canary passes"}
	case r.Status != finding.StatusPass:
		return doctor.Outcome{Status: doctor.Fail, Infra: true, What: "the canary did not come to its end: " + r.Reason, More: more,
			Do: "run gatebot-gpu canary by hand"}
	case r.Python == nil:
		return doctor.Good("%d steps in Go", caught)
	case r.Python.Status != finding.StatusPass:
		return doctor.Warned("name the interpreter that has torch: step.python in "+config.FileName+", or --python",
			"%d steps in Go; the part in Python did not run: %s", caught, r.Python.Reason)
	}
	return doctor.Good("%d steps in Go and in Python %s with torch %s", caught, r.Python.Version, r.Python.Torch)
}
