package webhook

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/webhook/github"
)

// lookAtEarly is how often jobs are looked at whose source may be told of before their result.
const lookAtEarly = 5 * time.Second

// earlier shows the source check of what waits for a device, or runs on one, as the run `gatebot/source`: what can be known
// in seconds must not wait for half an hour of GPU. It executes no code. A job that is done soon needs none.
//
// The run lists the findings with their lines and has no annotations: those come with the verdict, and GitHub can take none
// back, so that each finding would stand at its line twice.
func (p *planner) earlier(ctx context.Context) {
	for _, key := range p.queued.list() {
		err := p.earlierOf(ctx, key)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			p.log.InfoContext(ctx, "source not shown early", "key", key, "error", err)
			p.queued.remove(key) // a courtesy: the verdict says it too
		}
	}
}

func (p *planner) earlierOf(ctx context.Context, key string) error {
	r, _, err := p.load(ctx, key)
	if err != nil || !p.wantsEarly(r) {
		p.queued.remove(key)
		return ignoreMissing(err)
	}
	if p.now().Sub(r.Job.Enqueued) < p.policy.Early {
		return nil
	}
	dir, err := p.mirrors.Fetch(ctx, r.Repo, r.HeadRef)
	if err != nil {
		return err
	}
	res, err := p.static(ctx, r, dir, r.Job.Base, r.Job.Config)
	if err != nil {
		return err
	}
	unlock, err := p.lock(ctx, key)
	if err != nil {
		return err
	}
	defer unlock()
	defer p.queued.remove(key)
	round := r.Round
	r, rev, err := p.load(ctx, key)
	if err != nil || r.Round != round || !p.wantsEarly(r) {
		return ignoreMissing(err) // the verdict was faster
	}
	if err := p.sourceRun(ctx, r, res); err != nil {
		if errors.Is(err, github.ErrBudget) {
			return nil
		}
		return err
	}
	r.Shown = append(r.Shown, finding.CheckSource)
	_, err = p.save(ctx, r, rev)
	return err
}

// wantsEarly: the job is out, and its source was not told of.
func (p *planner) wantsEarly(r *Record) bool {
	return p.inspect != nil && p.policy.Families && p.policy.Early > 0 && r.State == StateQueued && !slices.Contains(r.Shown, finding.CheckSource)
}

// sourceRun makes the run, unless an earlier try has.
func (p *planner) sourceRun(ctx context.Context, r *Record, res *finding.Results) error {
	i := slices.IndexFunc(res.Checks, func(c finding.CheckResult) bool { return c.Name == finding.CheckSource })
	if i < 0 {
		return errors.New("the scan says nothing of the source")
	}
	face := github.Render(res, github.Context{Head: r.Head, Base: r.Job.Base, PR: r.PR})
	n := github.NewRun{
		Name: r.Check + "/" + finding.CheckSource, SHA: r.Head, ExternalID: r.ExternalID() + "." + finding.CheckSource,
		DetailsURL: p.details(r), Conclusion: familyConclusion(res.Checks[i]), Output: face.Output,
	}
	n.Output.Summary = "The source alone; no code was run for this. The checks on the device come with the run `" + r.Check +
		"`, which is the one that counts.\n\n" + n.Output.Summary
	if _, found, err := p.gh.FindRun(ctx, ghRepo(r.Repo), r.Head, n.Name, n.ExternalID); err != nil || found {
		return err
	}
	_, err := p.gh.CreateRun(ctx, ghRepo(r.Repo), n)
	return err
}

// foretelling does so for what this server has queued, and what the sweep has found.
func (s *Server) foretelling(ctx context.Context) {
	for ctx.Err() == nil {
		s.planner.earlier(ctx)
		pause(ctx, lookAtEarly)
	}
}
