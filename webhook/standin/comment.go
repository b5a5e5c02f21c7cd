package standin

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Comment is a comment on a pull request. Values handed out are copies.
type Comment struct {
	ID        int64
	PR        int
	User      string
	Body      string
	Created   time.Time
	Updated   time.Time
	Reactions []string // contents, in the order in which they came
}

// Comment writes a comment as a person does, and sends its event.
func (r *Repository) Comment(by *User, pr int, body string) (Comment, error) {
	r.s.mu.Lock()
	p := r.pull(pr)
	if p == nil {
		r.s.mu.Unlock()
		return Comment{}, fmt.Errorf("stand-in: pull request %d: no such", pr)
	}
	at := now()
	c := &Comment{ID: r.s.newID(), PR: pr, User: by.Login, Body: body, Created: at, Updated: at}
	r.comments = append(r.comments, c)
	out, pull := *c, *p
	r.s.mu.Unlock()
	return out, r.emitComment(by, "created", out, pull, nil)
}

// EditComment changes a comment and sends its event.
func (r *Repository) EditComment(by *User, id int64, body string) error {
	r.s.mu.Lock()
	c := r.comment(id)
	if c == nil {
		r.s.mu.Unlock()
		return fmt.Errorf("stand-in: comment %d: no such", id)
	}
	was := c.Body
	c.Body, c.Updated = body, now()
	out, pull := *c, *r.pull(c.PR)
	r.s.mu.Unlock()
	return r.emitComment(by, "edited", out, pull, object{"body": object{"from": was}})
}

// Comments lists the comments of a pull request, oldest first.
func (r *Repository) Comments(pr int) []Comment {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	var out []Comment
	for _, c := range r.comments {
		if c.PR == pr {
			one := *c
			one.Reactions = slices.Clone(c.Reactions)
			out = append(out, one)
		}
	}
	return out
}

// comment finds one. The caller holds mu.
func (r *Repository) comment(id int64) *Comment {
	for _, c := range r.comments {
		if c.ID == id {
			return c
		}
	}
	return nil
}

func (r *Repository) emitComment(by *User, action string, c Comment, p Pull, changes object) error {
	o := object{"action": action, "comment": r.commentShape(c), "issue": r.issueShape(p)}
	if changes != nil {
		o["changes"] = changes
	}
	return r.s.emit(r, "issue_comment", r.payload(by, o))
}

func reactions(url string) object {
	o := object{"url": url, "total_count": 0}
	for _, k := range []string{"+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"} {
		o[k] = 0
	}
	return o
}

func (r *Repository) commentShape(c Comment) object {
	api := fmt.Sprintf("%s/issues/comments/%d", r.api(), c.ID)
	return object{
		"id": c.ID, "node_id": nodeID("IC", c.ID), "url": api, "html_url": fmt.Sprintf("%s/pull/%d#issuecomment-%d", r.html(), c.PR, c.ID),
		"issue_url": fmt.Sprintf("%s/issues/%d", r.api(), c.PR), "user": r.s.userShape(c.User), "created_at": stamp(c.Created),
		"updated_at": stamp(c.Updated), "author_association": "MEMBER", "body": c.Body, "reactions": reactions(api + "/reactions"),
		"performed_via_github_app": nil,
	}
}

// issueShape is a pull request as events of issues have it.
func (r *Repository) issueShape(p Pull) object {
	api := fmt.Sprintf("%s/issues/%d", r.api(), p.Number)
	html := fmt.Sprintf("%s/pull/%d", r.html(), p.Number)
	return object{
		"url": api, "repository_url": r.api(), "labels_url": api + "/labels{/name}", "comments_url": api + "/comments", "events_url": api + "/events",
		"html_url": html, "id": p.ID, "node_id": nodeID("PR", p.ID), "number": p.Number, "title": p.Title, "user": r.s.userShape(p.User),
		"labels": []any{}, "state": p.State, "locked": false, "assignee": nil, "assignees": []any{}, "milestone": nil, "comments": 1,
		"created_at": stamp(p.Created), "updated_at": stamp(p.Updated), "closed_at": stamp(p.Closed), "author_association": "MEMBER",
		"active_lock_reason": nil, "body": nullable(p.Body), "reactions": reactions(api + "/reactions"), "timeline_url": api + "/timeline",
		"performed_via_github_app": nil, "state_reason": nil, "draft": p.Draft,
		"pull_request": object{"url": fmt.Sprintf("%s/pulls/%d", r.api(), p.Number), "html_url": html, "diff_url": html + ".diff", "patch_url": html + ".patch", "merged_at": nil},
	}
}

