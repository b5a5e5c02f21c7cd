package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Quarantine is why a runner takes no jobs. It lies in the work directory and outlives the process.
type Quarantine struct {
	Reason string    `json:"reason"`
	Since  time.Time `json:"since"`
	Manual bool      `json:"manual,omitempty"` // set by an operator: only an operator ends it
}

func quarantineName(work string) string { return filepath.Join(work, "quarantine.json") }

// SetQuarantine takes a runner out of work; it finishes the job at hand. With an empty reason it lets a runner in again
// at once, without a look at the device: that comes before its next job anyway.
func SetQuarantine(work, reason string) error {
	if reason == "" {
		if err := os.Remove(quarantineName(work)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("runner: quarantine: %w", err)
		}
		return nil
	}
	return putQuarantine(work, Quarantine{Reason: reason, Since: time.Now().UTC(), Manual: true})
}

func putQuarantine(work string, q Quarantine) error {
	data, err := json.Marshal(q)
	if err == nil {
		err = writeSynced(quarantineName(work), data)
	}
	if err != nil {
		return fmt.Errorf("runner: quarantine: %w", err)
	}
	return nil
}

// ReadQuarantine is nil when there is none. A file that cannot be read keeps the runner out: fail closed.
func ReadQuarantine(work string) *Quarantine {
	data, err := os.ReadFile(quarantineName(work))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var q Quarantine
	if err == nil {
		err = json.Unmarshal(data, &q)
	}
	if err != nil {
		return &Quarantine{Reason: "quarantine.json cannot be read: " + err.Error(), Manual: true}
	}
	return &q
}

// quarantine takes this runner out of work until its devices are well again.
func (r *runner) quarantine(reason error) {
	r.log.Error("runner: quarantined, it takes no jobs until the device is well again", "reason", reason)
	r.sang = time.Time{}
	r.tries, r.again = 0, time.Now().Add(r.Health.Retry)
	if err := putQuarantine(r.WorkDir, Quarantine{Reason: reason.Error(), Since: time.Now().UTC()}); err != nil {
		r.log.Error("runner: the quarantine would not outlive a restart", "error", err)
		r.out = reason.Error()
	}
}

// admitted reports whether the runner may take jobs, after a look at its devices when the time for one has come.
func (r *runner) admitted(ctx context.Context) bool {
	q := ReadQuarantine(r.WorkDir)
	if q == nil && r.out == "" {
		if r.reason != "" { // an operator let it in
			r.log.Info("runner: let in again", "was", r.reason)
			r.xids.Reset()
			r.noteECC(ctx)
		}
		r.reason = ""
		return true
	}
	if q == nil {
		q = &Quarantine{Reason: r.out}
	}
	r.since, r.manual = q.Since, q.Manual
	if r.reason = q.Reason; q.Manual || time.Now().Before(r.again) {
		return false
	}
	if err := r.examine(ctx); err != nil {
		if ctx.Err() != nil {
			return false
		}
		r.tries++
		wait := r.Health.Retry << min(r.tries, 4)
		r.again = time.Now().Add(wait)
		r.log.Warn("runner: still quarantined", "reason", err, "since", q.Since, "again_in", wait)
		return false
	}
	r.log.Info("runner: the device is well again", "was", q.Reason)
	r.out, r.reason = "", ""
	if err := SetQuarantine(r.WorkDir, ""); err != nil {
		r.log.Error("runner: "+err.Error(), "error", err)
		return false
	}
	return true
}

// resetFor is how long the operator's command may take.
const resetFor = 5 * time.Minute

// examine is all that a runner can find out about itself: devices, canary, sandbox.
func (r *runner) examine(ctx context.Context) error {
	if len(r.Health.Reset) > 0 {
		rctx, cancel := context.WithTimeout(ctx, resetFor)
		defer cancel()
		if out, err := exec.CommandContext(rctx, r.Health.Reset[0], r.Health.Reset[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("health.reset %s: %w: %.200s", r.Health.Reset[0], err, strings.TrimSpace(string(out)))
		}
	}
	r.xids.Reset()
	r.sang = time.Time{}
	if err := r.ready(ctx); err != nil { // memory errors still count: only a reset of the card takes them back
		return err
	}
	if err := r.chooseSandbox(ctx); err != nil {
		return err
	}
	r.noteECC(ctx)
	return nil
}

// ready is nil when the devices can take a job.
func (r *runner) ready(ctx context.Context) error {
	if err := r.fit(ctx); err != nil {
		return err
	}
	return r.sing(ctx)
}

// maxFaults in a row make a runner doubt itself.
const maxFaults = 2

// count looks at the whole machine after several jobs in a row that infrastructure spoilt. Broken code can look like
// that too, so it is no proof: what the look finds is.
func (r *runner) count(ctx context.Context, infra bool, reason string) {
	if !infra {
		r.faults = 0
		return
	}
	if r.faults++; r.faults < maxFaults {
		return
	}
	r.faults = 0
	r.log.Warn("runner: several jobs in a row without a verdict, looking at this machine", "last", reason)
	if err := r.examine(ctx); err != nil && ctx.Err() == nil {
		r.quarantine(fmt.Errorf("%d jobs in a row without a verdict, and %w", maxFaults, err))
	}
}
