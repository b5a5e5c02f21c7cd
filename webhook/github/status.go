package github

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	gh "github.com/google/go-github/v60/github"
)

// With a person's token there are no check runs: GitHub lets only Apps write them. What there is are commit statuses, with
// one line of text and no annotations; the rest goes into one comment that is edited in place.

// maxStatus is how many characters a status's description may have (docs: commit statuses).
const maxStatus = 140

// statusContext finds the newest status of one name on a commit.
func (a *App) status(ctx context.Context, r Repo, sha, name string) (*gh.RepoStatus, error) {
	c, err := a.installation(r.Installation)
	if err != nil {
		return nil, err
	}
	opts := &gh.ListOptions{PerPage: 100}
	for {
		page, resp, err := c.Repositories.ListStatuses(ctx, r.Owner, r.Name, sha, opts) // newest first
		if err != nil {
			return nil, classify(fmt.Sprintf("statuses of %s@%.12s", r, sha), err)
		}
		for _, s := range page {
			if s.GetContext() == name {
				return s, nil
			}
		}
		if resp.NextPage == 0 {
			return nil, nil
		}
		opts.Page = resp.NextPage
	}
}

// setStatus writes a status unless it is there already: a commit takes 1,000 of one name and then none for ever.
func (a *App) setStatus(ctx context.Context, r Repo, ref RunRef, state, text string) (int64, error) {
	c, err := a.installation(r.Installation)
	if err != nil {
		return 0, err
	}
	what := fmt.Sprintf("status %s of %s@%.12s", ref.Name, r, ref.SHA)
	text = oneLine(text, maxStatus)
	was, err := a.status(ctx, r, ref.SHA, ref.Name)
	if err != nil {
		return 0, err
	}
	if was != nil && was.GetState() == state && was.GetDescription() == text {
		return was.GetID(), nil
	}
	s := &gh.RepoStatus{State: &state, Description: &text, Context: &ref.Name}
	if ref.DetailsURL != "" {
		s.TargetURL = &ref.DetailsURL
	}
	made, _, err := c.Repositories.CreateStatus(ctx, r.Owner, r.Name, ref.SHA, s)
	if code, _, message := answer(err); code == http.StatusUnprocessableEntity && strings.Contains(message, "maximum number of statuses") {
		return 0, fmt.Errorf("%s: %w: %w", what, ErrGone, err) // nothing will ever be taken again
	}
	return made.GetID(), classify(what, err)
}

func (a *App) createStatus(ctx context.Context, r Repo, n NewRun) (Run, error) {
	id, err := a.setStatus(ctx, r, RunRef{SHA: n.SHA, Name: n.Name, DetailsURL: n.DetailsURL}, "pending", n.Output.Title)
	return Run{ID: id, ExternalID: n.ExternalID, Status: n.Status}, err
}

// statusState: a status knows no more than these, and everything that is not success keeps the gate closed.
func statusState(c Conclusion) string {
	switch c {
	case Success:
		return "success"
	case Failure:
		return "failure"
	}
	return "error"
}

// completeStatus ends a status and writes what it has no room for into the comment.
func (a *App) completeStatus(ctx context.Context, r Repo, ref RunRef, c Completion) error {
	if _, err := a.setStatus(ctx, r, ref, statusState(c.Conclusion), c.Output.Title); err != nil {
		return err
	}
	if ref.PR == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** · %s · `%.12s`\n\n%s\n", ref.Name, oneLine(c.Output.Title, MaxOutputTitle), ref.SHA, c.Output.Summary)
	for i, a := range c.Annotations {
		if i == MaxAnnotationsPerRequest {
			fmt.Fprintf(&b, "\n%d more.\n", len(c.Annotations)-i)
			break
		}
		fmt.Fprintf(&b, "- `%s:%d` %s: %s\n", a.Path, a.StartLine, a.Title, oneLine(a.Message, 300))
	}
	return a.sticky(ctx, r, ref.PR, ref.Name, b.String())
}

// withToken is the client of a person's token.
func (a *App) withToken(p *pacer) *gh.Client {
	return a.client(&bearer{a.opts.Token, remembering(limited(p.over(&rewind{a.opts.Transport}), a.opts.MaxSleep))})
}

// bearer signs requests with a token.
type bearer struct {
	token string
	base  http.RoundTripper
}

func (t *bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+t.token)
	return t.base.RoundTrip(req)
}

// CheckToken refuses what cannot be a token, without showing it.
func CheckToken(token string) error {
	if token == "" || !utf8.ValidString(token) || strings.ContainsAny(token, " \t\r\n") {
		return fmt.Errorf("github token: %d bytes that are no token (one line, such as ghp_… or github_pat_…)", len(token))
	}
	return nil
}
