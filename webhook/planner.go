package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

// planner decides which commits are checked, and drives their records. Its fields are set once.
type planner struct {
	store
	gh      GitHub
	mirrors Mirrors
	bundle  Bundle
	parse   ParseConfig
	policy  Policy
	tmp     string              // directory for bundles on their way to the queue
	pools   map[string][]string // runner → pools it serves; nil when runners are not told apart
	inspect Inspect             // nil: nothing is said about the source of held commits
	scans   chan struct{}       // so many inspections at once
	explain func(rule string) (text string, ok bool)
	trail   *auditLog // nil: none
	metrics *Metrics
	pages   *pages // nil: no details pages
	counted atomic.Pointer[census]
	running someKeys // jobs that runners have
	queued  someKeys // jobs whose source may be told of early
	log     *slog.Logger
	now     func() time.Time
}

// Plan acts on one event. It may be called again with the same event; an error means that it should be.
func (p *planner) Plan(ctx context.Context, ev queue.Event, t Trigger) error {
	switch t.Kind {
	case KindNone:
		p.log.InfoContext(ctx, "nothing to do", "reason", t.Reason)
		return nil
	case KindCancel:
		return p.planCancel(ctx, t)
	case KindRerun:
		return p.buttonRefused(ctx, t, p.planRerun(ctx, ev, t))
	case KindAction:
		return p.planAction(ctx, ev, t)
	case KindCommand:
		return p.planCommand(ctx, ev, t)
	case KindSweep:
		return p.sweepInstallation(ctx, t.Repo.Installation)
	case KindCheck, KindLand:
		if t.PR > 0 {
			return p.planPull(ctx, ev, t)
		}
		return p.want(ctx, ev, p.record(t))
	}
	return fmt.Errorf("plan: no such kind %q", t.Kind)
}

// record is what a new record for t's commit looks like.
func (p *planner) record(t Trigger) Record {
	ref := t.HeadRef
	if t.PR > 0 {
		ref = fmt.Sprintf("refs/pull/%d/head", t.PR)
	}
	return Record{
		Key: jobKey(t.Repo.ID, t.Head, t.Base, p.policy.Check), Check: p.policy.Check, Pool: p.policy.Pool,
		Repo: t.Repo, Head: t.Head, HeadRef: ref, Base: t.Base, BaseRef: t.BaseRef, PR: t.PR, Trigger: t.Event,
	}
}

// planPull looks at the pull request as it is now: events come late, twice and out of order. Its newest head is the one
// that counts; unfinished jobs of older ones are cancelled.
func (p *planner) planPull(ctx context.Context, ev queue.Event, t Trigger) error {
	pr, err := p.gh.Pull(ctx, ghRepo(t.Repo), t.PR)
	switch {
	case errors.Is(err, github.ErrGone) && p.now().Sub(ev.Received) > p.policy.Lag:
		p.log.InfoContext(ctx, "pull request is gone", "pr", t.PR)
		return nil
	case err != nil:
		return err
	case !pr.Open:
		p.log.InfoContext(ctx, "pull request is closed", "pr", t.PR)
		return nil
	case pr.Draft:
		p.log.InfoContext(ctx, "pull request is a draft", "pr", t.PR)
		return nil
	case pr.Head != t.Head:
		if p.now().Sub(ev.Received) <= p.policy.Lag { // GitHub may be behind its own webhook: never conclude from that
			return fmt.Errorf("pull request %d is at %.12s, the event says %.12s: %w", t.PR, pr.Head, t.Head, github.ErrNotYet)
		}
		p.log.InfoContext(ctx, "stale: the pull request has moved on", "pr", t.PR, "head", t.Head, "now", pr.Head)
		return nil
	}
	rec := p.record(t)
	rec.Fork = pr.HeadRepo != t.Repo.ID // a fork that was deleted meanwhile is still one
	rec.Author = pr.Author
	if t.Action == "synchronize" {
		rec.Pusher = t.Sender
	}
	var old []string
	pull := pullKey(t.Repo.ID, t.PR)
	err = change(ctx, &p.store, queue.BucketHeads, pull, func(h *pullHead) bool {
		old = slices.DeleteFunc(slices.Clone(h.Keys), func(k string) bool { return k == rec.Key })
		if h.Head == t.Head && slices.Contains(h.Keys, rec.Key) {
			return false
		}
		h.Head, h.Keys = t.Head, append(old, rec.Key)
		return true
	})
	if err != nil {
		return err
	}
	// The new job does not wait for the old ones' check runs, nor the other way round.
	return errors.Join(p.want(ctx, ev, rec), p.cancelKeys(ctx, pull, t.PR, old, superseded(t.Head, t.BaseRef)))
}

