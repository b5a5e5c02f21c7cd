package standin

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (s *Server) appRoutes(on func(string, need, handler)) {
	on("GET /app", asApp, func(c *call) (int, any, error) { return http.StatusOK, c.s.appShape(), nil })
	on("GET /app/installations", asApp, (*call).installations)
	on("POST /app/installations/{id}/access_tokens", asApp, (*call).newToken)
	on("GET /repos/{owner}/{repo}/installation", asApp, (*call).installation)
	on("GET /app/hook/deliveries", asApp, (*call).listDeliveries)
	on("GET /app/hook/deliveries/{id}", asApp, (*call).getDelivery)
	on("POST /app/hook/deliveries/{id}/attempts", asApp, (*call).redeliver)
	on("GET /installation/repositories", read("metadata"), func(c *call) (int, any, error) {
		return http.StatusOK, object{"total_count": 1, "repository_selection": "selected", "repositories": []any{c.token.repo.shape()}}, nil
	})
	on("GET /repos/{owner}/{repo}", read("metadata"), func(c *call) (int, any, error) {
		return http.StatusOK, c.repo.fullShape(c.token.user), nil
	})
	on("DELETE /applications/{client}/token", asClient, (*call).revokeToken)
}

func (c *call) installation() (int, any, error) {
	if c.repo == nil {
		return 0, nil, notFound()
	}
	return http.StatusOK, c.repo.installationShape(), nil
}

func (c *call) installations() (int, any, error) {
	c.s.mu.Lock()
	repos := slices.Clone(c.s.repos)
	c.s.mu.Unlock()
	all := []any{}
	for _, r := range repos {
		all = append(all, r.installationShape())
	}
	all, err := page(c, all)
	return http.StatusOK, all, err
}

// tokenLife is how long an installation token lives.
const tokenLife = time.Hour

func (c *call) newToken() (int, any, error) {
	id, err := strconv.ParseInt(c.PathValue("id"), 10, 64)
	if err != nil {
		return 0, nil, notFound()
	}
	var ask struct {
		Repositories  []string          `json:"repositories"`
		RepositoryIDs []int64           `json:"repository_ids"`
		Permissions   map[string]string `json:"permissions"`
	}
	if len(strings.TrimSpace(string(c.body))) > 0 {
		if err := c.decode(&ask); err != nil {
			return 0, nil, err
		}
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	i := slices.IndexFunc(c.s.repos, func(r *Repository) bool { return r.installation == id })
	if i < 0 {
		return 0, nil, notFound()
	}
	r := c.s.repos[i]
	outside := slices.ContainsFunc(ask.Repositories, func(n string) bool { return !strings.EqualFold(n, r.name) }) ||
		slices.ContainsFunc(ask.RepositoryIDs, func(n int64) bool { return n != r.id })
	if outside {
		return 0, nil, fail(http.StatusUnprocessableEntity, "There is at least one repository that does not exist or is not accessible to the parent installation.")
	}
	granted := map[string]string{}
	for name, level := range appPermissions {
		granted[name] = level
	}
	if ask.Permissions != nil {
		clear(granted)
		granted["metadata"] = "read" // always there
		for name, level := range ask.Permissions {
			if have := appPermissions[name]; have == "" || level == "write" && have == "read" {
				return 0, nil, fail(http.StatusUnprocessableEntity, "The permissions requested are not granted to this installation.")
			}
			granted[name] = level
		}
	}
	t := &token{value: "ghs_" + strings.ReplaceAll(newGUID(), "-", ""), repo: r, permissions: granted, expires: now().Add(tokenLife)}
	c.s.tokens[t.value] = t
	return http.StatusCreated, object{
		"token": t.value, "expires_at": stamp(t.expires), "permissions": granted, "repository_selection": "selected",
	}, nil
}

func (d *Delivery) shape() object {
	return object{
		"id": d.ID, "guid": d.GUID, "delivered_at": stamp(d.At), "redelivery": d.Redelivery, "duration": d.Duration.Seconds(),
		"status": d.Status, "status_code": d.StatusCode, "event": d.Event, "action": nullable(d.Action),
		"installation_id": nullableID(d.installation), "repository_id": nullableID(d.repoID), "throttled_at": nil,
	}
}

func nullableID(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

// listDeliveries is newest first. GitHub pages it by a cursor: the id of the delivery to go on from.
func (c *call) listDeliveries() (int, any, error) {
	size := 30
	if v, err := strconv.Atoi(c.URL.Query().Get("per_page")); err == nil {
		size = min(max(v, 1), 100)
	}
	from, _ := strconv.ParseInt(c.URL.Query().Get("cursor"), 10, 64)
	all := c.s.Deliveries()
	slices.Reverse(all)
	out := []any{}
	for _, d := range all {
		if !d.Done || from != 0 && d.ID > from {
			continue
		}
		if len(out) == size {
			q := c.URL.Query()
			q.Set("cursor", strconv.FormatInt(d.ID, 10))
			c.reply.Set("Link", "<"+c.s.URL()+c.URL.Path+"?"+q.Encode()+`>; rel="next"`)
			break
		}
		out = append(out, d.shape())
	}
	return http.StatusOK, out, nil
}

func (c *call) delivery() *Delivery {
	id, _ := strconv.ParseInt(c.PathValue("id"), 10, 64)
	for _, d := range c.s.Deliveries() {
		if d.ID == id && d.Done {
			return &d
		}
	}
	return nil
}

func (c *call) getDelivery() (int, any, error) {
	d := c.delivery()
	if d == nil {
		return 0, nil, notFound()
	}
	o := d.shape()
	o["request"] = object{
		"headers": object{"X-GitHub-Delivery": d.GUID, "X-GitHub-Event": d.Event}, "payload": jsonRaw(d.Body),
	}
	o["response"] = object{"headers": object{}, "payload": nil}
	return http.StatusOK, o, nil
}

func (c *call) redeliver() (int, any, error) {
	d := c.delivery()
	if d == nil {
		return 0, nil, notFound()
	}
	return http.StatusAccepted, object{}, c.s.Redeliver(d.GUID)
}
