package standin

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

func (s *Server) pullRoutes(on func(string, need, handler)) {
	on("GET /repos/{owner}/{repo}/pulls", read("pull_requests"), (*call).listPulls)
	on("POST /repos/{owner}/{repo}/pulls", write("pull_requests"), (*call).createPull)
	on("GET /repos/{owner}/{repo}/pulls/{number}", read("pull_requests"), (*call).getPull)
	on("PATCH /repos/{owner}/{repo}/pulls/{number}", write("pull_requests"), (*call).updatePull)
	on("GET /repos/{owner}/{repo}/commits/{ref}/pulls", read("pull_requests"), (*call).pullsOfCommit)
}

func (c *call) listPulls() (int, any, error) {
	q := c.URL.Query()
	state := q.Get("state")
	if state == "" {
		state = "open"
	}
	// GitHub's default order is newest first.
	pulls := c.repo.Pulls()
	if q.Get("direction") != "asc" {
		slices.Reverse(pulls)
	}
	all := []any{}
	for _, p := range pulls {
		switch {
		case state != "all" && p.State != state:
			continue
		case q.Get("head") != "" && !strings.EqualFold(q.Get("head"), p.label()):
			continue
		case q.Get("base") != "" && q.Get("base") != p.BaseRef:
			continue
		}
		all = append(all, c.repo.pullShape(p))
	}
	all, err := page(c, all)
	return http.StatusOK, all, err
}

func (c *call) createPull() (int, any, error) {
	var in struct {
		Title, Head, Base, Body string
		Draft                   bool
	}
	if err := c.decode(&in); err != nil {
		return 0, nil, err
	}
	if in.Title == "" {
		return 0, nil, invalid("PullRequest", "title", "missing_field")
	}
	from, head := c.repo, in.Head
	if owner, branch, ok := strings.Cut(in.Head, ":"); ok {
		c.s.mu.Lock()
		from, head = c.s.repository(owner, c.repo.name), branch
		c.s.mu.Unlock()
		if from == nil {
			return 0, nil, invalid("PullRequest", "head", "invalid")
		}
	}
	if from == c.repo && c.repo.Head(head) != "" && c.repo.Head(head) == c.repo.Head(in.Base) {
		return 0, nil, custom("PullRequest", "No commits between "+in.Base+" and "+head)
	}
	c.s.mu.Lock()
	bot := c.s.bot()
	c.s.mu.Unlock()
	p, err := c.repo.OpenPull(c.context(), bot, NewPull{
		Title: in.Title, Body: in.Body, Head: head, Base: in.Base, Draft: in.Draft, From: from,
	})
	if err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, c.repo.pullFullShape(c.context(), p), nil
}

// findPull is the pull request of the path. The caller holds mu.
func (c *call) findPull() *Pull {
	n, err := strconv.Atoi(c.PathValue("number"))
	if err != nil {
		return nil
	}
	return c.repo.pull(n)
}

func (c *call) getPull() (int, any, error) {
	c.s.mu.Lock()
	p := c.findPull()
	if p == nil {
		c.s.mu.Unlock()
		return 0, nil, notFound()
	}
	out := *p
	c.s.mu.Unlock()
	return http.StatusOK, c.repo.pullFullShape(c.context(), out), nil
}

func (c *call) updatePull() (int, any, error) {
	var in struct{ Title, Body, State, Base *string }
	if err := c.decode(&in); err != nil {
		return 0, nil, err
	}
	if in.State != nil && *in.State != "open" && *in.State != "closed" {
		return 0, nil, invalid("PullRequest", "state", "invalid")
	}
	c.s.mu.Lock()
	p := c.findPull()
	if p == nil {
		c.s.mu.Unlock()
		return 0, nil, notFound()
	}
	for _, f := range []struct{ from, into *string }{{in.Title, &p.Title}, {in.Body, &p.Body}, {in.Base, &p.BaseRef}} {
		if f.from != nil {
			*f.into = *f.from
		}
	}
	p.Updated = now()
	bot := c.s.bot()
	c.s.mu.Unlock()
	if in.State != nil && *in.State == "closed" {
		if err := c.repo.close(c.context(), bot, p, ""); err != nil {
			return 0, nil, err
		}
	}
	return c.getPull()
}

// pullsOfCommit lists the pull requests that contain a commit; a fork's commit is found by its head only.
func (c *call) pullsOfCommit() (int, any, error) {
	sha := c.repo.commitVisible(c.context(), c.PathValue("ref"))
	if sha == "" {
		return 0, nil, fail(http.StatusUnprocessableEntity, "No commit found for SHA: %s", c.PathValue("ref"))
	}
	all := []any{}
	for _, p := range c.repo.Pulls() {
		if p.HeadSHA != sha {
			out, err := c.s.git.run(c.context(), c.repo.Dir(), nil, "rev-list", p.BaseSHA+".."+p.HeadSHA)
			if err != nil || !slices.Contains(strings.Fields(out), sha) {
				continue
			}
		}
		all = append(all, c.repo.pullShape(p))
	}
	all, err := page(c, all)
	return http.StatusOK, all, err
}
