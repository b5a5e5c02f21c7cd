package github

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	gh "github.com/google/go-github/v60/github"
)

// Pull is the part of a pull request that gatebot decides by.
type Pull struct {
	Number            int
	Open, Draft       bool
	Head, Base        string // commit ids
	HeadRef, BaseRef  string // branch names
	HeadRepo          int64  // 0 when the fork is gone
	Author            string // login
	Title, Body, HTML string
}

// Pull reads one pull request.
func (a *App) Pull(ctx context.Context, r Repo, number int) (Pull, error) {
	c, err := a.installation(r.Installation)
	if err != nil {
		return Pull{}, err
	}
	pr, _, err := c.PullRequests.Get(ctx, r.Owner, r.Name, number)
	return fromPull(pr), classify(fmt.Sprintf("read pull request %s#%d", r, number), err)
}

// PullsOfCommit lists the open pull requests whose head is this commit. GitHub leaves pull_requests empty in the check
// events of forks, so this is the way from a commit to its pull request.
func (a *App) PullsOfCommit(ctx context.Context, r Repo, sha string) ([]Pull, error) {
	c, err := a.installation(r.Installation)
	if err != nil {
		return nil, err
	}
	var pulls []Pull
	opts := &gh.ListOptions{PerPage: 100}
	for {
		prs, resp, err := c.PullRequests.ListPullRequestsWithCommit(ctx, r.Owner, r.Name, sha, opts)
		if err != nil {
			return nil, classify(fmt.Sprintf("pull requests of %s@%.12s", r, sha), err)
		}
		for _, pr := range prs {
			if p := fromPull(pr); p.Open && p.Head == sha {
				pulls = append(pulls, p)
			}
		}
		if resp.NextPage == 0 {
			return pulls, nil
		}
		opts.Page = resp.NextPage
	}
}

// Permission is what a person may do in a repository: admin, write, read or none. GitHub reports maintain as write and
// triage as read here.
func (a *App) Permission(ctx context.Context, r Repo, login string) (string, error) {
	c, err := a.installation(r.Installation)
	if err != nil {
		return "", err
	}
	level, _, err := c.Repositories.GetPermissionLevel(ctx, r.Owner, r.Name, url.PathEscape(login))
	return level.GetPermission(), classify(fmt.Sprintf("permission of %q in %s", login, r), err)
}

// PullText is what a rolling pull request says.
type PullText struct{ Title, Body string }

// EnsurePull makes the open pull request from head to base, both branches of r, say t, and returns its number.
func (a *App) EnsurePull(ctx context.Context, r Repo, head, base string, t PullText) (int, error) {
	c, err := a.installation(r.Installation)
	if err != nil {
		return 0, err
	}
	what := fmt.Sprintf("pull request %s from %s to %s", r, head, base)
	open, err := a.findPull(ctx, c, r, head, base)
	if err != nil {
		return 0, classify(what, err)
	}
	t.Body = Truncate(t.Body, MaxText, TruncationNote)
	if open == nil {
		pr, _, err := c.PullRequests.Create(ctx, r.Owner, r.Name, &gh.NewPullRequest{
			Title: gh.String(t.Title), Head: gh.String(head), Base: gh.String(base), Body: gh.String(t.Body),
		})
		if err != nil && strings.Contains(err.Error(), "already exists") { // made meanwhile, or by the attempt before
			if open, err = a.findPull(ctx, c, r, head, base); err == nil && open != nil {
				return open.GetNumber(), nil
			}
		}
		return pr.GetNumber(), classify(what, err)
	}
	if open.GetTitle() == t.Title && open.GetBody() == t.Body {
		return open.GetNumber(), nil
	}
	_, _, err = c.PullRequests.Edit(ctx, r.Owner, r.Name, open.GetNumber(),
		&gh.PullRequest{Title: gh.String(t.Title), Body: gh.String(t.Body)})
	return open.GetNumber(), classify(what, err)
}

// HasOpenPull reports whether a pull request from head to base is open.
func (a *App) HasOpenPull(ctx context.Context, r Repo, head, base string) (bool, error) {
	c, err := a.installation(r.Installation)
	if err != nil {
		return false, err
	}
	pr, err := a.findPull(ctx, c, r, head, base)
	return pr != nil, classify(fmt.Sprintf("pull requests of %s from %s", r, head), err)
}

func (a *App) findPull(ctx context.Context, c *gh.Client, r Repo, head, base string) (*gh.PullRequest, error) {
	prs, _, err := c.PullRequests.List(ctx, r.Owner, r.Name, &gh.PullRequestListOptions{
		State: "open", Head: r.Owner + ":" + head, Base: base, ListOptions: gh.ListOptions{PerPage: 1},
	})
	if err != nil || len(prs) == 0 {
		return nil, err
	}
	return prs[0], nil
}

func fromPull(pr *gh.PullRequest) Pull {
	return Pull{
		Number: pr.GetNumber(), Open: pr.GetState() == "open", Draft: pr.GetDraft(),
		Head: pr.GetHead().GetSHA(), Base: pr.GetBase().GetSHA(),
		HeadRef: pr.GetHead().GetRef(), BaseRef: pr.GetBase().GetRef(), HeadRepo: pr.GetHead().GetRepo().GetID(),
		Author: pr.GetUser().GetLogin(), Title: pr.GetTitle(), Body: pr.GetBody(), HTML: pr.GetHTMLURL(),
	}
}
