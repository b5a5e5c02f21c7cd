package github

import (
	"context"
	"fmt"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"
)

// Comment is one comment on a pull request.
type Comment struct {
	ID     int64
	PR     int
	Author string
	Bot    bool
	Body   string
	At     time.Time
}

// Reactions that gatebot answers commands with.
const (
	ReactionSeen = "+1"
	ReactionNo   = "confused"
)

// React answers a comment with a reaction. The same one twice is one at GitHub.
func (a *App) React(ctx context.Context, r Repo, comment int64, reaction string) error {
	c, err := a.installation(r.Installation)
	if err != nil {
		return err
	}
	_, _, err = c.Reactions.CreateIssueCommentReaction(courtesy(ctx), r.Owner, r.Name, comment, reaction)
	return classify(fmt.Sprintf("react to comment %d of %s", comment, r), err)
}

// Reply comments on a pull request.
func (a *App) Reply(ctx context.Context, r Repo, pr int, body string) error {
	c, err := a.installation(r.Installation)
	if err != nil {
		return err
	}
	_, _, err = c.Issues.CreateComment(ctx, r.Owner, r.Name, pr, &gh.IssueComment{Body: gh.String(Truncate(body, MaxText, TruncationNote))})
	return classify(fmt.Sprintf("comment on %s#%d", r, pr), err)
}

// CommentsSince lists the comments of pull requests and issues that were changed since a time, oldest first: what
// webhooks would have brought, for a server that gets none.
func (a *App) CommentsSince(ctx context.Context, r Repo, since time.Time) ([]Comment, error) {
	c, err := a.installation(r.Installation)
	if err != nil {
		return nil, err
	}
	opts := &gh.IssueListCommentsOptions{
		Sort: gh.String("updated"), Direction: gh.String("asc"), Since: &since, ListOptions: gh.ListOptions{PerPage: 100},
	}
	var out []Comment
	for {
		page, resp, err := c.Issues.ListComments(conditional(ctx), r.Owner, r.Name, 0, opts)
		if err != nil {
			return nil, classify("comments of "+r.String(), err)
		}
		for _, one := range page {
			out = append(out, fromComment(one))
		}
		if resp.NextPage == 0 {
			return out, nil
		}
		opts.Page = resp.NextPage
	}
}

func fromComment(c *gh.IssueComment) Comment {
	out := Comment{ID: c.GetID(), Author: c.GetUser().GetLogin(), Bot: c.GetUser().GetType() == "Bot", Body: c.GetBody(), At: c.GetCreatedAt().Time}
	// .../issues/7: the API names the number nowhere else
	if i := strings.LastIndexByte(c.GetIssueURL(), '/'); i >= 0 {
		_, _ = fmt.Sscan(c.GetIssueURL()[i+1:], &out.PR)
	}
	return out
}

// stickyMark finds our own comment again.
const stickyMark = "<!-- gatebot:report:%s -->"

// Sticky keeps one comment per name on a pull request: made once, edited in place. Where check runs cannot be written it
// holds what they would show.
func (a *App) sticky(ctx context.Context, r Repo, pr int, name, body string) error {
	c, err := a.installation(r.Installation)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("comment of %s on %s#%d", name, r, pr)
	mark := fmt.Sprintf(stickyMark, name)
	body = mark + "\n" + Truncate(body, MaxText-len(mark)-1, TruncationNote)
	opts := &gh.IssueListCommentsOptions{ListOptions: gh.ListOptions{PerPage: 100}}
	for {
		page, resp, err := c.Issues.ListComments(ctx, r.Owner, r.Name, pr, opts)
		if err != nil {
			return classify(what, err)
		}
		for _, one := range page {
			if strings.HasPrefix(one.GetBody(), mark) {
				if one.GetBody() == body {
					return nil
				}
				_, _, err := c.Issues.EditComment(ctx, r.Owner, r.Name, one.GetID(), &gh.IssueComment{Body: &body})
				return classify(what, err)
			}
		}
		if resp.NextPage == 0 {
			_, _, err := c.Issues.CreateComment(ctx, r.Owner, r.Name, pr, &gh.IssueComment{Body: &body})
			return classify(what, err)
		}
		opts.Page = resp.NextPage
	}
}
