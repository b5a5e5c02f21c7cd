package webhook

import (
	"fmt"
	"net/http"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/report"
)

// showReport is the page of a job that has results: the same page that gatebot check writes, with what the server knows.
func (p *planner) showReport(w http.ResponseWriter, rec *Record, res *finding.Results) error {
	in := report.Input{Results: res, Title: rec.Repo.Owner + "/" + rec.Repo.Name, When: rec.Updated,
		Links: []report.Link{{Name: "results.json", URL: p.pagePath(rec) + "/results.json"}, {Name: "results.sarif", URL: p.pagePath(rec) + "/results.sarif"}}}
	add := func(name, value string) {
		if value != "" {
			in.Facts = append(in.Facts, report.Fact{Name: name, Value: value})
		}
	}
	if rec.PR > 0 {
		add("pull request", fmt.Sprintf("#%d by %s", rec.PR, rec.Author))
	} else {
		add("branch", rec.BaseRef)
	}
	add("runner", rec.Runner)
	add("attempt", fmt.Sprintf("%d, %d spoilt by infrastructure", rec.Attempt, rec.Infra))
	if a := rec.ApprovedBy; a != nil {
		add("approved by", a.By)
	}
	if rec.Reused != "" {
		add("verdict of", fmt.Sprintf("%.12s, which has the same tree", rec.Reused))
	}
	for _, path := range rec.GateChanged {
		add("changes the gate", path)
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", report.Policy()+"; frame-ancestors 'none'")
	return report.Render(w, report.Build(in))
}

func (p *planner) pagePath(rec *Record) string {
	return "/jobs/" + rec.Key + "/" + p.pages.code(rec.Key)
}
