package fixlog

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// follow keeps the records of renamed files findable.
func (u *update) follow(renamed map[string]string) {
	for i := range u.ledger.Records {
		r := &u.ledger.Records[i]
		if now, ok := renamed[cmp.Or(r.NowPath, r.Path)]; ok {
			r.NowPath = now
			u.touch(r.ID)
		}
	}
}

// regressions marks the records whose violation is back. One that was doubtful has perhaps never been away.
func (u *update) regressions(c git.Commit, back []*finding.Finding) error {
	for _, f := range back {
		for i := range u.ledger.Records {
			r := &u.ledger.Records[i]
			if r.State != Fixed && r.State != Removed && r.State != Open || r.Doubt != "" || !r.holds(f.Fingerprint, moveKey(f), f.Path, f.Function) {
				continue
			}
			earlier, err := u.earlier(r.Commit, c.ID)
			if err != nil {
				return err
			}
			if earlier {
				r.State, r.RegressedIn = Regressed, c.ID
				u.touch(r.ID)
			}
		}
	}
	return nil
}

// earlier reports whether a fix lies before a commit: a range may be read again, and what is fixed later in it was
// there before. A fix that the repository does not have any more was logged before the history was rewritten.
func (u *update) earlier(fix, commit string) (bool, error) {
	if !u.repo.Has(u.ctx, fix) {
		return true, nil
	}
	base, err := u.repo.MergeBase(u.ctx, fix, commit)
	if errors.Is(err, git.ErrNotFound) {
		return false, nil
	}
	return base == fix, err
}

// add writes one record for each rule and function.
func (u *update) add(c git.Commit, gone []*finding.Finding, state State, renamed map[string]string, why map[*finding.Finding]string) error {
	var ids []string
	byID := map[string]*Record{}
	for _, f := range gone {
		id := recordID(c.ID, f.Rule, f.Path, f.Function)
		r := byID[id]
		if r == nil {
			r = &Record{ID: id, State: state, Commit: c.ID, Parent: c.Parents[0], PR: u.opts.PR(c), Author: c.Author,
				When: c.When, Source: SourceStatic, Rule: f.Rule, Path: f.Path, NowPath: renamed[f.Path], Symbol: f.Function,
				Operation: operation(f), Measured: measured(f), Provisional: u.opts.Open, Doubt: why[f]}
			if measuredOnly(f) {
				r.Source = SourceTrace
			}
			byID[id] = r
			ids = append(ids, id)
		}
		if op := operation(f); !strings.Contains(r.Operation, op) {
			r.Operation += ", " + op
		}
		r.Fingerprints = append(r.Fingerprints, f.Fingerprint)
		r.MoveKeys = append(r.MoveKeys, moveKey(f))
	}
	if len(ids) == 0 {
		return nil
	}
	from, err := u.origin(c, gone)
	if err != nil {
		return err
	}
	for _, id := range ids {
		r := byID[id]
		if err := u.trace(r, c, from); err != nil {
			return err
		}
		r.Description = describe([]Record{*r})
		u.supersede(r)
		if err := u.rewritten(r); err != nil {
			return err
		}
		u.land(r)
		u.put(r)
	}
	return nil
}

// supersede closes the records of earlier fixes of what is fixed again now.
func (u *update) supersede(by *Record) {
	for i := range u.ledger.Records {
		r := &u.ledger.Records[i]
		if r.State != Regressed || r.ID == by.ID {
			continue
		}
		for j, fp := range by.Fingerprints {
			if r.holds(fp, by.MoveKeys[j], by.Path, by.Symbol) {
				r.State, r.SupersededBy = Superseded, by.ID
				u.touch(r.ID)
				break
			}
		}
	}
}

// rewritten takes over the record of the same fix from a history that is no more: the branch was rebased or amended
// and pushed by force, and what was one commit is now another. In one history the same violation cannot be fixed twice
// without coming back in between, so a record that still stands and is no ancestor is such a one. What people wrote
// about it stays.
func (u *update) rewritten(by *Record) error {
	for i := range u.ledger.Records {
		r := &u.ledger.Records[i]
		if r.ID == by.ID || r.State != by.State || r.Rule != by.Rule || r.Symbol != by.Symbol ||
			!r.samePatch(by) && !slices.Equal(r.Fingerprints, by.Fingerprints) {
			continue
		}
		if u.repo.Has(u.ctx, r.Commit) {
			onLine, err := u.earlier(r.Commit, u.tip)
			if err != nil {
				return err
			}
			if onLine {
				continue
			}
		}
		by.Human = cmp.Or(by.Human, r.Human)
		if r.State == Open && (r.samePatch(by) || r.Parent != by.Parent) { // squashed or rebased by hand, not amended
			by.stands(r.Commit)
		}
		r.State, r.SupersededBy, r.Orphaned = Superseded, by.ID, false
		u.touch(r.ID)
	}
	return nil
}

// put adds the record, or renews it when the range was looked at before; what people wrote and what happened since
// stays.
func (u *update) put(r *Record) {
	if old := u.ledger.find(r.ID); old != nil {
		r.Human = cmp.Or(old.Human, r.Human)
		if old.State != Open { // else it has landed as it was
			r.State, r.RegressedIn, r.SupersededBy = old.State, old.RegressedIn, old.SupersededBy
		}
		for _, id := range old.Commits {
			r.stands(id)
		}
		r.NowPath = cmp.Or(old.NowPath, r.NowPath)
		if old.State == Open && r.State != Open {
			u.touch(r.ID)
		}
		*old = *r
		return
	}
	u.ledger.Records = append(u.ledger.Records, *r)
	u.touch(r.ID)
}

var (
	squashed    = regexp.MustCompile(`\(#(\d{1,9})\)$`)
	mergeButton = regexp.MustCompile(`^Merge pull request #(\d{1,9}) from `)
)

// pullRequest reads the number that GitHub writes into the subject of squash and merge commits, or 0.
func pullRequest(subject string) int {
	for _, re := range []*regexp.Regexp{squashed, mergeButton} {
		if m := re.FindStringSubmatch(subject); m != nil {
			n, _ := strconv.Atoi(m[1]) // the expression lets only numbers through
			return n
		}
	}
	return 0
}
