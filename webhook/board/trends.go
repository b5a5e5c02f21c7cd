package board

import (
	"context"
	"net/http"
	"slices"

	"github.com/gatebot/gatebot/internal/finding"
)

// maxPoints is how many results one look at the trends reads.
const maxPoints = 200

// Point is one verdict about a branch.
type Point struct {
	Time     int64   `json:"t"` // Unix, s
	Head     string  `json:"head"`
	Open     int     `json:"open"`     // findings that nobody allowed
	Captured int     `json:"captured"` // regions
	Regions  int     `json:"regions"`
	EagerUS  float64 `json:"eager_us,omitempty"` // of one step
	ReplayUS float64 `json:"replay_us,omitempty"`
}

type trendsData struct {
	Repo   string
	Repos  []string
	Points []Point // oldest first
}

func (b *board) trends(ctx context.Context, r *http.Request) (page, error) {
	all, err := b.Source.Jobs(ctx)
	if err != nil {
		return page{}, err
	}
	d := trendsData{Repo: r.URL.Query().Get("repo"), Repos: repos(all)}
	if d.Repo == "" && len(d.Repos) > 0 {
		d.Repo = d.Repos[0]
	}
	for _, j := range all {
		if j.Repo != d.Repo || !j.Mainline || j.State != "done" || len(d.Points) == maxPoints {
			continue
		}
		res, err := b.Source.Results(ctx, j.Key)
		if err != nil {
			return page{}, err
		}
		if res != nil && res.Verdict != finding.VerdictError {
			d.Points = append(d.Points, point(j, res))
		}
	}
	slices.Reverse(d.Points)
	return page{Name: "trends", Title: "Trends", Data: d}, nil
}

func point(j Job, r *finding.Results) Point {
	p := Point{Time: j.Updated.Unix(), Head: j.Head[:min(len(j.Head), 7)]}
	for i := range r.Findings {
		f := &r.Findings[i]
		known := f.Suppressed == nil || f.Suppressed.By == "baseline"
		if known && f.Confidence != finding.Possible && f.Severity.AtLeast(finding.Warn) {
			p.Open++
		}
	}
	for _, c := range r.Checks {
		switch c.Name {
		case finding.CheckCapture:
			p.Regions = len(c.Regions)
			for _, x := range c.Regions {
				if x.Status == finding.StatusPass {
					p.Captured++
				}
			}
		case finding.CheckSpeed:
			p.EagerUS, p.ReplayUS = c.Metrics["eager_us"], c.Metrics["replay_us"]
		}
	}
	return p
}
