package board

import (
	"slices"
	"strings"
	"time"

	"github.com/gatebot/gatebot/internal/fixlog"
	"github.com/gatebot/gatebot/webhook/board/signin"
)

type fixData struct {
	Repo, Query, State string
	Repos              []string
	States             []stateCount
	Rows               []fixRow
	Total              int
	Turns              turns
	Points             []Point
}

type stateCount struct {
	State string
	N     int
}

// fixRow is one record of the ledger as a reader wants it.
type fixRow struct {
	State, Text, Rule, Path, Symbol, Author string
	Commit, Back, By                        link // the fix, the commit that undid it, and what replaced the row
	PR                                      link
	When                                    time.Time
	Doubt, Measured                         string
	Notes                                   []string
}

// link is a text with an address, which may be "".
type link struct{ Text, URL string }

// commit links to a commit at GitHub.
func (b *Board) commit(repo signin.Repo, id string) link {
	if id == "" {
		return link{}
	}
	l := link{Text: id[:min(len(id), 7)]}
	if b.Web != "" && isHex(id) {
		l.URL = b.Web + "/" + fullName(repo) + "/commit/" + id
	}
	return l
}

// isHex keeps what people wrote into an imported row out of addresses.
func isHex(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') && (r < 'A' || r > 'F') })
}

func (b *Board) fixlog(l *look) (page, error) {
	q := l.r.URL.Query()
	d := fixData{Query: strings.TrimSpace(q.Get("q")), State: q.Get("state"), Repos: l.names()}
	repo, ok := l.repo()
	if !ok {
		return page{Name: "fixlog", Title: "Fix log", Data: d}, nil
	}
	d.Repo = fullName(repo)
	ledger, err := b.Source.Ledger(l, repo)
	if err != nil {
		return page{}, err
	}
	if d.Points, err = b.points(l, repo); err != nil {
		return page{}, err
	}
	if ledger == nil {
		ledger = &fixlog.Ledger{}
	}
	d.States = countStates(ledger)
	rows := b.fixes(repo, ledger, d.Query, d.State)
	d.Total = len(rows)
	from, to, turns := cut(q, d.Total)
	d.Rows, d.Turns = rows[from:to], turns
	return page{Name: "fixlog", Title: "Violation fix log", Charts: true, Data: d}, nil
}

// shown are the states in the order in which a reader looks for them.
var shown = []fixlog.State{fixlog.Fixed, fixlog.Regressed, fixlog.Open, fixlog.Superseded, fixlog.Removed}

func countStates(ledger *fixlog.Ledger) []stateCount {
	n := map[fixlog.State]int{}
	for i := range ledger.Records {
		n[ledger.Records[i].State]++
	}
	var out []stateCount
	for _, s := range shown {
		if n[s] > 0 {
			out = append(out, stateCount{string(s), n[s]})
		}
	}
	return out
}

// fixes are the records that a query finds, newest first.
func (b *Board) fixes(repo signin.Repo, ledger *fixlog.Ledger, query, state string) []fixRow {
	var out []fixRow
	for i := range ledger.Records {
		r := &ledger.Records[i]
		text := r.Human
		if text == "" {
			text = r.Description
		}
		if text == "" {
			text = fixlog.Describe(*r)
		}
		if state != "" && string(r.State) != state || !holds(query, r.PR, text, r.Rule, r.Path, r.NowPath, r.Symbol, r.Author, r.Commit, string(r.State), r.RegressedIn) {
			continue
		}
		row := fixRow{State: string(r.State), Text: text, Rule: r.Rule, Path: r.Path, Symbol: r.Symbol, Author: r.Author, When: r.When, Doubt: r.Doubt,
			Measured: r.Measured, Commit: b.commit(repo, r.Commit), Back: b.commit(repo, r.RegressedIn)}
		if r.NowPath != "" && r.NowPath != r.Path {
			row.Notes = append(row.Notes, "now in "+r.NowPath)
		}
		if r.Source == fixlog.SourceHand {
			row.Notes = append(row.Notes, "written by hand")
		}
		if r.Source == fixlog.SourceTrace {
			row.Notes = append(row.Notes, "seen on a device only")
		}
		if r.Orphaned {
			row.Notes = append(row.Notes, "its commit is not on the branch any more")
		}
		if by := slices.IndexFunc(ledger.Records, func(x fixlog.Record) bool { return r.SupersededBy != "" && x.ID == r.SupersededBy }); by >= 0 {
			row.By = b.commit(repo, ledger.Records[by].Commit)
		}
		if r.PR > 0 {
			row.PR = b.pull(repo, r.PR)
		}
		out = append(out, row)
	}
	slices.SortStableFunc(out, func(x, y fixRow) int { return y.When.Compare(x.When) })
	return out
}
