package fixlog

import (
	"slices"
	"strings"
	"time"
)

// Row is one line of the log: everything one commit fixed.
type Row struct {
	Commit      string
	Description string
	RegressedIn string // the first commit that brought some of it back, or empty
	When        time.Time
}

// shortID is the length of a commit id in the log, the first user's.
const shortID = 7

func short(id string) string { return id[:min(len(id), shortID)] }

// Rows is the ledger as people read it: one row for each commit, oldest first. Deletions and provisional entries are
// in the ledger only.
func (l *Ledger) Rows() []Row {
	var order []string
	byCommit := map[string][]Record{}
	for _, r := range l.Records {
		if r.State == Removed || r.State == Open || r.Provisional || r.replaced() {
			continue
		}
		if byCommit[r.Commit] == nil {
			order = append(order, r.Commit)
		}
		byCommit[r.Commit] = append(byCommit[r.Commit], r)
	}
	rows := make([]Row, 0, len(order))
	for _, commit := range order {
		rows = append(rows, row(byCommit[commit]))
	}
	// The order of discovery breaks ties, so that commits of one second stay as history has them.
	slices.SortStableFunc(rows, func(a, b Row) int { return a.When.Compare(b.When) })
	return rows
}

// replaced reports whether the record's commit is gone from history and another has taken its place.
func (r *Record) replaced() bool { return r.State == Superseded && r.RegressedIn == "" }

// successors maps commits that are gone from history to those that took their place.
func (l *Ledger) successors() map[string]string {
	next := map[string]string{}
	for i := range l.Records {
		r := &l.Records[i]
		if !r.replaced() {
			continue
		}
		by := r
		for range l.Records { // a chain of rewrites; a circle ends too
			n := l.find(by.SupersededBy)
			if n == nil {
				break
			}
			if by = n; !by.replaced() {
				next[r.Commit] = by.Commit
				break
			}
		}
	}
	return next
}

func row(records []Record) Row {
	out := Row{Commit: records[0].Commit, When: records[0].When}
	for _, r := range records {
		if out.RegressedIn == "" {
			out.RegressedIn = r.RegressedIn
		}
		if out.Description == "" {
			out.Description = r.Human
		}
	}
	if out.Description == "" {
		out.Description = describe(records)
	}
	return out
}

// sameCommit compares ids of which one may be shortened.
func sameCommit(a, b string) bool {
	n := min(len(a), len(b))
	return n >= shortID && strings.EqualFold(a[:n], b[:n])
}

// Describe says what one record removed, as a row would.
func Describe(r Record) string { return describe([]Record{r}) }
