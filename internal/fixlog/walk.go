package fixlog

import (
	"errors"
	"slices"

	"github.com/gatebot/gatebot/internal/finding"
)

// walk looks at commits, oldest first. Those that a quick look lets pass are put off and compared as one, up to one that
// it does not, or the end.
func (u *update) walk(commits []string) error {
	var run []*glance
	more := u.out.More
	seen := u.lookAhead(commits)
	defer seen.close()
	for i, id := range commits {
		if u.opts.Progress != nil {
			u.opts.Progress(i, len(commits)-i+more)
		}
		g, err := seen.next()
		if err != nil {
			return err
		}
		if g.Sight == Quiet && u.bringsBack(g) {
			g.Sight = Exact
		}
		if g.Sight != Quiet {
			u.soon(id)
			if err := u.settle(run); err != nil {
				return err
			}
			run = nil
			if alone, err := u.mayFix(g); err != nil {
				return err
			} else if alone {
				u.early = u.readEarly(g)
				err := u.one(id)
				u.early.end()
				if u.early = nil; err != nil {
					return err
				}
				continue
			}
		}
		run = append(run, g)
	}
	return u.settle(run)
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

// mayFix reports whether a commit has to be compared with its parent. What its parent has in the files that it touches
// decides: a commit that takes no line of a finding away, and no line that one comes from, fixes nothing. What it brings
// back is seen where the run ends that it begins.
func (u *update) mayFix(g *glance) (bool, error) {
	if g.Sight == Exact {
		return true, nil
	}
	before, err := u.seen.findings(u.ctx, g.parent)
	if errors.Is(err, ErrNotAnalysable) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	taken, err := u.taken(violations(before), g.changes, g.change)
	return len(taken) > 0, err
}

// bringsBack reports whether a commit may bring back what the log has as fixed: by what it has of its own, or with a file
// that gets the name it once had.
func (u *update) bringsBack(g *glance) bool {
	if slices.ContainsFunc(g.Gained, func(f finding.Finding) bool { return u.logged(&f) }) {
		return true
	}
	for _, now := range g.change.renamed {
		if slices.ContainsFunc(u.ledger.Records, func(r Record) bool { return r.Path == now || r.NowPath == now }) {
			return true
		}
	}
	return false
}

// settle compares what is put off.
func (u *update) settle(run []*glance) error {
	for _, part := range parts(run) {
		if err := u.part(part); err != nil {
			return err
		}
	}
	return nil
}

// part compares the ends of a part of a run. Where something went between them that may be a fix, something changed that
// no single commit shows in the files that it touches (a caller went away, a type is inferred elsewhere): the part is
// divided until the commit that did it is alone.
func (u *update) part(run []*glance) error {
	if len(run) == 0 {
		return nil
	}
	e, err := u.ends(run)
	switch {
	case err != nil:
		return err
	case e.nothing():
		for _, g := range run {
			u.follow(g.change.renamed)
			u.done(g.commit.ID)
		}
		return nil
	case len(run) == 1:
		return u.one(run[0].commit.ID)
	}
	pieces := [][]*glance{run[:len(run)/2], run[len(run)/2:]}
	if at := e.suspect(run); at >= 0 {
		pieces = [][]*glance{run[:at], run[at : at+1], run[at+1:]}
	}
	for _, piece := range pieces {
		if err := u.part(piece); err != nil {
			return err
		}
	}
	return nil
}
