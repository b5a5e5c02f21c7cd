package webhook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

// stuckFor is how long a record may rest in a state that needs this process to act, before the sweeper acts. Its event
// is retried too; the sweeper is for events that are lost or given up.
const stuckFor = 2 * time.Minute

// resultFor is the same for an outcome whose result is delivered again until it is through.
const resultFor = 10 * time.Minute

// sweep looks at every record: it resumes what is stuck, ends what is past its deadline and forgets what is old. At the
// start of the process nothing can be under way, so everything unfinished is resumed at once.
func (p *planner) sweep(ctx context.Context, start bool) error {
	keys, err := p.q.Keys(ctx, queue.BucketJobs)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := p.sweepOne(ctx, key, start); err != nil {
			p.log.WarnContext(ctx, "sweep: trying again later", "key", key, "error", err)
		}
	}
	return nil
}

func (p *planner) sweepOne(ctx context.Context, key string, start bool) error {
	unlock, ok := p.locks.try(key)
	if !ok {
		return nil // somebody is at work on it
	}
	defer unlock()
	r, rev, err := p.load(ctx, key)
	if err != nil {
		return ignoreMissing(err)
	}
	rest := p.now().Sub(r.Updated)
	switch r.State {
	case StateDone:
		if rest > p.policy.KeepRecord {
			return errors.Join(ignoreMissing(p.q.Delete(ctx, queue.BucketHeads, commitKey(r.Repo.ID, r.Head))),
				ignoreMissing(p.q.Delete(ctx, queue.BucketJobs, key)))
		}
	case StateQueued:
		return p.sweepQueued(ctx, r, rev)
	case StateCompleting:
		switch {
		case r.Final != nil && r.Final.Result && rest < resultFor:
		case start, rest > stuckFor:
			return p.send(ctx, r, rev, nil)
		}
	default:
		if start || rest > stuckFor {
			p.log.InfoContext(ctx, "resuming", "key", key, "state", r.State)
			return p.drive(ctx, r, rev, false)
		}
	}
	return nil
}

// sweepQueued enforces the time limits of waiting and running. The limit of a running job is the runner's business
// first; ours is later by the grace and ends what a runner never will.
func (p *planner) sweepQueued(ctx context.Context, r *Record, rev uint64) error {
	age := p.now().Sub(r.Job.Enqueued)
	limit := p.policy.QueueMax
	reason := fmt.Sprintf("no runner of pool %s took the job within %s", r.Pool, limit)
	if r.InProgress {
		age, limit = p.now().Sub(r.Updated), r.Job.Timeout+p.policy.Grace
		reason = fmt.Sprintf("a runner took the job and sent no result within %s", limit)
	}
	switch {
	case age > limit:
		return p.complete(ctx, r, rev, timedOut(reason))
	case !r.InProgress && !r.Warned && age > p.policy.QueueWarn:
		r.Warned = true
		if _, err := p.save(ctx, r, rev); err != nil {
			return err
		}
		return p.gh.UpdateRun(ctx, ghRepo(r.Repo), r.RunID, r.Check, github.StatusQueued, github.Output{
			Title: "waiting for a runner: none has answered yet",
			Summary: fmt.Sprintf("No runner of pool `%s` has answered for %s. The check ends as timed out after %s.\n\nIs a runner "+
				"connected? `gatebot doctor` on the runner's machine says what keeps it.", r.Pool, age.Round(time.Minute), p.policy.QueueMax),
		})
	}
	return nil
}
