package webhook

import (
	"context"
	"slices"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// toFor is how long a job waits for the runner that it was meant for before somebody else is looked for.
const toFor = time.Minute

// elsewhere picks the runner that another attempt is for: of those that were heard of lately, take jobs and have not spoilt
// an attempt of this round, one that is idle before one that is busy. A retry on the machine that failed says little. Where
// there is none it is "", and whoever is free takes the job, also the one that failed.
func (p *planner) elsewhere(ctx context.Context, r *Record) string {
	best := ""
	for _, s := range p.up(ctx, r.Pool) {
		switch {
		case slices.Contains(r.Failed, s.Name):
		case s.State == queue.RunnerIdle:
			return s.Name
		case best == "":
			best = s.Name
		}
	}
	return best
}

// up are the runners of a pool that take jobs, now or when they are done with the one they have.
func (p *planner) up(ctx context.Context, pool string) []queue.RunnerState {
	notes, ok := p.q.(queue.Notes)
	if !ok || p.pools == nil {
		return nil
	}
	states, err := queue.RunnerStates(ctx, notes, p.runnersOf(pool)...)
	if err != nil {
		p.log.WarnContext(ctx, "runners not looked at", "pool", pool, "error", err)
		return nil
	}
	return slices.DeleteFunc(states, func(s queue.RunnerState) bool {
		return !s.Fresh(p.now()) || s.State != queue.RunnerIdle && s.State != queue.RunnerBusy
	})
}

// stranded reports whether a job has waited for its one runner for too long to leave it at that.
func (p *planner) stranded(r *Record) bool {
	return r.State == StateQueued && r.To != "" && !r.InProgress && p.now().Sub(r.Updated) > toFor
}

// moveOn finds another runner for a stranded job when its own has gone, or somebody else is idle. The caller holds the key's
// lock.
func (p *planner) moveOn(ctx context.Context, r *Record, rev uint64) error {
	up := p.up(ctx, r.Pool)
	to := p.elsewhere(ctx, r)
	here := slices.ContainsFunc(up, func(s queue.RunnerState) bool { return s.Name == r.To })
	idle := slices.ContainsFunc(up, func(s queue.RunnerState) bool { return s.Name == to && s.State == queue.RunnerIdle })
	if to == r.To || here && !idle {
		return nil
	}
	old, was := r.Job.ID, r.To
	p.nextAttempt(r, to)
	rev, err := p.save(ctx, r, rev)
	if err != nil {
		return err
	}
	p.log.InfoContext(ctx, "job goes to another runner", "key", r.Key, "attempt", r.Attempt, "was", was, "to", to)
	if err := p.drive(ctx, r, rev, false); err != nil {
		return err
	}
	if notes, ok := p.q.(queue.Notes); ok { // what the old one sends would be dropped; this spares its device
		return queue.CancelJob(ctx, notes, r.Pool, "", old, "another runner has the job")
	}
	return nil
}
