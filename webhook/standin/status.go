package standin

import (
	"net/http"
	"slices"
	"time"
	"unicode/utf8"
)

// Status is a commit status. Values handed out are copies.
type Status struct {
	ID                                          int64
	SHA, State, Description, Context, TargetURL string
	Created                                     time.Time
	creator                                     string
}

// Statuses lists the statuses of a commit, oldest first.
func (r *Repository) Statuses(sha string) []Status {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	var out []Status
	for _, s := range r.statuses {
		if s.SHA == sha {
			out = append(out, *s)
		}
	}
	return out
}

func (s *Server) statusRoutes(on func(string, need, handler)) {
	on("GET /repos/{owner}/{repo}/commits/{ref}/statuses", read("metadata"), (*call).listStatuses)
	on("POST /repos/{owner}/{repo}/statuses/{sha}", write("statuses"), (*call).createStatus)
}

var statusStates = []string{"error", "failure", "pending", "success"}

const (
	maxStatuses    = 1000 // of one context on one commit
	maxStatusChars = 140
)

func (c *call) createStatus() (int, any, error) {
	var in struct {
		State, Description, Context string
		TargetURL                   string `json:"target_url"`
	}
	if err := c.decode(&in); err != nil {
		return 0, nil, err
	}
	sha := c.PathValue("sha")
	switch {
	case !slices.Contains(statusStates, in.State):
		return 0, nil, invalid("Status", "state", "invalid")
	case utf8.RuneCountInString(in.Description) > maxStatusChars:
		return 0, nil, custom("Status", "description is too long (maximum is 140 characters)")
	case !fullID.MatchString(sha) || c.repo.commitVisible(c.context(), sha) == "":
		return 0, nil, fail(http.StatusUnprocessableEntity, "No commit found for SHA: %s", sha)
	}
	if in.Context == "" {
		in.Context = "default"
	}
	n := 0
	for _, s := range c.repo.Statuses(sha) {
		if s.Context == in.Context {
			n++
		}
	}
	if n >= maxStatuses {
		return 0, nil, custom("Status", "This SHA and context has reached the maximum number of statuses.")
	}
	c.s.mu.Lock()
	s := &Status{ID: c.s.newID(), SHA: sha, State: in.State, Description: in.Description, Context: in.Context, TargetURL: in.TargetURL, Created: now(), creator: c.by().Login}
	c.repo.statuses = append(c.repo.statuses, s)
	out := *s
	c.s.mu.Unlock()
	return http.StatusCreated, c.statusShape(out), nil
}

func (c *call) listStatuses() (int, any, error) {
	sha := c.repo.commitVisible(c.context(), c.PathValue("ref"))
	if sha == "" {
		return 0, nil, fail(http.StatusUnprocessableEntity, "No commit found for SHA: %s", c.PathValue("ref"))
	}
	found := c.repo.Statuses(sha)
	slices.Reverse(found) // newest first
	all := []any{}
	for _, s := range found {
		all = append(all, c.statusShape(s))
	}
	all, err := page(c, all)
	return http.StatusOK, all, err
}

func (c *call) statusShape(s Status) object {
	return object{
		"url": c.repo.api() + "/statuses/" + s.SHA, "avatar_url": nil, "id": s.ID, "node_id": nodeID("SC", s.ID), "state": s.State,
		"description": s.Description, "target_url": nullable(s.TargetURL), "context": s.Context, "created_at": stamp(s.Created),
		"updated_at": stamp(s.Created), "creator": c.s.userShape(s.creator),
	}
}
