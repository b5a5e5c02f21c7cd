package webhook

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gatebot/gatebot/internal/crash"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

// finish ends the job of a key unless it has ended.
func (p *planner) finish(ctx context.Context, key string, o Outcome) error {
	unlock, err := p.lock(ctx, key)
	if err != nil {
		return err
	}
	defer unlock()
	r, rev, err := p.load(ctx, key)
	if err != nil {
		return ignoreMissing(err)
	}
	if r.State == StateDone {
		return nil
	}
	return p.complete(ctx, r, rev, o)
}

// complete decides the round's outcome, if nothing has before, and sends it. The caller holds the key's lock.
func (p *planner) complete(ctx context.Context, r *Record, rev uint64, o Outcome) error {
	if r.Final == nil {
		if o.infra && p.policy.PassOnInfra { // an open gate, because the operator wrote it out
			o.Conclusion = github.Success
			o.Output.Title = "let through without a verdict: " + o.Output.Title
			p.audit(ctx, "let through without a verdict", "key", r.Key, "pr", r.PR, "head", r.Head, "title", o.Output.Title)
		}
		r.Final = &Final{
			Conclusion: o.Conclusion, Title: o.Output.Title, Held: o.held, Open: o.infra && p.policy.PassOnInfra, Result: o.fromResult,
			Summary: github.Truncate(o.Output.Summary, maxKeptSummary, github.TruncationNote),
		}
		r.State, r.Updated, r.Reused = StateCompleting, p.now(), o.reused
		var err error
		if rev, err = p.save(ctx, r, rev); err != nil {
			return fmt.Errorf("record %s: %w", r.Key, err)
		}
	}
	crash.At(crash.RunCompleting)
	return p.send(ctx, r, rev, &o)
}

// maxKeptSummary bounds what a record holds in bytes; GitHub has the whole of it.
const maxKeptSummary = 4096

// send brings GitHub to the decided outcome. full is the outcome with everything that the record does not keep; it is
// ignored when it is not the one that was decided.
func (p *planner) send(ctx context.Context, r *Record, rev uint64, full *Outcome) error {
	c := github.Completion{
		Conclusion: r.Final.Conclusion, Actions: buttons(r.Final.Held),
		Output: github.Output{Title: r.Final.Title, Summary: r.Final.Summary},
	}
	if full != nil && full.Conclusion == r.Final.Conclusion && full.Output.Title == r.Final.Title {
		c.Output, c.Annotations = full.Output, full.Annotations
	}
	if err := p.callOff(ctx, r); err != nil {
		return err
	}
	if err := p.tell(ctx, r, c); err != nil {
		return err
	}
	if r.Job != nil {
		// A runner that takes the job of a finished record finds no bundle and leaves it.
		if err := p.q.DeleteBlob(ctx, r.Job.Bundle.Name); err != nil && !errors.Is(err, queue.ErrNotFound) {
			p.log.WarnContext(ctx, "bundle not deleted", "key", r.Key, "error", err)
		}
	}
	if full != nil && len(full.checks) > 0 && !r.Final.Gone {
		p.families(ctx, r, full.checks, false)
	}
	r.State, r.Updated, r.Final.Summary = StateDone, p.now(), ""
	if _, err := p.save(ctx, r, rev); err != nil {
		return fmt.Errorf("record %s: %w", r.Key, err)
	}
	p.log.InfoContext(ctx, "job done", "key", r.Key, "run", r.RunID, "head", r.Head, "pr", r.PR,
		"conclusion", r.Final.Conclusion, "title", r.Final.Title)
	p.finished(r)
	return nil
}

// callOff leaves word for the runner that has a record's job, or will get it, that nobody waits for it any more: it ends the
// job within seconds. GitHub need not have heard of it yet.
func (p *planner) callOff(ctx context.Context, r *Record) error {
	notes, ok := p.q.(queue.Notes)
	if !ok || r.Job == nil || r.Final.Result { // a result came from whoever had it
		return nil
	}
	if err := queue.CancelJob(ctx, notes, r.Pool, "", r.Job.ID, r.Final.Title); err != nil {
		return fmt.Errorf("record %s: %w", r.Key, err)
	}
	return nil
}

// buttons are what a completed run offers.
func buttons(held bool) []github.Action {
	if held {
		return []github.Action{approveButton}
	}
	return []github.Action{rerunButton}
}

// ref addresses the record's check run.
func (p *planner) ref(r *Record) github.RunRef {
	return github.RunRef{ID: r.RunID, SHA: r.Head, Name: r.Check, PR: r.PR, DetailsURL: p.details(r)}
}

// tellFor is how long GitHub may refuse an outcome before we stop: an App that was uninstalled meanwhile never will.
const tellFor = 24 * time.Hour

// tell completes the check run and adds what annotations are left. A run or commit that GitHub no longer has (pushed
// away, repository deleted) is as done as it can be.
func (p *planner) tell(ctx context.Context, r *Record, c github.Completion) error {
	gone := func(err error) error {
		if err == nil || ctx.Err() != nil {
			return err
		}
		late := errors.Is(err, github.ErrNotYet) && p.now().Sub(r.Created) > p.policy.NotYetFor
		if errors.Is(err, github.ErrGone) || late || p.now().Sub(r.Updated) > tellFor {
			p.log.ErrorContext(ctx, "GitHub does not take the outcome", "key", r.Key, "run", r.RunID, "error", err)
			r.Final.Gone = true
			return nil
		}
		return err
	}
	if r.RunID == 0 {
		id, err := p.ensureRun(ctx, r, false)
		if err != nil {
			return gone(err)
		}
		r.RunID = id
	}
	repo := ghRepo(r.Repo)
	if err := p.gh.CompleteRun(ctx, repo, p.ref(r), c); err != nil {
		return gone(err)
	}
	crash.At(crash.RunCompleted)
	return gone(p.gh.AppendAnnotations(ctx, repo, p.ref(r), c))
}

// fenced makes text safe inside a code fence of three backticks.
func fenced(s string) string { return strings.ReplaceAll(s, "```", "'''") }