// cancelKeys takes back what a pull request wanted of keys and forgets them.
func (p *planner) cancelKeys(ctx context.Context, pull string, pr int, keys []string, o Outcome) error {
	if len(keys) == 0 {
		return nil
	}
	for _, key := range keys {
		if err := p.leave(ctx, key, pr, o); err != nil {
			return err
		}
	}
	return change(ctx, &p.store, queue.BucketHeads, pull, func(h *pullHead) bool {
		h.Keys = slices.DeleteFunc(h.Keys, func(k string) bool { return slices.Contains(keys, k) })
		return true
	})
}

// planCancel ends what nobody waits for any more.
func (p *planner) planCancel(ctx context.Context, t Trigger) error {
	if t.PR > 0 {
		pull := pullKey(t.Repo.ID, t.PR)
		var h pullHead
		if _, err := p.read(ctx, queue.BucketHeads, pull, &h); err != nil {
			return ignoreMissing(err)
		}
		return p.cancelKeys(ctx, pull, t.PR, h.Keys, withdrawn(t.Reason))
	}
	var c commitJob
	if _, err := p.read(ctx, queue.BucketHeads, commitKey(t.Repo.ID, t.Head), &c); err != nil {
		return ignoreMissing(err)
	}
	return p.finish(ctx, c.Key, withdrawn(t.Reason))
}

func ignoreMissing(err error) error {
	if errors.Is(err, queue.ErrNotFound) {
		return nil
	}
	return err
}

// want makes sure that there is a job for rec's content, and a new round of it when the last one ended without a
// verdict and this event is news.
func (p *planner) want(ctx context.Context, ev queue.Event, rec Record) error {
	unlock, err := p.lock(ctx, rec.Key)
	if err != nil {
		return err
	}
	defer unlock()
	rec.Round, rec.Attempt, rec.State = 1, 1, StatePlanned
	if rec.PR > 0 {
		rec.Claims = []int{rec.PR}
	}
	rec.Delivery, rec.Created, rec.Updated = ev.Delivery, p.now(), p.now()
	r, fresh := &rec, true
	rev, err := p.create(ctx, r)
	if errors.Is(err, queue.ErrExists) {
		fresh = false
		if r, rev, err = p.load(ctx, rec.Key); err != nil {
			return err
		}
		joined := r.join(&rec)
		switch {
		case r.State == StateDone && !r.Verdict() && r.Delivery != ev.Delivery && (ev.Received.After(r.Updated) || r.heldForFork(&rec)):
			r.Repo, r.BaseRef = rec.Repo, rec.BaseRef
			r.speaker(&rec)
			rev, err = p.newRound(ctx, r, rev, ev.Delivery)
			fresh = true
		case joined:
			rev, err = p.save(ctx, r, rev)
		}
	}
	if err != nil {
		return err
	}
	return p.point(ctx, r, rev, fresh)
}

// point makes the commit findable and drives its record.
func (p *planner) point(ctx context.Context, r *Record, rev uint64, fresh bool) error {
	err := change(ctx, &p.store, queue.BucketHeads, commitKey(r.Repo.ID, r.Head), func(c *commitJob) bool {
		changed := c.Key != r.Key
		c.Key = r.Key
		return changed
	})
	if err != nil {
		return err
	}
	return p.drive(ctx, r, rev, fresh)
}

// newRound starts a record over with a check run of its own.
func (p *planner) newRound(ctx context.Context, r *Record, rev uint64, delivery string) (uint64, error) {
	r.Round, r.Attempt, r.Infra, r.Epoch, r.To, r.Failed = r.Round+1, r.Attempt+1, 0, 0, "", nil
	r.State, r.RunID, r.Job, r.Final, r.InProgress, r.Warned = StatePlanned, 0, nil, nil, false, false
	r.ApprovedBy, r.GateChanged, r.Shown, r.Position, r.Told, r.Phase = nil, nil, nil, 0, time.Time{}, ""
	r.Delivery, r.Created, r.Updated = delivery, p.now(), p.now()
	return p.save(ctx, r, rev)
}
