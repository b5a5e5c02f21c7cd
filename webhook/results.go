package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

// handleResult brings one message of a runner back to its record. runner is who the queue says has sent it.
func (p *planner) handleResult(ctx context.Context, runner string, data []byte) error {
	var res queue.Result
	if err := json.Unmarshal(data, &res); err != nil {
		return &dropError{fmt.Sprintf("result of runner %s: %v", runner, err)}
	}
	if res.Key == "" || res.JobID == "" {
		return &dropError{"result of runner " + runner + " names no job"}
	}
	p.metrics.add("gatebot_results_total", 1, "class", string(res.Class))
	log := p.log.With("key", res.Key, "job", res.JobID, "attempt", res.Attempt, "epoch", res.Epoch, "runner", runner, "class", res.Class)
	unlock, err := p.lock(ctx, res.Key)
	if err != nil {
		return err
	}
	defer unlock()
	r, rev, err := p.load(ctx, res.Key)
	if err != nil {
		if ignoreMissing(err) == nil {
			return &dropError{"result for a job that is not known here: " + res.JobID}
		}
		return err
	}
	if !p.mayRun(runner, r.Pool) {
		return &dropError{fmt.Sprintf("runner %s sent a result for pool %s, which is not its own", runner, r.Pool)}
	}
	if err := p.newest(ctx, r); err != nil {
		return err
	}
	if why := fence(r, &res); why != "" {
		log.WarnContext(ctx, "late result dropped", "reason", why)
		return p.drive(ctx, r, rev, false) // the attempt after this one may not have got under way
	}
	if r.Epoch < res.Epoch {
		r.Epoch = res.Epoch
	}
	if res.Class == queue.ClassStarted {
		return p.started(ctx, r, rev, &res)
	}
	log.InfoContext(ctx, "result", "reason", res.Reason, "took", res.Finished.Sub(res.Started))
	o, reason := p.judge(ctx, r, &res)
	if o != nil {
		return p.complete(ctx, r, rev, *o)
	}
	return p.again(ctx, r, rev, runner, reason)
}

// newest brings the record up to the newest lease that was granted for its job, whether or not its runner has said so yet.
func (p *planner) newest(ctx context.Context, r *Record) error {
	grants, ok := p.q.(queue.Grants)
	if !ok || r.Job == nil {
		return nil
	}
	g, err := grants.Granted(ctx, r.Pool, "", r.Job.ID)
	if err != nil {
		return ignoreMissing(err) // one that was forgotten: the record's own word stands
	}
	r.Epoch = max(r.Epoch, g.Epoch)
	return nil
}

// fence says why a result is not of the present attempt, or "".
func fence(r *Record, res *queue.Result) string {
	switch {
	case r.State == StateDone:
		return "the job is done"
	case r.Job == nil || res.JobID != r.Job.ID || res.Attempt != r.Attempt:
		return fmt.Sprintf("the job is at attempt %d", r.Attempt)
	case res.Epoch < r.Epoch:
		return fmt.Sprintf("lease %d has taken over", r.Epoch)
	}
	return ""
}

// mayRun holds a sender against the pools it serves. With no list everybody may: the queue then runs in this process.
func (p *planner) mayRun(runner, pool string) bool {
	return p.pools == nil || slices.Contains(p.pools[runner], pool)
}