func (s *Server) commentRoutes(on func(string, need, handler)) {
	on("GET /repos/{owner}/{repo}/issues/comments", read("pull_requests"), (*call).listAllComments)
	on("GET /repos/{owner}/{repo}/issues/{number}/comments", read("pull_requests"), (*call).listComments)
	on("POST /repos/{owner}/{repo}/issues/{number}/comments", write("pull_requests"), (*call).createComment)
	on("PATCH /repos/{owner}/{repo}/issues/comments/{id}", write("pull_requests"), (*call).editComment)
	on("POST /repos/{owner}/{repo}/issues/comments/{id}/reactions", write("pull_requests"), (*call).react)
}

func (c *call) listAllComments() (int, any, error) {
	since, _ := time.Parse(time.RFC3339, c.URL.Query().Get("since"))
	c.s.mu.Lock()
	var found []Comment
	for _, one := range c.repo.comments {
		if !one.Updated.Before(since) {
			found = append(found, *one)
		}
	}
	c.s.mu.Unlock()
	return c.commentPage(found)
}

func (c *call) listComments() (int, any, error) {
	n, _ := strconv.Atoi(c.PathValue("number"))
	return c.commentPage(c.repo.Comments(n))
}

func (c *call) commentPage(found []Comment) (int, any, error) {
	all := []any{}
	for _, one := range found {
		all = append(all, c.repo.commentShape(one))
	}
	all, err := page(c, all)
	return http.StatusOK, all, err
}

// maxComment is GitHub's limit in characters.
const maxComment = 65536

func (c *call) createComment() (int, any, error) {
	var in struct{ Body string }
	if err := c.decode(&in); err != nil {
		return 0, nil, err
	}
	n, _ := strconv.Atoi(c.PathValue("number"))
	switch {
	case strings.TrimSpace(in.Body) == "":
		return 0, nil, invalid("IssueComment", "body", "missing_field")
	case utf8.RuneCountInString(in.Body) > maxComment:
		return 0, nil, custom("IssueComment", "body is too long (maximum is 65536 characters)")
	}
	c.s.mu.Lock()
	known, by := c.repo.pull(n) != nil, c.by()
	c.s.mu.Unlock()
	if !known {
		return 0, nil, notFound()
	}
	made, err := c.repo.Comment(by, n, in.Body)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, c.repo.commentShape(made), nil
}

func (c *call) editComment() (int, any, error) {
	var in struct{ Body string }
	if err := c.decode(&in); err != nil {
		return 0, nil, err
	}
	id, _ := strconv.ParseInt(c.PathValue("id"), 10, 64)
	c.s.mu.Lock()
	known, by := c.repo.comment(id) != nil, c.by()
	c.s.mu.Unlock()
	if !known {
		return 0, nil, notFound()
	}
	if err := c.repo.EditComment(by, id, in.Body); err != nil {
		return 0, nil, err
	}
	c.s.mu.Lock()
	out := *c.repo.comment(id)
	c.s.mu.Unlock()
	return http.StatusOK, c.repo.commentShape(out), nil
}

// react adds a reaction; the same one by the same account is one.
func (c *call) react() (int, any, error) {
	var in struct{ Content string }
	if err := c.decode(&in); err != nil {
		return 0, nil, err
	}
	id, _ := strconv.ParseInt(c.PathValue("id"), 10, 64)
	c.s.mu.Lock()
	one, by := c.repo.comment(id), c.by()
	if one == nil {
		c.s.mu.Unlock()
		return 0, nil, notFound()
	}
	status := http.StatusOK
	if !slices.Contains(one.Reactions, in.Content) {
		one.Reactions, status = append(one.Reactions, in.Content), http.StatusCreated
	}
	c.s.mu.Unlock()
	return status, object{
		"id": id, "node_id": nodeID("REA", id), "user": c.s.userShape(by.Login), "content": in.Content, "created_at": stamp(now()),
	}, nil
}

// by is in whose name the caller acts. The caller holds mu.
func (c *call) by() *User {
	if c.token != nil && c.token.user != nil {
		return c.token.user
	}
	return c.s.bot()
}
