package webhook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

// mayWrite asks GitHub what a person may do. The author_association of an event is not believed: it says member of
// people who cannot write.
func (p *planner) mayWrite(ctx context.Context, repo queue.Repo, login string) (level string, ok bool, err error) {
	level, err = p.gh.Permission(ctx, ghRepo(repo), login)
	if errors.Is(err, github.ErrGone) { // no such person, or one that GitHub knows no permission of
		return "none", false, nil
	}
	return level, level == "admin" || level == "write", err
}

// held says why a job must wait for an approval, or "". It is asked right before the job goes out, whatever was decided
// when the event came: people lose permissions, and approvals belong to one commit.
func (p *planner) held(ctx context.Context, r *Record, changed []string, cfg *config.Config) (why string, by *Approval, err error) {
	if r.PR == 0 {
		return "", nil, nil // merge groups and the default branch: their commits have passed the gate of their pull requests
	}
	why, err = p.suspicion(ctx, r)
	if err != nil {
		return "", nil, err
	}
	r.Untrusted = why != ""
	if r.GateChanged = gateFiles(changed, cfg); why == "" && len(r.GateChanged) > 0 && p.policy.HoldGateChanges {
		why = "it changes the gate itself (" + strings.Join(r.GateChanged, ", ") + ")"
	}
	if why == "" {
		return "", nil, nil
	}
	a, err := p.approval(ctx, r.Repo.ID, r.PR, r.Head)
	if err != nil || a == nil {
		return why, nil, err
	}
	level, still, err := p.mayWrite(ctx, r.Repo, a.By)
	if err != nil {
		return "", nil, err
	}
	if !still {
		p.audit(ctx, "approval lapsed", "by", a.By, "permission", level, "pr", r.PR, "head", r.Head)
		return fmt.Sprintf("%s approved it and can no longer write (%s)", a.By, level), nil, nil
	}
	return "", a, nil
}

// suspicion says why the code of a pull request is not trusted, or "".
func (p *planner) suspicion(ctx context.Context, r *Record) (string, error) {
	switch {
	case p.policy.RunForks:
		return "", nil
	case r.Fork:
		return "it comes from a fork", nil
	}
	for _, who := range slices.Compact(slices.DeleteFunc([]string{r.Author, r.Pusher}, func(s string) bool { return s == "" })) {
		if slices.ContainsFunc(p.policy.Trusted, func(t string) bool { return strings.EqualFold(t, who) }) {
			continue
		}
		if me, err := p.gh.Login(ctx); err != nil {
			return "", err
		} else if who == me {
			continue
		}
		level, ok, err := p.mayWrite(ctx, r.Repo, who)
		if err != nil {
			return "", err
		}
		if !ok {
			return fmt.Sprintf("%s has no write access (%s)", who, level), nil
		}
	}
	return "", nil
}

// gateFiles picks from changed paths those that define the gate: the configuration, and the module that says what a step
// is. They are read from the base commit or by code of the head, so a change to them is for a person to look at.
func gateFiles(changed []string, cfg *config.Config) []string {
	var out []string
	for _, c := range changed {
		if c == config.FileName || c != "" && c == cfg.Step.Entry {
			out = append(out, c)
		}
	}
	return out
}
