package board

import (
	"slices"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/webhook/board/signin"
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
	Key      string  `json:"-"` // of the job
}

type trendsData struct {
	Repo   string
	Repos  []string
	Points []Point // oldest first
}

func (b *Board) trends(l *look) (page, error) {
	d := trendsData{Repos: l.names()}
	repo, ok := l.repo()
	if ok {
		d.Repo = fullName(repo)
		var err error
		if d.Points, err = b.points(l, repo); err != nil {
			return page{}, err
		}
	}
	return page{Name: "trends", Title: "Trends", Charts: true, Data: d}, nil
}

// points are the newest verdicts about a repository's branches, oldest first.
func (b *Board) points(l *look, repo signin.Repo) ([]Point, error) {
	var out []Point
	for i := range l.jobs {
		j := &l.jobs[i]
		if j.Repo.ID != repo.ID || !j.Mainline || j.State != "done" || len(out) == maxPoints {
			continue
		}
		d, err := b.digest(l, j)
		if err != nil {
			return nil, err
		}
		if d == nil || d.Verdict == finding.VerdictError {
			continue
		}
		out = append(out, Point{Time: j.Updated.Unix(), Head: j.Head[:min(len(j.Head), 7)], Open: d.Open, Captured: d.Captured, Regions: d.Regions,
			EagerUS: d.EagerUS, ReplayUS: d.ReplayUS, Key: j.Key})
	}
	slices.Reverse(out)
	return out, nil
}
