package webhook

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/gate"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

// prepare fetches the commit, reads the gate's configuration and stores the bundle. It ends in a job, in an outcome
// when there can be or need be none, or in an error to try again.
func (p *planner) prepare(ctx context.Context, r *Record) (*queue.Job, *Outcome, error) {
	refs := []string{r.HeadRef}
	if r.BaseRef != "" && "refs/heads/"+r.BaseRef != r.HeadRef {
		refs = append(refs, "refs/heads/"+r.BaseRef)
	}
	dir, err := p.mirrors.Fetch(ctx, r.Repo, refs...)
	if err != nil {
		return nil, nil, err
	}
	if end, err := p.verifyHead(ctx, r, dir); end != nil || err != nil {
		return nil, end, err
	}
	base, trusted, err := p.bases(ctx, r, dir)
	if err != nil {
		return nil, nil, err
	}
	data, found, err := p.mirrors.ReadFile(ctx, dir, trusted, config.FileName)
	if err != nil {
		return nil, nil, err
	}
	cfg := config.Default()
	if found {
		if cfg, err = p.parse(config.FileName, data); err != nil {
			end := badConfig(err)
			return nil, &end, nil
		}
	}
	var changed []string
	if base != "" {
		if changed, err = p.mirrors.Changed(ctx, dir, base, r.Head); err != nil {
			return nil, nil, err
		}
		if onlyLog(changed, cfg.FixLog.Path) {
			end := logOnly(cfg.FixLog.Path)
			return nil, &end, nil
		}
		if r.BaseTree, err = p.mirrors.Tree(ctx, dir, base); err != nil {
			return nil, nil, err
		}
	}
	why, by, err := p.held(ctx, r, changed, cfg)
	if err != nil {
		return nil, nil, err
	}
	if why != "" {
		end := p.heldOutcome(ctx, r, why, dir, base, data)
		return nil, &end, nil
	}
	r.ApprovedBy = by
	job := &queue.Job{
		ID: r.jobID(), Key: r.Key, Attempt: r.Attempt, Check: r.Check, Repo: r.Repo, Head: r.Head, Base: base, PR: r.PR,
		Trigger: r.Trigger, Pool: r.Pool, Config: data, Timeout: p.policy.Timeout, Enqueued: p.now(),
	}
	if job.Tree, err = p.mirrors.Tree(ctx, dir, r.Head); err != nil {
		return nil, nil, err
	}
	if end, err := p.reuse(ctx, r, job); end != nil || err != nil {
		return nil, end, err
	}
	end, err := p.storeBundle(ctx, dir, job)
	return job, end, err
}

// verifyHead holds the fetched ref against the commit that was asked for. The ref must be it, not merely contain it, for
// a pull request and a merge group: what is tested is what was decided on. The default branch may have moved on.
func (p *planner) verifyHead(ctx context.Context, r *Record, dir string) (*Outcome, error) {
	tip, err := p.mirrors.Resolve(ctx, dir, r.HeadRef)
	if err != nil {
		return nil, err
	}
	if tip == r.Head {
		return nil, nil
	}
	if r.PR > 0 {
		pr, err := p.gh.Pull(ctx, ghRepo(r.Repo), r.PR)
		if err != nil {
			return nil, err
		}
		if pr.Head != r.Head && pr.Head == tip {
			end := superseded(tip, pr.BaseRef)
			return &end, nil
		}
	} else if r.landed() {
		if _, err := p.mirrors.Resolve(ctx, dir, r.Head); err == nil {
			between, err := p.mirrors.MergeBase(ctx, dir, r.Head, tip)
			if err != nil || between == r.Head {
				return nil, err
			}
		}
	}
	return nil, fmt.Errorf("%s is at %.12s, not at %.12s: %w", r.HeadRef, tip, r.Head, github.ErrNotYet)
}

// landed: the commit is on the default branch already.
func (r *Record) landed() bool { return r.HeadRef == "refs/heads/"+r.Repo.Default }

// bases gives the commit whose findings are old and the one whose configuration is trusted. The first is where head and
// base parted. The second is the base itself, or the base branch when that commit was pushed away: never the commit
// under test, unless it is on the default branch already.
func (p *planner) bases(ctx context.Context, r *Record, dir string) (old, trusted string, err error) {
	base := r.Base
	if base != "" {
		if _, err := p.mirrors.Resolve(ctx, dir, base); errors.Is(err, git.ErrNotFound) {
			base = ""
		} else if err != nil {
			return "", "", err
		}
	}
	if base == "" && r.BaseRef != "" && !r.landed() {
		if base, err = p.mirrors.Resolve(ctx, dir, "refs/heads/"+r.BaseRef); err != nil {
			return "", "", err
		}
	}
	if base == "" && r.landed() { // found without an event: what its parent had is old
		parent, err := p.mirrors.Resolve(ctx, dir, r.Head+"^1")
		if err != nil && !errors.Is(err, git.ErrNotFound) {
			return "", "", err
		}
		base = parent
	}
	trusted = base
	if r.landed() {
		trusted = r.Head
	}
	if trusted == "" {
		return "", "", fmt.Errorf("%.12s has no base to take the gate's configuration from", r.Head)
	}
	if base != "" {
		old, err = p.mirrors.MergeBase(ctx, dir, base, r.Head)
	}
	return old, trusted, err
}

// onlyLog reports whether a change is the fix log and nothing else. A log that is not Markdown is not believed.
func onlyLog(changed []string, log string) bool {
	isLog := func(c string) bool {
		fragment, ok := strings.CutPrefix(c, gate.FragmentsDir+"/")
		return log != "" && c == log && strings.EqualFold(path.Ext(log), ".md") || c == gate.LedgerPath ||
			ok && path.Ext(fragment) == ".json" && !strings.Contains(fragment, "/")
	}
	return len(changed) > 0 && !slices.ContainsFunc(changed, func(c string) bool { return !isLog(c) })
}
