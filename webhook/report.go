package webhook

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/report"
)

// showReport is the page of a job that has results: the same page that gatebot check writes, with what the server knows.
func (s *Server) showReport(w http.ResponseWriter, r *http.Request, rec *Record, res *finding.Results, base string) error {
	in := report.Input{Results: res, Title: rec.Repo.Owner + "/" + rec.Repo.Name, When: rec.Updated}
	if strings.HasPrefix(base, "/board/") {
		in.Links = append(in.Links, report.Link{Name: "all checks", URL: "/board"})
	}
	in.Links = append(in.Links, report.Link{Name: "results.json", URL: base + "/results.json"}, report.Link{Name: "results.sarif", URL: base + "/results.sarif"})
	ctx, cancel := context.WithTimeout(r.Context(), storeTimeout)
	defer cancel()
	if p, err := s.feed(rec).Progress(ctx); err == nil && p != nil && p.Pieces > 0 { // a link more or less
		in.Links = append(in.Links, report.Link{Name: "log", URL: base + "/log.txt"})
	}
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
	for _, f := range recordFacts(rec) {
		add(f.Name, f.Value)
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", report.Policy()+"; frame-ancestors 'none'")
	return report.Render(w, report.Build(in))
}
