package fixlog

import (
	"cmp"
	"errors"
	"slices"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// ends is what lies between the parent of the first commit of a run and its last, as far as the log cares.
type ends struct {
	unknown bool               // one of them cannot be scanned
	taken   []*finding.Finding // of the first, which may have been fixed
	back    []*finding.Finding // of the last, which the log has as fixed or removed
}

func (e *ends) nothing() bool { return !e.unknown && len(e.taken)+len(e.back) == 0 }

// ends compares the two.
func (u *update) ends(run []*glance) (*ends, error) {
	parent, last := run[0].parent, run[len(run)-1].commit
	changes, change := run[0].changes, run[0].change
	if !slices.ContainsFunc(run, func(g *glance) bool { return !g.inert }) {
		if fs, ok := u.seen.byTree[parent.Tree]; ok {
			u.seen.keep(last.Tree, fs)
		}
		return &ends{}, nil
	}
	diff := func() ([]git.Change, error) { return changes, nil }
	if len(run) > 1 {
		diff = beside(func() ([]git.Change, error) { return u.repo.Diff(u.ctx, parent.Tree, last.Tree, true) })
	}
	before, after, err := u.both(parent, last)
	changes, diffErr := diff()
	if diffErr != nil {
		return nil, diffErr
	}
	if len(run) > 1 {
		change, _, _ = summarize(changes, u.opts.ConfigPath, u.opts.LogPaths)
		change.over(run)
	}
	if errors.Is(err, ErrNotAnalysable) {
		return &ends{unknown: true}, nil
	}
	if err != nil {
		return nil, err
	}
	e := &ends{}
	if e.taken, err = u.taken(went(before, after, change), changes, change); err != nil {
		return nil, err
	}
	e.back = slices.DeleteFunc(appeared(before, after), func(f *finding.Finding) bool { return !u.logged(f) })
	return e, nil
}

// over makes the renames and deletions those that the commits of a run made, one after the other: what one deleted and
// another one brought is no rename.
func (c *change) over(run []*glance) {
	c.renamed, c.deleted = map[string]string{}, map[string]bool{}
	t := newTide()
	for _, g := range run {
		for path := range g.change.deleted {
			c.deleted[t.name(path)] = true
		}
		t.take(g)
	}
	for now, first := range t.first {
		c.renamed[first], c.touched[first] = now, true
	}
}

// went are the violations that are not there any more, nor with their file in another place.
func went(before, after []finding.Finding, c change) []*finding.Finding {
	has, had := map[string]bool{}, map[string]bool{}
	for i := range after {
		has[after[i].Fingerprint] = true
	}
	for i := range before {
		had[before[i].Fingerprint] = true
	}
	var gone, fresh []*finding.Finding
	for _, f := range violations(before) {
		if !has[f.Fingerprint] {
			gone = append(gone, f)
		}
	}
	for i := range after {
		if !had[after[i].Fingerprint] {
			fresh = append(fresh, &after[i])
		}
	}
	gone, _ = unmatched(gone, fresh, func(old, now *finding.Finding) bool {
		return moveKey(old) == moveKey(now) && cmp.Or(c.renamed[old.Path], old.Path) == now.Path && old.Function == now.Function
	})
	return gone
}

// taken are those of the findings that are not there any more, or may not be, which the changes can have fixed: their file
// is gone, or their line, or the line that their value comes from.
func (u *update) taken(fs []*finding.Finding, changes []git.Change, c change) (out []*finding.Finding, err error) {
	var rest []*finding.Finding
	paths := map[string]bool{}
	for _, f := range fs {
		switch {
		case measuredOnly(f), c.deleted[f.Path]:
			out = append(out, f)
		case c.touched[f.Path]:
			rest = append(rest, f)
			paths[f.Path] = true
			if at := origins(f); at != nil {
				paths[at.Path] = true
			}
		}
	}
	if len(rest) == 0 {
		return out, nil
	}
	edits, err := readEdits(u.ctx, u.repo, u.opts.Shelf, slices.DeleteFunc(slices.Clone(changes), func(x git.Change) bool { return !paths[x.OldPath] }))
	if errors.Is(err, git.ErrNotFound) || errors.Is(err, git.ErrTooLarge) {
		return append(out, rest...), nil // a partial clone
	}
	for _, f := range rest {
		switch e := edits[f.Path]; {
		case e != nil && e.was != nil && e.is != nil:
			if !e.stands(f) || originChanged(f, edits) {
				out = append(out, f)
			}
		case c.renamed[f.Path] != "": // and so much else that it is no rename between the ends
			out = append(out, f)
		}
	}
	return out, err
}

// logged reports whether the log may have a fix of a finding that is there again.
func (u *update) logged(f *finding.Finding) bool {
	key := moveKey(f)
	return slices.ContainsFunc(u.ledger.Records, func(r Record) bool {
		return r.State != Regressed && r.State != Superseded && r.Doubt == "" && (slices.Contains(r.Fingerprints, f.Fingerprint) ||
			r.Symbol == f.Function && slices.Contains(r.MoveKeys, key))
	})
}

// suspect is the place in a run of the commit that most likely did it, -1 when none is more likely than the others.
func (e *ends) suspect(run []*glance) int {
	t := newTide()
	touched, took := -1, -1
	for i, g := range run {
		for _, x := range g.Seen {
			name := t.name(x.OldPath)
			is := func(f *finding.Finding) bool { return f.Path == name || f.Path == x.Path }
			switch {
			case slices.ContainsFunc(e.taken, is):
				touched = i
				if len(g.churn[x.OldPath].lost) > 0 {
					took = i
				}
			case slices.ContainsFunc(e.back, is):
				touched = i
			}
		}
		t.take(g)
	}
	if took >= 0 {
		return took
	}
	return touched
}
