package standin

import (
	"net/http"
	"regexp"
	"strconv"
	"time"
)

func (s *Server) checkRoutes(on func(string, need, handler)) {
	on("POST /repos/{owner}/{repo}/check-runs", write("checks"), (*call).createRun)
	on("PATCH /repos/{owner}/{repo}/check-runs/{id}", write("checks"), (*call).updateRun)
	on("GET /repos/{owner}/{repo}/check-runs/{id}", read("checks"), (*call).getRun)
	on("GET /repos/{owner}/{repo}/check-runs/{id}/annotations", read("checks"), (*call).listAnnotations)
	on("GET /repos/{owner}/{repo}/commits/{ref}/check-runs", read("checks"), (*call).listRuns)
}

var fullID = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

// createRun makes a new run each time: there is no idempotency key at GitHub.
func (c *call) createRun() (int, any, error) {
	var in runInput
	if err := c.decode(&in); err != nil {
		return 0, nil, err
	}
	switch {
	case in.Name == nil || *in.Name == "":
		return 0, nil, malformed("%q wasn't supplied.", "name")
	case in.HeadSHA == nil || !fullID.MatchString(*in.HeadSHA):
		return 0, nil, malformed("head_sha must be a full commit id.")
	case in.Output != nil && in.Output.Title == nil:
		return 0, nil, malformed("%q wasn't supplied.", "title")
	}
	if err := in.check(); err != nil {
		return 0, nil, err
	}
	if c.repo.commitVisible(c.context(), *in.HeadSHA) == "" {
		return 0, nil, fail(http.StatusUnprocessableEntity, "No commit found for SHA: %s", *in.HeadSHA)
	}
	c.s.mu.Lock()
	key := suiteKey{c.repo.FullName(), *in.HeadSHA}
	if c.s.suites[key] == 0 {
		c.s.suites[key] = c.s.newID()
	}
	run := &CheckRun{
		ID: c.s.newID(), Repo: c.repo.FullName(), Name: *in.Name, HeadSHA: *in.HeadSHA, Status: "queued",
		Suite: c.s.suites[key], Started: now(),
	}
	err := run.apply(&in)
	if err == nil {
		c.s.runs = append(c.s.runs, run)
	}
	out := run.clone()
	c.s.mu.Unlock()
	if err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, c.repo.runShape(out), nil
}

func (c *call) updateRun() (int, any, error) {
	var in runInput
	if err := c.decode(&in); err != nil {
		return 0, nil, err
	}
	if err := in.check(); err != nil {
		return 0, nil, err
	}
	c.s.mu.Lock()
	run := c.run()
	if run == nil {
		c.s.mu.Unlock()
		return 0, nil, notFound()
	}
	err := run.apply(&in)
	out := run.clone()
	c.s.mu.Unlock()
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, c.repo.runShape(out), nil
}

// run finds the run that the path names. The caller holds mu.
func (c *call) run() *CheckRun {
	id, err := strconv.ParseInt(c.PathValue("id"), 10, 64)
	if err != nil {
		return nil
	}
	for _, r := range c.s.runs {
		if r.ID == id && r.Repo == c.repo.FullName() {
			return r
		}
	}
	return nil
}

// apply writes the sent fields into the run. Annotations are only ever appended.
func (r *CheckRun) apply(in *runInput) error {
	for _, f := range []struct {
		from *string
		into *time.Time
	}{{in.StartedAt, &r.Started}, {in.CompletedAt, &r.Completed}} {
		if f.from == nil {
			continue
		}
		t, err := time.Parse(time.RFC3339, *f.from)
		if err != nil {
			return malformed("%q is not a valid ISO 8601 timestamp.", *f.from)
		}
		*f.into = t
	}
	for _, f := range []struct{ from, into *string }{
		{in.Name, &r.Name}, {in.DetailsURL, &r.DetailsURL}, {in.ExternalID, &r.ExternalID}, {in.Status, &r.Status},
	} {
		if f.from != nil {
			*f.into = *f.from
		}
	}
	switch {
	case in.Conclusion != nil:
		r.Status, r.Conclusion = "completed", *in.Conclusion
		if r.Completed.IsZero() {
			r.Completed = now()
		}
	case in.Status != nil && *in.Status != "completed":
		r.Conclusion, r.Completed = "", time.Time{}
	}
	if o := in.Output; o != nil {
		for _, f := range []struct{ from, into *string }{{o.Title, &r.Title}, {o.Summary, &r.Summary}, {o.Text, &r.Text}} {
			if f.from != nil {
				*f.into = *f.from
			}
		}
		r.Annotations = append(r.Annotations, o.Annotations...)
	}
	if in.Actions != nil {
		r.Actions = in.Actions
	}
	state := r.Status
	if r.Conclusion != "" {
		state = r.Conclusion
	}
	if n := len(r.History); n == 0 || r.History[n-1] != state {
		r.History = append(r.History, state)
	}
	return nil
}
