package webhook

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

// someKeys are jobs, as far as this process has heard. It is a list of what to look at: the records say what is so.
type someKeys struct {
	mu   sync.Mutex
	keys map[string]bool
}

func (j *someKeys) add(key string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.keys == nil {
		j.keys = map[string]bool{}
	}
	j.keys[key] = true
}

func (j *someKeys) remove(key string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.keys, key)
}

func (j *someKeys) list() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	keys := make([]string, 0, len(j.keys))
	for k := range j.keys {
		keys = append(keys, k)
	}
	return keys
}

// lookAtRunning is how often the notes of running jobs are read. GitHub is told less often.
const lookAtRunning = 5 * time.Second

// tellProgress tells GitHub how far running jobs are: each run at most every Policy.Progress, nothing that has not changed,
// and nothing while the budget for requests is low.
func (p *planner) tellProgress(ctx context.Context) {
	notes, ok := p.q.(queue.Notes)
	if !ok {
		return
	}
	for _, key := range p.running.list() {
		err := p.progressOf(ctx, notes, key)
		switch {
		case errors.Is(err, github.ErrBudget):
			return // the next ones would hear the same
		case err != nil && ctx.Err() == nil:
			p.log.InfoContext(ctx, "progress not shown", "key", key, "error", err)
		}
	}
}

func (p *planner) progressOf(ctx context.Context, notes queue.Notes, key string) error {
	unlock, ok := p.try(ctx, key)
	if !ok {
		return nil // somebody is at work on it
	}
	defer unlock()
	r, rev, err := p.load(ctx, key)
	if err != nil || r.State != StateQueued || !r.InProgress || p.policy.Progress <= 0 {
		if ignoreMissing(err) == nil {
			p.running.remove(key)
		}
		return ignoreMissing(err)
	}
	// A long job says less and less often: an hour's budget is for verdicts.
	if p.now().Sub(r.Told) < max(p.policy.Progress, p.now().Sub(r.Updated)/10) {
		return nil
	}
	is, err := queue.GetProgress(ctx, notes, r.Pool, "", r.Job.ID)
	if err != nil {
		return ignoreMissing(err)
	}
	if is.Epoch < r.Epoch || is.Ended || is.String() == r.Phase {
		return nil // of an earlier lease, the result is on its way, or nothing new
	}
	r.Phase, r.Told = is.String(), p.now()
	if _, err := p.save(ctx, r, rev); err != nil {
		return err
	}
	return p.gh.UpdateRun(ctx, ghRepo(r.Repo), p.ref(r), github.StatusInProgress, github.Output{
		Title: r.Phase,
		Summary: fmt.Sprintf("Runner `%s` has the job since %s.\n\n| Phase | Seen |\n|---|---|\n| %s | %s |\n", fenced(r.Runner),
			r.Updated.UTC().Format(time.RFC3339), cellText(r.Phase), is.At.UTC().Format(time.RFC3339)),
	})
}

// watching looks at what this process knows to be running. Each server does: a run is told of at most so often whoever looks.
func (s *Server) watching(ctx context.Context) {
	for ctx.Err() == nil {
		s.planner.tellProgress(ctx)
		pause(ctx, lookAtRunning)
	}
}
