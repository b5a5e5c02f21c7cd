package webhook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

// Approval is the word of somebody with write access that one commit of one pull request may run. It is kept by the
// commit's full id, so it ends with the next push; a label would not.
type Approval struct {
	By         string    `json:"by"`
	Permission string    `json:"permission"` // at that time
	Comment    int64     `json:"comment,omitempty"`
	Run        int64     `json:"run,omitempty"` // whose button was pressed
	At         time.Time `json:"at"`
}

func approvalKey(repo int64, pr int, sha string) string {
	return fmt.Sprintf("approval/%d/%d/%s", repo, pr, sha)
}

// approval reads the approval of a commit, or nil.
func (p *planner) approval(ctx context.Context, repo int64, pr int, sha string) (*Approval, error) {
	var a Approval
	_, err := p.read(ctx, queue.BucketHeads, approvalKey(repo, pr, sha), &a)
	if errors.Is(err, queue.ErrNotFound) {
		return nil, nil
	}
	return &a, err
}

// approve stores the approval and starts the job over when it was held. The head is compared a second time when the job
// is dispatched and a third time when the runner unpacks it.
func (p *planner) approve(ctx context.Context, ev queue.Event, t Trigger, a Approval) (string, error) {
	err := change(ctx, &p.store, queue.BucketHeads, approvalKey(t.Repo.ID, t.PR, t.Head), func(have *Approval) bool {
		if have.By != "" {
			return false
		}
		*have = a
		return true
	})
	if err != nil {
		return "", err
	}
	p.audit(ctx, "approval", "by", a.By, "permission", a.Permission, "repository", t.Repo.Owner+"/"+t.Repo.Name, "pr", t.PR,
		"head", t.Head, "comment", a.Comment, "run", a.Run)
	t.Kind, t.ExternalID, t.Approved = KindRerun, "", true
	return "approved", p.planRerun(ctx, ev, t)
}

// planAction is a button of a check run.
func (p *planner) planAction(ctx context.Context, ev queue.Event, t Trigger) error {
	if t.AppID != 0 && t.AppID != p.gh.ID() {
		return nil
	}
	if t.Action != actionApprove {
		return p.buttonRefused(ctx, t, p.planRerun(ctx, ev, t))
	}
	key, _, ok := parseExternalID(t.ExternalID)
	if !ok {
		p.log.WarnContext(ctx, "approval of a run that is not known here", "external", oneWord(t.ExternalID))
		return nil
	}
	r, _, err := p.load(ctx, key)
	if err != nil {
		return ignoreMissing(err)
	}
	level, writer, err := p.mayWrite(ctx, t.Repo, t.Sender)
	if err != nil {
		return err
	}
	if !writer {
		p.audit(ctx, "approval refused", "by", t.Sender, "permission", level, "pr", r.PR, "head", r.Head)
		return nil
	}
	pr, err := p.gh.Pull(ctx, ghRepo(t.Repo), r.PR)
	switch {
	case errors.Is(err, github.ErrGone):
		return nil
	case err != nil:
		return err
	case !pr.Open || pr.Head != r.Head:
		p.audit(ctx, "approval refused", "by", t.Sender, "reason", "not the head any more", "pr", r.PR, "head", r.Head, "now", pr.Head)
		return nil
	}
	t.PR, t.Head = r.PR, r.Head
	_, err = p.approve(ctx, ev, t, Approval{By: t.Sender, Permission: level, Run: r.RunID, At: p.now().UTC()})
	return err
}
