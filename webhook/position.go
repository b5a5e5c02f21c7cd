package webhook

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

// tellEvery is the least time between two words about one waiting run: each is a content-creating request.
const tellEvery = 2 * time.Minute

// poolHealth says in a sentence how a pool's runners are. Only those that were heard of lately count: a machine that once
// existed is no capacity.
func (p *planner) poolHealth(ctx context.Context, pool string) string {
	notes, ok := p.q.(queue.Notes)
	if !ok || p.pools == nil {
		return ""
	}
	names := p.runnersOf(pool)
	states, err := queue.RunnerStates(ctx, notes, names...)
	if err != nil {
		return ""
	}
	var there []string
	for _, s := range states {
		if !s.Fresh(p.now()) {
			continue
		}
		text := fmt.Sprintf("`%s` is %s", fenced(s.Name), s.State)
		if s.Reason != "" {
			text += " (" + fenced(s.Reason) + ")"
		}
		there = append(there, text)
	}
	if len(there) == 0 {
		return fmt.Sprintf("None of the %d runners of pool `%s` was heard of within %s.", len(names), pool, queue.RunnerFresh)
	}
	return fmt.Sprintf("Of %d runners of pool `%s` %d are there: %s.", len(names), pool, len(there), strings.Join(there, ", "))
}

// runnersOf names the runners that may take a pool's jobs.
func (p *planner) runnersOf(pool string) []string {
	var names []string
	for name, pools := range p.pools {
		if slices.Contains(pools, pool) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// placeOf is a waiting job's place, as the last sweep saw it: merge groups go first, then by age.
func (p *planner) placeOf(r *Record) string {
	c := p.lastCensus()
	if c == nil {
		return ""
	}
	for i, q := range c.queued[r.Pool] {
		if q.key == r.Key {
			return fmt.Sprintf("%d of %d", i+1, len(c.queued[r.Pool]))
		}
	}
	return ""
}

// position tells GitHub where a waiting job stands when that has changed, and what its source says meanwhile. It is a
// courtesy: with a low budget it is left out.
func (p *planner) position(ctx context.Context, r *Record, rev uint64, at, of int, running int) error {
	age := p.now().Sub(r.Job.Enqueued)
	late := age > p.policy.QueueWarn && !r.Warned
	last := r.Told
	if last.IsZero() {
		last = r.Job.Enqueued // most jobs are taken before there is anything to say
	}
	if !late && (r.Position == at || p.now().Sub(last) < tellEvery) {
		return nil
	}
	r.Position, r.Told, r.Warned = at, p.now(), r.Warned || late
	if _, err := p.save(ctx, r, rev); err != nil {
		return err
	}
	out := github.Output{
		Title:   fmt.Sprintf("waiting for a runner: %d of %d", at, of),
		Summary: fmt.Sprintf("Place %d of %d in pool `%s`, where %d jobs are running. ", at, of, r.Pool, running) + p.poolHealth(ctx, r.Pool),
	}
	if age > p.policy.QueueWarn {
		out.Title = fmt.Sprintf("waiting for a runner for %s: %d of %d", age.Round(time.Minute), at, of)
		if running == 0 {
			out.Title = "waiting for a runner: none has answered yet"
		}
		out.Summary += fmt.Sprintf("\n\nThis check ends as timed out after %s.\n\nIs a runner connected? `gatebot doctor` on the runner's machine says what keeps it.",
			p.policy.QueueMax)
	}
	return p.gh.UpdateRun(ctx, ghRepo(r.Repo), p.ref(r), github.StatusQueued, out)
}
