package standin

import (
	"net/http"
	"slices"
	"strconv"
)

func (c *call) getRun() (int, any, error) {
	c.s.mu.Lock()
	run := c.run()
	if run == nil {
		c.s.mu.Unlock()
		return 0, nil, notFound()
	}
	out := run.clone()
	c.s.mu.Unlock()
	return http.StatusOK, c.repo.runShape(out), nil
}

func (c *call) listAnnotations() (int, any, error) {
	c.s.mu.Lock()
	run := c.run()
	if run == nil {
		c.s.mu.Unlock()
		return 0, nil, notFound()
	}
	out := run.clone()
	c.s.mu.Unlock()
	all := []any{}
	for _, a := range out.Annotations {
		all = append(all, object{
			"path": a.Path, "blob_href": c.repo.html() + "/blob/" + out.HeadSHA + "/" + a.Path, "start_line": a.StartLine,
			"end_line": a.EndLine, "start_column": a.StartColumn, "end_column": a.EndColumn, "annotation_level": a.Level,
			"title": nullable(a.Title), "message": a.Message, "raw_details": nullable(a.RawDetails),
		})
	}
	all, err := page(c, all)
	return http.StatusOK, all, err
}

// listRuns lists the runs of a commit: with the default filter only the newest of each name.
func (c *call) listRuns() (int, any, error) {
	sha := c.repo.commitVisible(c.context(), c.PathValue("ref"))
	if sha == "" {
		return 0, nil, fail(http.StatusUnprocessableEntity, "No commit found for SHA: %s", c.PathValue("ref"))
	}
	q := c.URL.Query()
	filter := q.Get("filter")
	if filter == "" {
		filter = "latest"
	}
	if filter != "latest" && filter != "all" {
		return 0, nil, malformed("%s is not a member of [\"latest\", \"all\"].", filter)
	}
	runs := c.s.CheckRunsFor(sha)
	slices.Reverse(runs) // newest first
	seen := map[string]bool{}
	all := []any{}
	for _, r := range runs {
		switch {
		case r.Repo != c.repo.FullName():
			continue
		case q.Has("check_name") && q.Get("check_name") != r.Name:
			continue
		case q.Has("status") && q.Get("status") != r.Status:
			continue
		case q.Has("app_id") && q.Get("app_id") != strconv.FormatInt(c.s.opt.AppID, 10):
			continue
		case filter == "latest" && seen[r.Name]:
			continue
		}
		seen[r.Name] = true
		all = append(all, c.repo.runShape(r))
	}
	total := len(all)
	all, err := page(c, all)
	return http.StatusOK, object{"total_count": total, "check_runs": all}, err
}
