package fixlog

import (
	"errors"
	"slices"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// walk looks at commits, oldest first. Runs of quiet ones are put off until one that is not comes, or the end.
func (u *update) walk(commits []string) error {
	var run []string
	more := u.out.More
	for i, id := range commits {
		if u.opts.Progress != nil {
			u.opts.Progress(i, len(commits)-i+more)
		}
		quiet, err := u.quiet(id)
		if err != nil {
			return err
		}
		run = append(run, id)
		if quiet && i < len(commits)-1 {
			continue
		}
		if !quiet {
			run = run[:len(run)-1]
		}
		if err := u.quietRun(run); err != nil {
			return err
		}
		clear(u.churn)
		if !quiet {
			if err := u.one(id); err != nil {
				return err
			}
		}
		run = nil
	}
	return nil
}

// one compares a commit with its parent and counts it as done.
func (u *update) one(id string) error {
	if err := u.commit(id); err != nil {
		return err
	}
	u.done(id)
	return nil
}

func (u *update) done(ids ...string) {
	u.out.Commits += len(ids)
	u.out.visited = append(u.out.visited, ids...)
	if len(ids) > 0 {
		u.ledger.Tip = ids[len(ids)-1]
	}
}

// quiet reports whether a commit needs no look of its own.
func (u *update) quiet(id string) (bool, error) {
	if u.opts.Quiet == nil {
		return false, nil
	}
	c, err := u.repo.Commit(u.ctx, id)
	if err != nil || len(c.Parents) == 0 {
		return false, err
	}
	parent, err := u.repo.Commit(u.ctx, c.Parents[0])
	if errors.Is(err, git.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	changes, err := u.repo.Diff(u.ctx, parent.Tree, c.Tree, true)
	if err != nil {
		return false, err
	}
	ch, onlyLog, inert := summarize(changes, u.opts.ConfigPath, u.opts.LogPaths)
	u.renames[id] = ch.renamed
	if onlyLog || inert {
		return true, nil
	}
	if ch.config {
		return false, nil
	}
	quiet, err := u.opts.Quiet(u.ctx, c, changes)
	if err != nil || !quiet {
		return false, err
	}
	lines, known, err := u.churned(changes)
	u.churn[id] = lines
	return known, err
}

// quietRun compares the ends of a run of quiet commits. Where they differ something changed that no single commit
// shows in the files that it touches (a caller went away, a type is inferred elsewhere): the run is halved until the
// commit that did it is alone. It is halved too where lines went to and fro in it.
func (u *update) quietRun(run []string) error {
	if len(run) == 0 {
		return nil
	}
	same, err := u.sameEnds(run[0], run[len(run)-1])
	switch {
	case err != nil:
		return err
	case same && (len(run) == 1 || !u.toAndFro(run)):
		for _, id := range run {
			u.follow(u.renames[id])
		}
		u.done(run...)
		return nil
	case len(run) == 1:
		return u.one(run[0])
	}
	half := len(run) / 2
	if err := u.quietRun(run[:half]); err != nil {
		return err
	}
	return u.quietRun(run[half:])
}

// sameEnds reports whether the parent of the first commit and the last have the same violations.
func (u *update) sameEnds(first, last string) (bool, error) {
	c, err := u.repo.Commit(u.ctx, first)
	if err != nil || len(c.Parents) == 0 {
		return false, err
	}
	parent, err := u.repo.Commit(u.ctx, c.Parents[0])
	if errors.Is(err, git.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	end, err := u.repo.Commit(u.ctx, last)
	if err != nil {
		return false, err
	}
	changes, err := u.repo.Diff(u.ctx, parent.Tree, end.Tree, true)
	if err != nil {
		return false, err
	}
	if _, _, inert := summarize(changes, u.opts.ConfigPath, u.opts.LogPaths); inert {
		if fs, ok := u.seen.byTree[parent.Tree]; ok {
			u.seen.keep(end.Tree, fs)
		}
		return true, nil
	}
	before, after, err := u.both(parent, end)
	if errors.Is(err, ErrNotAnalysable) {
		return false, nil
	}
	return err == nil && slices.Equal(prints(before), prints(after)), err
}

// prints are the fingerprints of what counts, and of what is there and does not.
func prints(fs []finding.Finding) []string {
	all := make([]string, len(fs))
	for i := range fs {
		all[i] = fs[i].Fingerprint
		if fs[i].Gates(finding.Warn) {
			all[i] += "!"
		}
	}
	slices.Sort(all)
	return all
}
