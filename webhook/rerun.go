package webhook

import (
	"context"
	"errors"

	"github.com/gatebot/gatebot/internal/queue"
)

// planRerun starts another round of a finished job. The button names a check run and so a round: only the round that
// it names can be followed by another, which makes a repeated event harmless.
func (p *planner) planRerun(ctx context.Context, ev queue.Event, t Trigger) error {
	if t.AppID != 0 && t.AppID != p.gh.ID() {
		p.log.InfoContext(ctx, "check run of another App", "app", t.AppID)
		return nil
	}
	key, round, ok := parseExternalID(t.ExternalID)
	if !ok {
		var c commitJob
		_, err := p.read(ctx, queue.BucketHeads, commitKey(t.Repo.ID, t.Head), &c)
		if ignoreMissing(err) != nil {
			return err
		}
		key = c.Key
	}
	if key == "" {
		return p.rerunUnknown(ctx, ev, t)
	}
	unlock, err := p.lock(ctx, key)
	if err != nil {
		return err
	}
	r, rev, err := p.load(ctx, key)
	if err != nil {
		unlock()
		if errors.Is(err, queue.ErrNotFound) {
			return p.rerunUnknown(ctx, ev, t)
		}
		return err
	}
	defer unlock()
	fresh := false
	switch {
	case r.Delivery == ev.Delivery: // seen: go on where it stopped
	case r.State != StateDone:
		p.log.InfoContext(ctx, "re-run: the last attempt is not finished", "key", key, "state", r.State)
	case round != 0 && round != r.Round:
		p.log.InfoContext(ctx, "re-run of an older attempt: there is a newer one", "key", key, "round", round, "now", r.Round)
		return nil
	default:
		if !t.Approved {
			if err := p.mayRerun(ctx, t.Repo, r.PR, t.Sender, ev.Delivery); err != nil {
				return err
			}
		}
		r.Repo = t.Repo // names and clone URL may have changed
		if rev, err = p.newRound(ctx, r, rev, ev.Delivery); err != nil {
			return err
		}
		fresh = true
	}
	return p.point(ctx, r, rev, fresh)
}

// rerunUnknown is for a run that this server has no record of: the commit is looked up at GitHub.
func (p *planner) rerunUnknown(ctx context.Context, ev queue.Event, t Trigger) error {
	t.Kind = KindCheck
	if t.PR > 0 && t.Base != "" {
		return p.planPull(ctx, ev, t)
	}
	pulls, err := p.gh.PullsOfCommit(ctx, ghRepo(t.Repo), t.Head)
	if err != nil {
		return err
	}
	if len(pulls) > 0 {
		t.PR, t.Base, t.BaseRef = pulls[0].Number, pulls[0].Base, pulls[0].BaseRef
		return p.planPull(ctx, ev, t)
	}
	if t.HeadRef != "" && t.HeadRef == t.Repo.Default {
		t.Kind, t.HeadRef, t.BaseRef = KindLand, "refs/heads/"+t.Repo.Default, t.Repo.Default
		return p.want(ctx, ev, p.record(t))
	}
	p.log.WarnContext(ctx, "re-run: nothing known of this commit and no open pull request has it as its head", "head", t.Head)
	return nil
}
