package canary

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/gpu/probelib"
	"github.com/gatebot/gatebot/gpu/trial"
	"github.com/gatebot/gatebot/internal/finding"
)

// Options says in what the Python part runs.
type Options struct {
	Python  string        // interpreter; None leaves the part out
	Require bool          // no torch, or no probe, is an error and not a remark
	Timeout time.Duration // of all steps; 0: three minutes
	Keep    string        // folder for what was recorded; empty: nothing is kept
}

// None as the interpreter leaves the Python part out.
const None = "none"

// Add runs the Python part on the device of r and adds it to the report. Where it cannot be run, the report says so; it
// is never called passed.
func Add(ctx context.Context, r *device.Report, o Options) {
	if o.Python == None {
		r.Conclude()
		return
	}
	if o.Timeout <= 0 {
		o.Timeout = 3 * time.Minute
	}
	began := time.Now()
	r.Python = &device.Python{Interpreter: o.Python, Status: finding.StatusPass}
	o.add(ctx, r)
	r.Python.DurationMS = time.Since(began).Milliseconds()
	r.DurationMS += r.Python.DurationMS
	r.Conclude()
	if r.Python.Status == finding.StatusNotRun && o.Require {
		r.Status, r.Reason = finding.StatusError, "python: "+r.Python.Reason
	}
}

func (o Options) add(ctx context.Context, r *device.Report) {
	p := r.Python
	missing := func(err error) { p.Status, p.Reason = finding.StatusNotRun, err.Error() }
	if _, err := exec.LookPath(o.Python); err != nil {
		missing(fmt.Errorf("%w (name the interpreter that has torch with --python)", err))
		return
	}
	library, err := probelib.Find()
	if err != nil {
		missing(err)
		return
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("the Python part took longer than %s", o.Timeout))
	defer cancel()
	to := trial.Options{Python: o.Python, Probe: library, Keep: o.Keep}
	if r.Device.Index != 0 {
		to.Env = append(to.Env, "CUDA_VISIBLE_DEVICES="+r.Device.UUID)
	}
	torch, results, err := trial.Run(ctx, to, cases())
	p.Version, p.Torch, p.CUDA = torch.Python, torch.Version, torch.CUDA
	switch {
	case errors.Is(err, trial.ErrNoTorch):
		missing(err)
		return
	case err != nil:
		p.Status, p.Reason = finding.StatusError, err.Error()
		r.Steps = append(r.Steps, device.Step{Name: "python", Status: finding.StatusError, Reason: err.Error()})
		return
	}
	for i, res := range results {
		s := judge(plants[i], res, r.Disabled)
		if s.Status != finding.StatusPass && p.Status != finding.StatusError && p.Status != s.Status {
			p.Status, p.Reason = s.Status, s.Name+": "+s.Reason
		}
		r.Steps = append(r.Steps, s)
	}
}
