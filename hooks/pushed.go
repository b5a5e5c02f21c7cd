package hooks

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gatebot/gatebot/internal/git"
)

// tip is a commit that becomes the value of one or more refs.
type tip struct {
	commit string
	refs   []string // names of the remote refs
	old    []string // commits that those refs have now, as far as they are here
}

// pushed is everything a push brings to the remote.
type pushed struct {
	repo  git.Repository
	tips  []tip
	fresh map[string]bool // commits that the remote does not have, as far as is known here
	order []string        // the same, oldest first
}

// look finds out what is new to the remote: what the tips reach, less what its refs have now and what its
// remote-tracking branches had when they were last fetched.
func look(ctx context.Context, repo git.Repository, remote, url string, updates []update) (*pushed, error) {
	p := &pushed{repo: repo, fresh: map[string]bool{}}
	at := map[string]int{}
	exclude, err := known(ctx, repo, remote, url)
	if err != nil {
		return nil, err
	}
	for _, u := range updates {
		if u.deletes() {
			continue
		}
		commit, err := peel(ctx, repo, u.localID)
		if errors.Is(err, git.ErrNotFound) {
			continue // a tag of a tree or a blob: no commit is pushed
		}
		if err != nil {
			return nil, err
		}
		i, seen := at[commit]
		if !seen {
			i = len(p.tips)
			at[commit] = i
			p.tips = append(p.tips, tip{commit: commit})
		}
		p.tips[i].refs = append(p.tips[i].refs, u.short())
		if git.IsZeroID(u.remoteID) {
			continue // a new ref
		}
		if old, err := here(ctx, repo, u.remoteID); err == nil { // else somebody else's commit that was never fetched
			p.tips[i].old = append(p.tips[i].old, old)
			exclude = append(exclude, old)
		}
	}
	if len(p.tips) == 0 {
		return p, nil
	}
	include := make([]string, len(p.tips))
	for i, t := range p.tips {
		include[i] = t.commit
	}
	ids, err := repo.Commits(ctx, include, exclude, false)
	if err != nil {
		return nil, fmt.Errorf("commits to push: %w", err)
	}
	for _, id := range ids {
		p.fresh[id] = true
	}
	slices.Reverse(ids)
	p.order = ids
	return p, nil
}

// known stands for the remote-tracking branches of where the push goes. Git calls a remote that is given by its URL
// by that URL; a configured remote may lie there.
func known(ctx context.Context, repo git.Repository, remote, url string) ([]string, error) {
	names := []string{remote}
	if cli, ok := repo.(*git.CLI); ok && remote == url {
		var err error
		if names, err = cli.RemotesAt(ctx, url); err != nil {
			return nil, err
		}
	}
	exclude := make([]string, len(names))
	for i, n := range names {
		exclude[i] = "--remotes=" + n
	}
	return exclude, nil
}

// peel follows tags to a commit. Most ids are commits already, which costs no process.
func peel(ctx context.Context, repo git.Repository, id string) (string, error) {
	if _, err := repo.Commit(ctx, id); err == nil {
		return id, nil
	}
	return repo.Resolve(ctx, id)
}

// here is peel for what may not be in this clone. That an object is a commit says that it is here; only of others the
// store is asked, which is another process.
func here(ctx context.Context, repo git.Repository, id string) (string, error) {
	if _, err := repo.Commit(ctx, id); err == nil {
		return id, nil
	}
	if !repo.Has(ctx, id) {
		return "", git.ErrNotFound
	}
	return repo.Resolve(ctx, id)
}

// maxWalk bounds the search for the edge of what the remote has, in commits; maxBases is how many commits of it a tip
// is compared with.
const (
	maxWalk  = 5000
	maxBases = 4
)

// bases are commits that the remote has and the tip builds on: what its refs have now, and where the history of the
// tip meets what the remote is known to have. None of them is an ancestor of another. There are none when the remote
// is empty, or unknown here, or the clone is too shallow.
func (p *pushed) bases(ctx context.Context, t tip) ([]string, error) {
	edge, err := p.edge(ctx, t.commit)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, id := range append(slices.Clone(t.old), edge...) {
		if !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	if len(all) > 2*maxBases {
		all = all[:2*maxBases]
	}
	var best []string
	for _, id := range all {
		covered, err := p.covered(ctx, id, all)
		if err != nil {
			return nil, err
		}
		if !covered {
			best = append(best, id)
		}
	}
	return best[:min(len(best), maxBases)], nil
}

// covered reports whether a commit is an ancestor of another.
func (p *pushed) covered(ctx context.Context, id string, others []string) (bool, error) {
	for _, other := range others {
		if other == id {
			continue
		}
		base, err := p.repo.MergeBase(ctx, id, other)
		if err != nil && !errors.Is(err, git.ErrNotFound) {
			return false, err
		}
		if err == nil && base == id {
			return true, nil
		}
	}
	return false, nil
}

// edge walks from a fresh commit to the first commits that the remote has, nearest first.
func (p *pushed) edge(ctx context.Context, from string) ([]string, error) {
	var out []string
	seen := map[string]bool{from: true}
	queue := []string{from}
	for n := 0; len(queue) > 0 && n < maxWalk; n++ {
		c, err := p.repo.Commit(ctx, queue[0])
		if err != nil {
			return nil, err
		}
		queue = queue[1:]
		for _, parent := range c.Parents {
			if seen[parent] {
				continue
			}
			seen[parent] = true
			if p.fresh[parent] {
				queue = append(queue, parent)
			} else if _, err := here(ctx, p.repo, parent); err == nil { // else the clone is shallow
				out = append(out, parent)
			}
		}
	}
	return out, nil
}
