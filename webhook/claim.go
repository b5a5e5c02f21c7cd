package webhook

import (
	"context"
	"slices"

	"github.com/gatebot/gatebot/internal/queue"
)

// Several pull requests may have one commit as their head against one base: a stranger can open one from a fork with the
// head of somebody's branch. GitHub shows check runs by commit, so there is one record and one run for all of them, and
// each pull request claims it. The commit is as trusted as the best of the claims, since that one lets the very same code
// run; and the check ends early only when nobody claims it any more, so that no stranger can take it away.

// join adds what another event says of the same commit. It reports whether the record has changed.
func (r *Record) join(rec *Record) bool {
	changed := rec.PR > 0 && !slices.Contains(r.Claims, rec.PR)
	if changed {
		r.Claims = append(r.Claims, rec.PR)
	}
	if rec.PR > 0 && rec.PR != r.PR && r.Fork && !rec.Fork && (r.State == StatePlanned || r.State == StateCreated) {
		r.speakFor(rec)
		changed = true
	}
	return changed
}

// speakFor makes the record the one of another of its pull requests.
func (r *Record) speakFor(rec *Record) {
	r.PR, r.HeadRef, r.Author, r.Pusher, r.Fork, r.Trigger = rec.PR, rec.HeadRef, rec.Author, rec.Pusher, rec.Fork, rec.Trigger
}

// speaker decides for whom the next round is: for the one that asks, unless a better claim than a fork's still stands.
func (r *Record) speaker(rec *Record) {
	if rec.PR == r.PR || rec.PR == 0 || !r.Fork && rec.Fork && slices.Contains(r.Claims, r.PR) {
		return
	}
	r.speakFor(rec)
}

// heldForFork: it waits for an approval only because a fork asked first.
func (r *Record) heldForFork(rec *Record) bool {
	return r.State == StateDone && r.Final != nil && r.Final.Held && r.Fork && rec.PR > 0 && rec.PR != r.PR && !rec.Fork
}

// leave takes the claim of a pull request back, and ends the record's job when it was the last one.
func (p *planner) leave(ctx context.Context, key string, pr int, o Outcome) error {
	unlock, err := p.lock(ctx, key)
	if err != nil {
		return err
	}
	defer unlock()
	r, rev, err := p.load(ctx, key)
	if err != nil {
		return ignoreMissing(err)
	}
	claims := len(r.Claims)
	r.Claims = slices.DeleteFunc(r.Claims, func(n int) bool { return n == pr })
	switch {
	case r.State != StateDone && len(r.Claims) == 0:
		return p.complete(ctx, r, rev, o)
	case len(r.Claims) == claims:
		return nil
	case len(r.Claims) > 0:
		p.log.InfoContext(ctx, "another pull request has the same commit: its check goes on", "key", key, "pr", pr, "others", r.Claims)
	}
	_, err = p.save(ctx, r, rev)
	return err
}

// others are the pull requests beside pr that claim the job of a commit.
func (p *planner) others(ctx context.Context, repo int64, head string, pr int) ([]int, error) {
	var c commitJob
	if _, err := p.read(ctx, queue.BucketHeads, commitKey(repo, head), &c); err != nil {
		return nil, ignoreMissing(err)
	}
	r, _, err := p.load(ctx, c.Key)
	if err != nil {
		return nil, ignoreMissing(err)
	}
	return slices.DeleteFunc(slices.Clone(r.Claims), func(n int) bool { return n == pr }), nil
}
