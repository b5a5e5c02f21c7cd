package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

// The reconciler looks at what is open at GitHub and makes the event that should have come for what has no job. It knows
// no other way to act: what it finds goes through the same store and the same planner as a webhook. GitHub's list of
// deliveries cannot show what was never attempted, so this is the last line, and in polling mode the only one.

// reconcile looks at every repository. Orphans says whether unfinished check runs are looked for too.
func (p *planner) reconcile(ctx context.Context, orphans bool) error {
	repos, err := p.gh.Repositories(ctx)
	if err != nil {
		return err
	}
	return p.reconcileAll(ctx, repos, orphans)
}

// sweepInstallation is reconcile for an installation that is new to us.
func (p *planner) sweepInstallation(ctx context.Context, installation int64) error {
	repos, err := p.gh.RepositoriesOf(ctx, installation)
	if err != nil {
		return err
	}
	return p.reconcileAll(ctx, repos, false)
}

func (p *planner) reconcileAll(ctx context.Context, repos []github.Known, orphans bool) error {
	var failed error
	for _, k := range repos {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := p.reconcileRepo(ctx, k, orphans); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", k.Repo, err))
			var limit *github.RateLimitedError
			if errors.As(err, &limit) {
				return failed // the others would only hear the same
			}
		}
	}
	return failed
}

func (p *planner) reconcileRepo(ctx context.Context, k github.Known, orphans bool) error {
	heads := map[string]bool{}
	pulls, err := p.gh.OpenPulls(ctx, k.Repo)
	if err != nil {
		return err
	}
	for _, pr := range pulls {
		heads[pr.Head] = true
		if pr.Draft || p.pullKnown(ctx, k, pr) {
			continue
		}
		if err := p.pretend(ctx, "pull_request", fmt.Sprintf("pull-%d-%d-%s-%s", k.ID, pr.Number, pr.Head, pr.BaseRef), pullEvent(k, pr)); err != nil {
			return err
		}
	}
	groups, err := p.gh.QueueBranches(ctx, k.Repo)
	if err != nil && !errors.Is(err, github.ErrGone) {
		return err
	}
	for _, g := range groups {
		body, ok := groupEvent(k, g)
		if !ok || p.commitKnown(ctx, k, g.SHA) {
			continue
		}
		if err := p.pretend(ctx, "merge_group", fmt.Sprintf("group-%d-%s", k.ID, g.SHA), body); err != nil {
			return err
		}
	}
	head, err := p.gh.BranchHead(ctx, k.Repo, k.Default)
	switch {
	case errors.Is(err, github.ErrGone): // an empty repository
	case err != nil:
		return err
	default:
		heads[head] = true
		if err := p.reconcileDefault(ctx, k, head); err != nil {
			return err
		}
	}
	if !orphans {
		return nil
	}
	for sha := range heads {
		if err := p.orphans(ctx, k, sha); err != nil {
			return err
		}
	}
	return nil
}

// defaultHead is the default branch's head as the reconciler last saw it: the next push begins there.
type defaultHead struct {
	Head string `json:"head"`
}

func (p *planner) reconcileDefault(ctx context.Context, k github.Known, head string) error {
	key := fmt.Sprintf("default/%d", k.ID)
	var last defaultHead
	if _, err := p.read(ctx, queue.BucketHeads, key, &last); ignoreMissing(err) != nil {
		return err
	}
	if last.Head == head {
		return nil
	}
	if !p.commitKnown(ctx, k, head) {
		if err := p.pretend(ctx, "push", fmt.Sprintf("push-%d-%s", k.ID, head), pushedEvent(k, last.Head, head)); err != nil {
			return err
		}
	}
	return change(ctx, &p.store, queue.BucketHeads, key, func(d *defaultHead) bool { d.Head = head; return true })
}

// pullKnown reports whether the head of a pull request has a job against its base branch.
func (p *planner) pullKnown(ctx context.Context, k github.Known, pr github.Pull) bool {
	var h pullHead
	if _, err := p.read(ctx, queue.BucketHeads, pullKey(k.ID, pr.Number), &h); err != nil || h.Head != pr.Head {
		return false
	}
	for _, key := range h.Keys {
		if r, _, err := p.load(ctx, key); err != nil || r.BaseRef == pr.BaseRef { // a record that was forgotten had its end
			return true
		}
	}
	return false
}

func (p *planner) commitKnown(ctx context.Context, k github.Known, sha string) bool {
	var c commitJob
	_, err := p.read(ctx, queue.BucketHeads, commitKey(k.ID, sha), &c)
	return err == nil && c.Key != ""
}

