package webhook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// stuckFor is how long a record may rest in a state that needs this process to act, before the sweeper acts. Its event
// is retried too; the sweeper is for events that are lost or given up.
const stuckFor = 2 * time.Minute

// resultFor is the same for an outcome whose result is delivered again until it is through.
const resultFor = 10 * time.Minute

// sweep looks at every record: it resumes what is stuck, ends what is past its deadline, forgets what is old and counts
// the rest. At the start of the only process nothing can be under way, so everything unfinished is resumed at once.
func (p *planner) sweep(ctx context.Context, start bool) error {
	keys, err := p.q.Keys(ctx, queue.BucketJobs)
	if err != nil {
		return err
	}
	c := &census{states: map[State]int{}, waiting: map[string]time.Time{}, queued: map[string][]place{}}
	lines := map[string][]*Record{}
	running := map[string]int{}
	for _, key := range keys {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r, err := p.sweepOne(ctx, key, start)
		if err != nil {
			p.log.WarnContext(ctx, "sweep: trying again later", "key", key, "error", err)
		}
		if r == nil {
			continue
		}
		c.states[r.State]++
		if p.wantsEarly(r) && start { // of before the start of this process
			p.queued.add(key)
		}
		switch {
		case r.State != StateQueued:
		case r.InProgress:
			running[r.Pool]++
			p.running.add(key) // of before the start of this process
		default:
			lines[r.Pool] = append(lines[r.Pool], r)
		}
	}
	for pool, line := range lines {
		slices.SortFunc(line, before)
		c.waiting[pool] = line[0].Job.Enqueued
		for _, r := range line {
			c.queued[pool] = append(c.queued[pool], place{r.Key, r.Job.Enqueued})
			if r.Job.Enqueued.Before(c.waiting[pool]) {
				c.waiting[pool] = r.Job.Enqueued
			}
		}
	}
	p.counted.Store(c)
	for pool, line := range lines {
		for i, r := range line {
			if err := p.tellPosition(ctx, r.Key, i+1, len(line), running[pool]); err != nil && ctx.Err() == nil {
				p.log.InfoContext(ctx, "place in the queue not shown", "key", r.Key, "error", err)
				break // the next ones would hear the same
			}
		}
	}
	return nil
}

// before orders waiting jobs as runners take them: merge groups hold up everybody behind them.
func before(a, b *Record) int {
	return cmp.Or(cmp.Compare(rank(a), rank(b)), a.Job.Enqueued.Compare(b.Job.Enqueued), cmp.Compare(a.Key, b.Key))
}

func rank(r *Record) int {
	switch {
	case r.Trigger == "merge_group":
		return 0
	case r.PR > 0:
		return 1
	}
	return 2
}

func (p *planner) tellPosition(ctx context.Context, key string, at, of, running int) error {
	unlock, ok := p.try(ctx, key)
	if !ok {
		return nil
	}
	defer unlock()
	r, rev, err := p.load(ctx, key)
	if err != nil || r.State != StateQueued || r.InProgress {
		return ignoreMissing(err)
	}
	return p.position(ctx, r, rev, at, of, running)
}

// sweepOne returns the record as it was found, nil when it is gone or in somebody's hands.
func (p *planner) sweepOne(ctx context.Context, key string, start bool) (*Record, error) {
	r, _, err := p.load(ctx, key)
	if err != nil {
		return nil, ignoreMissing(err)
	}
	if !p.due(r, start) {
		return r, nil
	}
	unlock, ok := p.try(ctx, key)
	if !ok {
		return r, nil // somebody is at work on it
	}
	defer unlock()
	r, rev, err := p.load(ctx, key)
	if err != nil {
		return nil, ignoreMissing(err)
	}
	if !p.due(r, start) {
		return r, nil
	}
	switch r.State {
	case StateDone:
		return nil, errors.Join(ignoreMissing(p.q.Delete(ctx, queue.BucketHeads, commitKey(r.Repo.ID, r.Head))),
			ignoreMissing(p.q.Delete(ctx, queue.BucketJobs, key)))
	case StateQueued:
		if why := p.overdue(r); why != "" {
			return r, p.complete(ctx, r, rev, timedOut(why))
		}
		return r, p.moveOn(ctx, r, rev)
	case StateCompleting:
		return r, p.send(ctx, r, rev, nil)
	}
	p.log.InfoContext(ctx, "resuming", "key", key, "state", r.State)
	return r, p.drive(ctx, r, rev, false)
}

// due reports whether a record needs the sweeper.
func (p *planner) due(r *Record, start bool) bool {
	rest := p.now().Sub(r.Updated)
	switch r.State {
	case StateDone:
		return rest > p.policy.KeepRecord
	case StateQueued:
		return p.overdue(r) != "" || p.stranded(r)
	case StateCompleting:
		if r.Final != nil && r.Final.Result && rest < resultFor {
			return false
		}
	}
	return start || rest > stuckFor
}

// overdue says which time limit a queued job is past, or "". The limit of a running job is the runner's business first;
// ours is later by the grace and ends what a runner never will.
func (p *planner) overdue(r *Record) string {
	age, limit := p.now().Sub(r.Job.Enqueued), p.policy.QueueMax
	reason := fmt.Sprintf("no runner of pool %s took the job within %s", r.Pool, limit)
	if r.InProgress {
		age, limit = p.now().Sub(r.Updated), r.Job.Timeout+p.policy.Grace
		reason = fmt.Sprintf("a runner took the job and sent no result within %s", limit)
	}
	if age <= limit {
		return ""
	}
	return reason
}
