package board

import (
	"context"
	"errors"
	"strings"
	"time"
)

// What one search looks at and shows of each kind: the newest first.
const (
	maxHits    = 20
	maxCommits = 8  // they have a list of their own
	maxLooked  = 60 // results files
	maxLedgers = 50
	searchTime = 8 * time.Second
)

type searchData struct {
	Query    string
	Jobs     []Job
	MoreJobs int
	Findings []findingHit
	MoreFind int
	Looked   int // results files
	Fixes    []fixHit
	MoreFix  int
	Cut      bool // the time was up
	Now      time.Time
}

type findingHit struct {
	found
	Job   Job
	Place link
}

type fixHit struct {
	fixRow
	Repo string
}

// search looks through commits and pull requests, the findings of the newest verdict of each branch and pull request, and the
// fix logs. What it reads is bounded in number and in time, and it says what it left out.
func (b *Board) search(l *look) (page, error) {
	d := searchData{Query: strings.TrimSpace(l.r.URL.Query().Get("q")), Now: b.Now()}
	if len(d.Query) > 200 {
		d.Query = strings.ToValidUTF8(d.Query[:200], "")
	}
	p := page{Name: "search", Title: "Search"}
	if d.Query == "" {
		p.Data = d
		return p, nil
	}
	ctx, cancel := context.WithTimeout(l, searchTime)
	defer cancel()
	for _, j := range l.jobs {
		if !matches(&j, d.Query) {
			continue
		}
		if len(d.Jobs) < maxCommits {
			d.Jobs = append(d.Jobs, j)
		} else {
			d.MoreJobs++
		}
	}
	err := b.searchFindings(ctx, l, &d)
	if err == nil {
		err = b.searchFixes(ctx, l, &d)
	}
	if errors.Is(err, context.DeadlineExceeded) && l.Err() == nil {
		d.Cut, err = true, nil
	}
	p.Data = d
	return p, err
}

// subject is what a verdict is about: the newest one of each is what holds now.
type subject struct {
	repo int64
	pr   int
	ref  string
}

func (b *Board) searchFindings(ctx context.Context, l *look, d *searchData) error {
	seen := map[subject]bool{}
	for i := range l.jobs {
		j := &l.jobs[i]
		s := subject{j.Repo.ID, j.PR, j.Ref}
		if j.State != "done" || !j.HasResults || seen[s] {
			continue
		}
		if d.Looked == maxLooked {
			d.Cut = true
			return nil
		}
		seen[s] = true
		if err := ctx.Err(); err != nil {
			return err
		}
		dig, err := b.digest(ctx, j)
		if err != nil {
			return err
		}
		d.Looked++
		if dig == nil {
			continue
		}
		for _, f := range dig.Findings {
			if !holds(d.Query, j.PR, f.Rule, f.Name, f.Message, f.Path, f.Function, string(f.Severity), string(f.Confidence), fullName(j.Repo)) {
				continue
			}
			if len(d.Findings) == maxHits {
				d.MoreFind++
				continue
			}
			d.Findings = append(d.Findings, findingHit{found: f, Job: *j, Place: b.line(j.Repo, j.Head, f.Path, f.Line)})
		}
	}
	return nil
}

func (b *Board) searchFixes(ctx context.Context, l *look, d *searchData) error {
	for i, repo := range l.repos {
		if i == maxLedgers {
			d.Cut = true
			return nil
		}
		ledger, err := b.Source.Ledger(ctx, repo)
		if err != nil {
			return err
		}
		if ledger == nil {
			continue
		}
		for _, row := range b.fixes(repo, ledger, d.Query, "") {
			if len(d.Fixes) == maxHits {
				d.MoreFix++
				continue
			}
			d.Fixes = append(d.Fixes, fixHit{row, fullName(repo)})
		}
	}
	return nil
}
