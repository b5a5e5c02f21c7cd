package fixlog

import (
	"errors"
	"slices"

	"github.com/gatebot/gatebot/internal/git"
)

// land closes the provisional records of what has landed: under the same commit, as part of a merge, rebased, or
// squashed together with others. What people wrote about them stays.
func (u *update) land(by *Record) {
	if by.State == Open {
		return
	}
	for i := range u.ledger.Records {
		r := &u.ledger.Records[i]
		if r.ID == by.ID || r.State != Open || r.Rule != by.Rule || r.Symbol != by.Symbol {
			continue
		}
		if !r.samePatch(by) && !slices.ContainsFunc(r.Fingerprints, func(fp string) bool { return slices.Contains(by.Fingerprints, fp) }) {
			continue
		}
		if by.Human == "" {
			by.Human = r.Human
		}
		by.stands(r.Commit)
		r.State, r.SupersededBy = Superseded, by.ID
		u.touch(r.ID)
	}
}

// stands adds a commit that the record's own stands for.
func (r *Record) stands(commit string) {
	if commit != r.Commit && !slices.Contains(r.Commits, commit) {
		r.Commits = append(r.Commits, commit)
	}
}

// samePatch reports whether two records are about one change of one file, made by different commits.
func (r *Record) samePatch(x *Record) bool {
	return r.PatchID != "" && r.PatchID == x.PatchID && r.Path == x.Path && r.Commit != x.Commit
}

// orphans looks, after the branch was rewritten, at the records whose commit is not in its history any more. The scan
// of the new commits has taken over what it could recognize by its findings; the rest is matched by patch, also rows
// that people wrote. What matches nothing is kept and marked.
func (u *update) orphans() error {
	if !u.rewrote || u.repo.Shallow() {
		return nil
	}
	ids, err := u.repo.Commits(u.ctx, []string{u.tip}, nil, false)
	if err != nil {
		return err
	}
	here := make(map[string]bool, len(ids))
	for _, id := range ids {
		here[id] = true
	}
	patches, err := u.patchIDs(u.line)
	if err != nil {
		return err
	}
	byPatch := map[string]string{}
	for _, id := range u.line { // newest first, so that the oldest of equals wins
		if p := patches[id]; p != "" {
			byPatch[p] = id
		}
	}
	for i := range u.ledger.Records {
		r := &u.ledger.Records[i]
		lost := !here[r.Commit] && len(r.Commit) >= 40 // a hand-written short id is one this clone never had
		switch {
		case r.State == Open || r.State == Superseded:
		case !lost && r.Orphaned:
			r.Orphaned = false
			u.touch(r.ID)
		case lost && r.PatchID != "" && byPatch[r.PatchID] != "":
			if err := u.rematch(i, byPatch[r.PatchID]); err != nil {
				return err
			}
		case lost && !r.Orphaned:
			r.Orphaned = true
			u.touch(r.ID)
			u.note("%.7s is not in the history any more and nothing there has its changes: its entry is kept as orphaned", r.Commit)
		}
	}
	return nil
}

// rematch gives the record at i the commit that carries its patch now.
func (u *update) rematch(i int, commit string) error {
	c, err := u.repo.Commit(u.ctx, commit)
	if err != nil && !errors.Is(err, git.ErrNotFound) {
		return err
	}
	now := u.ledger.Records[i]
	now.Commit, now.Parent, now.When, now.Orphaned, now.By, now.Commits = commit, "", c.When, false, "", nil
	if len(c.Parents) > 0 {
		now.Parent = c.Parents[0]
	}
	now.ID = recordID(commit, now.Rule, now.Path, now.Symbol)
	if now.Source == SourceHand {
		now.ID = recordID(commit, "", "", now.Description)
	}
	if u.ledger.find(now.ID) == nil {
		u.ledger.Records = append(u.ledger.Records, now)
		u.touch(now.ID)
	}
	old := &u.ledger.Records[i]
	old.State, old.SupersededBy, old.RegressedIn, old.Orphaned = Superseded, now.ID, "", false
	u.touch(old.ID)
	return nil
}
