package standin

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Merge merges an open pull request with a merge commit, as the green button does, and sends the events.
func (r *Repository) Merge(ctx context.Context, by *User, number int) (string, error) {
	id, p, err := r.mergeCommit(ctx, by, number)
	if err != nil {
		return "", err
	}
	return id, r.SetRef(ctx, by, "refs/heads/"+p.BaseRef, id)
}

// mergeCommit makes the commit that merges a pull request into its base, without moving a ref.
func (r *Repository) mergeCommit(ctx context.Context, by *User, number int) (string, Pull, error) {
	r.s.mu.Lock()
	found := r.pull(number)
	if found == nil || found.State != "open" {
		r.s.mu.Unlock()
		return "", Pull{}, fmt.Errorf("stand-in: pull request %d: not open", number)
	}
	p := *found
	base := r.refs["refs/heads/"+p.BaseRef]
	r.s.mu.Unlock()
	tree, err := r.s.git.run(ctx, r.Dir(), nil, "merge-tree", "--write-tree", base, p.HeadSHA)
	if err != nil {
		return "", p, fmt.Errorf("stand-in: pull request %d does not merge cleanly: %w", number, err)
	}
	message := fmt.Sprintf("Merge pull request #%d from %s\n\n%s", number, strings.Replace(p.label(), ":", "/", 1), p.Title)
	id, err := r.s.git.runEnv(ctx, r.Dir(), author(by.Login, by.email(), time.Now()), []byte(message),
		"commit-tree", tree, "-p", base, "-p", p.HeadSHA, "-F", "-")
	return id, p, err
}

// MergeGroup is one entry of the merge queue.
type MergeGroup struct {
	HeadSHA, HeadRef, BaseSHA, BaseRef string
}

// Enqueue puts a pull request into the merge queue: GitHub makes a temporary branch with the merge commit, sends the
// push of it and then merge_group checks_requested.
func (r *Repository) Enqueue(ctx context.Context, by *User, number int) (MergeGroup, error) {
	id, p, err := r.mergeCommit(ctx, by, number)
	if err != nil {
		return MergeGroup{}, err
	}
	base := r.Head(p.BaseRef)
	g := MergeGroup{
		HeadSHA: id, HeadRef: fmt.Sprintf("refs/heads/gh-readonly-queue/%s/pr-%d-%s", p.BaseRef, number, base),
		BaseSHA: base, BaseRef: "refs/heads/" + p.BaseRef,
	}
	if err := r.SetRef(ctx, by, g.HeadRef, id); err != nil {
		return g, err
	}
	return g, r.emitMergeGroup(ctx, by, g, "checks_requested", "")
}

// Land fast-forwards the base to a group's head, as GitHub does when its checks have passed.
func (r *Repository) Land(ctx context.Context, by *User, g MergeGroup) error {
	if err := r.SetRef(ctx, by, g.BaseRef, g.HeadSHA); err != nil {
		return err
	}
	return r.destroy(ctx, by, g, "merged")
}

// Dequeue takes a group out of the queue; reason is invalidated or dequeued.
func (r *Repository) Dequeue(ctx context.Context, by *User, g MergeGroup, reason string) error {
	return r.destroy(ctx, by, g, reason)
}

func (r *Repository) destroy(ctx context.Context, by *User, g MergeGroup, reason string) error {
	if err := r.emitMergeGroup(ctx, by, g, "destroyed", reason); err != nil {
		return err
	}
	return r.SetRef(ctx, by, g.HeadRef, "")
}