// judge decides what a result means for the check run: an outcome, or none and the reason, when infrastructure spoilt
// the attempt. A results file that is not about this commit is no verdict about it.
func (p *planner) judge(ctx context.Context, r *Record, res *queue.Result) (*Outcome, string) {
	switch res.Class {
	case queue.ClassTimeout:
		o := timedOut(orElse(res.Reason, "the time limit was hit"))
		return &o, ""
	case queue.ClassInfra:
		return nil, orElse(res.Reason, "the runner gave no reason")
	case queue.ClassVerdict:
	default:
		return nil, fmt.Sprintf("result of class %q (a runner of another version?)", res.Class)
	}
	results, err := finding.Read(res.Results)
	switch {
	case err != nil:
		return nil, err.Error()
	case results.Commit == "" && results.Tree == "":
		return nil, "results name neither commit nor tree"
	case results.Commit != "" && results.Commit != r.Head:
		return nil, fmt.Sprintf("results are about commit %.12s, not %.12s", results.Commit, r.Head)
	case results.Tree != "" && results.Tree != r.Job.Tree:
		return nil, fmt.Sprintf("results are about tree %.12s, not %.12s", results.Tree, r.Job.Tree)
	}
	o, reason := p.render(r, r.Job, results, res.Runner)
	if o != nil {
		o.fromResult = true
		p.remember(ctx, r, res.Runner, results, res.Results)
	}
	return o, reason
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// started notes the lease and tells GitHub once that the run is in progress.
func (p *planner) started(ctx context.Context, r *Record, rev uint64, res *queue.Result) error {
	tell := !r.InProgress && r.State == StateQueued
	r.InProgress, r.Updated, r.Runner, r.Told = true, p.now(), res.Runner, p.now()
	if _, err := p.save(ctx, r, rev); err != nil {
		return err
	}
	p.running.add(r.Key)
	if !tell {
		return nil
	}
	err := p.gh.UpdateRun(ctx, ghRepo(r.Repo), p.ref(r), github.StatusInProgress, github.Output{
		Title:   "running",
		Summary: fmt.Sprintf("Runner `%s` has taken the job.", fenced(res.Runner)),
	})
	if err != nil { // a courtesy: the verdict will come all the same
		p.log.WarnContext(ctx, "check run not marked in progress", "key", r.Key, "error", err)
	}
	return nil
}

// again queues another attempt after infrastructure spoilt one, for another runner where there is one, or ends the round
// without a verdict. The caller holds the key's lock.
func (p *planner) again(ctx context.Context, r *Record, rev uint64, runner, reason string) error {
	if r.State != StateQueued && r.State != StateBundled {
		return p.drive(ctx, r, rev, false)
	}
	r.Infra++
	if r.Infra > p.policy.Retries {
		return p.complete(ctx, r, rev, infrastructure(fmt.Sprintf("%s (attempt %d of %d)", reason, r.Infra, p.policy.Retries+1)))
	}
	if !slices.Contains(r.Failed, runner) {
		r.Failed = append(r.Failed, runner)
	}
	p.nextAttempt(r, p.elsewhere(ctx, r))
	r.Job.Enqueued = p.now()
	rev, err := p.save(ctx, r, rev)
	if err != nil {
		return err
	}
	p.log.WarnContext(ctx, "another attempt", "key", r.Key, "attempt", r.Attempt, "failed", runner, "to", r.To, "reason", reason)
	return p.drive(ctx, r, rev, false)
}

// nextAttempt makes the record one that is to be published again, for one runner when to names it.
func (p *planner) nextAttempt(r *Record, to string) {
	r.Attempt++
	r.To, r.Epoch, r.InProgress, r.Phase, r.State, r.Updated = to, 0, false, "", StateBundled, p.now()
	r.Job.Attempt, r.Job.ID = r.Attempt, r.jobID()
}

// handleExhausted ends a job that runners took as often as the queue allows and none finished.
func (p *planner) handleExhausted(ctx context.Context, sub string, data []byte, deliveries int) error {
	var job queue.Job
	if err := json.Unmarshal(data, &job); err != nil {
		p.log.ErrorContext(ctx, "exhausted job cannot be read", "pool", sub, "error", err)
		return nil
	}
	unlock, err := p.lock(ctx, job.Key)
	if err != nil {
		return err
	}
	defer unlock()
	r, rev, err := p.load(ctx, job.Key)
	if err != nil {
		return ignoreMissing(err)
	}
	if r.State == StateDone || r.Attempt != job.Attempt {
		return nil
	}
	return p.complete(ctx, r, rev, infrastructure(fmt.Sprintf("%d runners in turn took the job and none finished it", deliveries)))
}