// pretend stores an event as if GitHub had sent it. The same one within the queue's window is stored once.
func (p *planner) pretend(ctx context.Context, event, id string, payload map[string]any) error {
	body, err := json.Marshal(payload)
	if err != nil {
		return err
	}
	id = "found-" + id
	data, err := json.Marshal(queue.Event{Delivery: id, Type: event, Received: p.now().UTC(), Payload: body})
	if err != nil {
		return err
	}
	duplicate, err := p.q.Publish(ctx, queue.Events, event, id, data)
	if err == nil && !duplicate {
		p.log.WarnContext(ctx, "found without a job", "event", event, "found", id)
		p.repaired(event)
	}
	return err
}

// orphans ends check runs of ours that nothing stands behind: left by a store that was lost, or by a request whose answer
// was and whose record was forgotten since.
func (p *planner) orphans(ctx context.Context, k github.Known, sha string) error {
	runs, err := p.gh.Unfinished(ctx, k.Repo, sha)
	if err != nil {
		return ignoreGone(err)
	}
	for _, run := range runs {
		key, round, ok := parseExternalID(run.ExternalID)
		if ok {
			r, _, err := p.load(ctx, key)
			if ignoreMissing(err) != nil {
				return err
			}
			if err == nil && r.State != StateDone && round >= r.Round && (r.RunID == 0 || r.RunID == run.ID) {
				continue // somebody is at work on it
			}
		}
		p.log.WarnContext(ctx, "check run without a job: ending it", "run", run.ID, "head", sha, "external", oneWord(run.ExternalID))
		p.repaired("orphan")
		o := withdrawn("no job stands behind this run any more")
		err := p.gh.CompleteRun(ctx, k.Repo, github.RunRef{ID: run.ID, SHA: sha, Name: run.Name}, github.Completion{
			Conclusion: o.Conclusion, Output: o.Output, Actions: buttons(false),
		})
		if ignoreGone(err) != nil {
			return err
		}
	}
	return nil
}

func ignoreGone(err error) error {
	if errors.Is(err, github.ErrGone) || errors.Is(err, github.ErrNotYet) {
		return nil
	}
	return err
}

// pollComments looks for commands, where no webhook brings them.
func (p *planner) pollComments(ctx context.Context, since time.Time) error {
	repos, err := p.gh.Repositories(ctx)
	if err != nil {
		return err
	}
	for _, k := range repos {
		comments, err := p.gh.CommentsSince(ctx, k.Repo, since)
		if err != nil {
			return err
		}
		for _, c := range comments {
			if _, ok := parseCommand(c.Body); !ok || c.Bot || c.PR == 0 || c.At.Before(since) { // an old one that was edited is none
				continue
			}
			if err := p.pretend(ctx, "issue_comment", fmt.Sprintf("comment-%d-%d", k.ID, c.ID), commentEvent(k, c)); err != nil {
				return err
			}
		}
	}
	return nil
}

// The events, with the fields that ours parse.

func known(k github.Known, fields map[string]any) map[string]any {
	fields["repository"] = map[string]any{
		"id": k.ID, "name": k.Name, "owner": map[string]any{"login": k.Owner}, "clone_url": k.CloneURL, "default_branch": k.Default,
	}
	fields["installation"] = map[string]any{"id": k.Installation}
	return fields
}

func pullEvent(k github.Known, pr github.Pull) map[string]any {
	return known(k, map[string]any{
		"action": "opened", "number": pr.Number, "sender": map[string]any{"login": pr.Author},
		"pull_request": map[string]any{
			"number": pr.Number, "state": "open",
			"head": map[string]any{"ref": pr.HeadRef, "sha": pr.Head}, "base": map[string]any{"ref": pr.BaseRef, "sha": pr.Base},
		},
	})
}

func pushedEvent(k github.Known, before, after string) map[string]any {
	if before == "" {
		before = strings.Repeat("0", len(after))
	}
	return known(k, map[string]any{"ref": "refs/heads/" + k.Default, "before": before, "after": after})
}

// groupEvent reads a merge group out of its branch, gh-readonly-queue/BASE/pr-N-BASESHA.
func groupEvent(k github.Known, g github.Ref) (map[string]any, bool) {
	rest, ok := strings.CutPrefix(g.Name, queueBranches)
	i := strings.LastIndexByte(rest, '/')
	if !ok || i <= 0 {
		return nil, false
	}
	base := rest[strings.LastIndexByte(rest, '-')+1:]
	group := map[string]any{"head_sha": g.SHA, "head_ref": g.Name, "base_ref": "refs/heads/" + rest[:i]}
	if isID(base) {
		group["base_sha"] = base
	}
	return known(k, map[string]any{"action": "checks_requested", "merge_group": group}), true
}

func commentEvent(k github.Known, c github.Comment) map[string]any {
	return known(k, map[string]any{
		"action": "created", "issue": map[string]any{"number": c.PR, "pull_request": map[string]any{}},
		"comment": map[string]any{"id": c.ID, "body": c.Body, "user": map[string]any{"login": c.Author, "type": "User"}},
	})
}
