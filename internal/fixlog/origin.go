package fixlog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// origin says where a commit on the branch comes from.
type origin struct {
	commits []string              // what it merged, squashed or rebased, newest first
	patch   string                // its patch id, or empty
	by      map[string]git.Commit // of a merge: the commit that made it disappear, by fingerprint
}

// origin is worked out only for commits that fixed something: it is the expensive question.
func (u *update) origin(c git.Commit, gone []*finding.Finding) (origin, error) {
	if len(c.Parents) > 1 {
		commits, err := u.merged(c)
		if err != nil {
			return origin{}, err
		}
		by, err := u.inside(commits, gone)
		return origin{commits: commits, by: by}, err
	}
	commits := u.originals(c)
	patches, err := u.patchIDs(append([]string{c.ID}, commits...))
	if err != nil {
		return origin{}, err
	}
	o := origin{commits: commits, patch: patches[c.ID]}
	for _, id := range commits {
		if o.patch != "" && patches[id] == o.patch {
			o.commits = []string{id} // rebased: the one that has the same patch, else squashed: all of them
		}
	}
	return o, nil
}

// patcher is a repository that knows patch ids; go-git does not.
type patcher interface {
	PatchIDs(ctx context.Context, ids []string) (map[string]string, error)
}

// patchIDs is empty where they cannot be had: fixes are then recognized by their findings alone.
func (u *update) patchIDs(ids []string) (map[string]string, error) {
	p, ok := u.repo.(patcher)
	if !ok {
		return nil, nil
	}
	return p.PatchIDs(u.ctx, ids)
}

// maxMerged bounds how many of the commits behind one commit are looked at.
const maxMerged = 50

// merged lists what a merge commit brought in.
func (u *update) merged(c git.Commit) ([]string, error) {
	ids, err := u.repo.Commits(u.ctx, c.Parents[1:], c.Parents[:1], false)
	if errors.Is(err, git.ErrNotFound) {
		return nil, nil // the merged side is not in a shallow clone
	}
	return ids[:min(len(ids), maxMerged)], err
}

// originals lists the commits of the pull request that a squashed or rebased commit came from, as far as is known.
func (u *update) originals(c git.Commit) []string {
	if u.opts.Originals != nil {
		return u.opts.Originals(c)
	}
	number := u.opts.PR(c)
	if number == 0 {
		return nil
	}
	head, err := u.repo.Resolve(u.ctx, fmt.Sprintf("refs/pull/%d/head", number))
	if err != nil {
		return nil // few clones have these refs
	}
	ids, err := u.repo.Commits(u.ctx, []string{head}, []string{c.ID}, false)
	if err != nil || len(ids) > maxMerged {
		return nil // not a pull request against this branch any more
	}
	return ids
}

// inside finds the commits of a merge that made findings disappear, by scanning each of them. What a commit undid and
// a later one did again is the later one's. What none of them did was done by the merge itself.
func (u *update) inside(newestFirst []string, gone []*finding.Finding) (map[string]git.Commit, error) {
	by := map[string]git.Commit{}
	for _, id := range slices.Backward(newestFirst) {
		c, fixed, err := u.fixes(id)
		if errors.Is(err, ErrNotAnalysable) || errors.Is(err, git.ErrNotFound) {
			continue // no claim about this one
		}
		if err != nil {
			return nil, err
		}
		for _, f := range fixed {
			for _, g := range gone {
				if f.Fingerprint == g.Fingerprint || f.Rule == g.Rule && f.Function == g.Function && moveKey(f) == moveKey(g) {
					by[g.Fingerprint] = c
				}
			}
		}
	}
	return by, nil
}

// fixes compares a commit that is not on the branch's own line with its first parent.
func (u *update) fixes(id string) (git.Commit, []*finding.Finding, error) {
	c, err := u.repo.Commit(u.ctx, id)
	if err != nil || len(c.Parents) == 0 {
		return c, nil, err
	}
	parent, err := u.repo.Commit(u.ctx, c.Parents[0])
	if err != nil {
		return c, nil, err
	}
	changes, err := u.repo.Diff(u.ctx, parent.Tree, c.Tree, true)
	if err != nil {
		return c, nil, err
	}
	ch, _, inert := summarize(changes, u.opts.ConfigPath, u.opts.LogPaths)
	if inert {
		return c, nil, nil
	}
	before, after, err := u.both(parent, c)
	if err != nil {
		return c, nil, err
	}
	fixed, removed, _ := disappeared(before, after, ch)
	return c, append(fixed, removed...), nil
}

// trace completes a record with where its commit comes from.
func (u *update) trace(r *Record, c git.Commit, from origin) error {
	r.Commits, r.PatchID = from.commits, from.patch
	for _, fp := range r.Fingerprints {
		if inner, ok := from.by[fp]; ok && (r.By == "" || slices.Index(from.commits, inner.ID) < slices.Index(from.commits, r.By)) {
			r.By, r.Author = inner.ID, inner.Author
		}
	}
	var err error
	r.AliasOf, err = u.alias(r, c)
	return err
}

// alias finds the record of the fix that this one was picked from: by the line that `git cherry-pick -x` leaves, else
// by the same patch in the log of another branch. A commit in this branch's own history is no such one: there the
// violation came back in between.
func (u *update) alias(r *Record, c git.Commit) (string, error) {
	for _, l := range u.opts.Others {
		for i := range l.Records {
			x := &l.Records[i]
			picked := slices.Contains(c.Picked, x.Commit) || x.By != "" && slices.Contains(c.Picked, x.By)
			picked = picked && (x.Path == r.Path || slices.Equal(x.MoveKeys, r.MoveKeys)) // a file may have another name there
			if x.Rule != r.Rule || x.Symbol != r.Symbol || !picked && !x.samePatch(r) {
				continue
			}
			if own, err := u.inHistory(x.Commit); err != nil {
				return "", err
			} else if own {
				continue
			}
			if x.AliasOf != "" {
				return x.AliasOf, nil
			}
			return x.ID, nil
		}
	}
	if len(c.Picked) == 0 {
		return "", nil
	}
	source := c.Picked[len(c.Picked)-1]
	if own, err := u.inHistory(source); err != nil || own {
		return "", err
	}
	return recordID(source, r.Rule, r.Path, r.Symbol), nil // what the other branch's log calls it, when it is logged there
}

// inHistory reports whether a commit is part of the branch's history.
func (u *update) inHistory(id string) (bool, error) {
	if !u.repo.Has(u.ctx, id) {
		return false, nil
	}
	return u.earlier(id, u.tip)
}
