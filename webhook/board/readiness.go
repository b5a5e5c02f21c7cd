package board

import (
	"cmp"
	"slices"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/fixlog"
	"github.com/gatebot/gatebot/internal/readiness"
	"github.com/gatebot/gatebot/webhook/board/signin"
)

type readyData struct {
	Repo     string
	Repos    []string
	Key      string // of the job behind the results
	Results  *finding.Results
	Ran      time.Time
	Sections []readiness.Section
	Points   []Point
	Now      time.Time
}

// readiness is the four sections of the readiness document, from what the server has: the newest verdict about a branch, the
// oldest one that it remembers to count against, the ledger, and the configuration that the gate used.
func (b *Board) readiness(l *look) (page, error) {
	d := readyData{Repos: l.names(), Now: b.Now()}
	p := page{Name: "readiness", Title: "Readiness", Charts: true}
	repo, ok := l.repo()
	if !ok {
		p.Data = d
		return p, nil
	}
	d.Repo = fullName(repo)
	var err error
	if d.Points, err = b.points(l, repo); err != nil {
		return page{}, err
	}
	if len(d.Points) == 0 {
		p.Data = d
		return p, nil
	}
	in, err := b.readyInput(l, repo, d.Points)
	if err != nil {
		return page{}, err
	}
	last := d.Points[len(d.Points)-1]
	d.Key, d.Results, d.Ran = last.Key, in.Results, in.Ran
	d.Sections = readiness.Sections(in)
	p.Data = d
	return p, nil
}

func (b *Board) readyInput(l *look, repo signin.Repo, points []Point) (readiness.Input, error) {
	first, last := points[0], points[len(points)-1]
	in := readiness.Input{Classes: b.Classes, ResultsFile: "verdict", Ran: time.Unix(last.Time, 0)}
	now, err := b.Source.Results(l, last.Key)
	if err != nil {
		return in, err
	}
	before, err := b.Source.Results(l, first.Key)
	if err != nil {
		return in, err
	}
	if now != nil {
		in.Results, in.Commit, in.Now = now, now.Commit, sourceFindings(now)
	}
	if before != nil && first.Key != last.Key {
		in.Before, in.BeforeRev = sourceFindings(before), before.Commit
	} else {
		in.Before, in.BeforeRev = in.Now, in.Commit
	}
	ledger, err := b.Source.Ledger(l, repo)
	if err != nil {
		return in, err
	}
	if ledger != nil {
		in.Fixes = fixesOf(ledger)
	}
	setup, err := b.Source.Setup(l, repo)
	if err != nil {
		return in, err
	}
	if setup.Config != nil {
		in.Hazards = setup.Config.Hazards
	}
	in.GatedSince, in.GatedCommit = setup.GatedSince, setup.GatedBy
	return in, nil
}

// sourceFindings are those that the checklist counts: what the scan found. The other checks' are in section A.
func sourceFindings(r *finding.Results) []finding.Finding {
	var out []finding.Finding
	for _, f := range r.Findings {
		if f.Check == finding.CheckSource {
			out = append(out, f)
		}
	}
	return out
}

// fixesOf are the entries of the ledger that the checklist lists, oldest first.
func fixesOf(ledger *fixlog.Ledger) []readiness.Fix {
	var records []fixlog.Record
	for _, r := range ledger.Records {
		if r.Rule != "" && !r.Provisional && (r.State == fixlog.Fixed || r.State == fixlog.Regressed) {
			records = append(records, r)
		}
	}
	slices.SortStableFunc(records, func(a, b fixlog.Record) int { return a.When.Compare(b.When) })
	var out []readiness.Fix
	for _, r := range records {
		out = append(out, readiness.Fix{Commit: r.Commit, Rule: r.Rule, Description: cmp.Or(r.Human, r.Description), Regressed: r.State == fixlog.Regressed})
	}
	return out
}
