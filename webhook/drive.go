package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gatebot/gatebot/internal/crash"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

// drive takes a record from where it stands to the queue. The caller holds the key's lock. fresh says that this process
// has just begun the round, so that no check run can exist yet.
func (p *planner) drive(ctx context.Context, r *Record, rev uint64, fresh bool) error {
	for {
		switch r.State {
		case StatePlanned:
			id, err := p.ensureRun(ctx, r, fresh)
			if err != nil {
				return p.patience(ctx, r, rev, err)
			}
			r.RunID, r.State = id, StateCreated
		case StateCreated:
			job, end, err := p.prepare(ctx, r)
			switch {
			case err != nil:
				return p.patience(ctx, r, rev, err)
			case end != nil:
				return p.complete(ctx, r, rev, *end)
			}
			r.Job, r.State = job, StateBundled
		case StateBundled:
			if err := p.publish(ctx, r); err != nil {
				return p.patience(ctx, r, rev, err)
			}
			r.State = StateQueued
			if p.wantsEarly(r) {
				p.queued.add(r.Key)
			}
		case StateCompleting:
			if r.Final != nil && r.Final.Result {
				return nil // the result is delivered again until it is through
			}
			return p.send(ctx, r, rev, nil)
		default: // queued, done
			return nil
		}
		var err error
		r.Updated = p.now()
		if rev, err = p.save(ctx, r, rev); err != nil {
			return fmt.Errorf("record %s: %w", r.Key, err)
		}
		p.log.InfoContext(ctx, "job "+string(r.State), "key", r.Key, "run", r.RunID, "head", r.Head, "pr", r.PR, "attempt", r.Attempt)
	}
}

// ensureRun creates the round's check run, or adopts the one that an earlier try has left without telling us its id.
func (p *planner) ensureRun(ctx context.Context, r *Record, fresh bool) (int64, error) {
	repo := ghRepo(r.Repo)
	if !fresh {
		run, found, err := p.gh.FindRun(ctx, repo, r.Head, r.Check, r.ExternalID())
		if err != nil {
			return 0, err
		}
		if found {
			p.log.InfoContext(ctx, "adopted check run", "key", r.Key, "run", run.ID)
			return run.ID, nil
		}
	}
	run, err := p.gh.CreateRun(ctx, repo, github.NewRun{
		Name: r.Check, SHA: r.Head, ExternalID: r.ExternalID(), Status: github.StatusQueued, Output: waiting(r.Pool),
		DetailsURL: p.details(r),
	})
	if err != nil {
		return 0, err
	}
	crash.At(crash.RunCreated)
	return run.ID, nil
}

// publish puts the job into the queue. Its id makes a repetition harmless as long as the queue remembers it; after
// that, the attempt in the result does.
func (p *planner) publish(ctx context.Context, r *Record) error {
	data, err := json.Marshal(r.Job)
	if err != nil {
		return fmt.Errorf("job %s: %w", r.Job.ID, err)
	}
	sub := queue.JobSub(r.Pool, priority(r))
	if r.To != "" {
		sub = queue.ToSub(r.Pool, r.To)
	}
	if _, err := p.q.Publish(ctx, queue.Jobs, sub, r.Job.ID, data); err != nil {
		return err
	}
	crash.At(crash.JobStored)
	return nil
}

// patience passes a failure on to be tried again, until the round is too old for that: then it ends without a verdict.
func (p *planner) patience(ctx context.Context, r *Record, rev uint64, err error) error {
	age, limit := p.now().Sub(r.Created), p.policy.PlanFor
	vanished := errors.Is(err, github.ErrNotYet) || errors.Is(err, ErrNoRef) || errors.Is(err, github.ErrGone)
	if vanished {
		limit = p.policy.NotYetFor
	}
	if ctx.Err() != nil || age < limit {
		return err
	}
	p.log.ErrorContext(ctx, "giving up on a commit", "key", r.Key, "head", r.Head, "age", age, "error", err)
	o := infrastructure(err.Error())
	if vanished {
		o = withdrawn("the commit is not to be found at GitHub")
	}
	return p.complete(ctx, r, rev, o)
}

// priority: a merge group holds up everybody behind it, a second look at what has landed nobody.
func priority(r *Record) queue.Priority {
	switch {
	case r.Trigger == "merge_group":
		return queue.High
	case r.PR > 0:
		return queue.Normal
	case r.landed():
		return queue.Low
	}
	return queue.Normal
}
