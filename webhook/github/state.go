package github

import (
	"context"
	"fmt"
	"strings"

	gh "github.com/google/go-github/v60/github"
)

// Known is a repository that gatebot may act on, with what a webhook would say of it.
type Known struct {
	Repo
	CloneURL, Default string
}

// Repositories lists every repository of every installation of the App, or those that the options name for a token.
func (a *App) Repositories(ctx context.Context) ([]Known, error) {
	if a.opts.Token != "" {
		return a.named(ctx)
	}
	var out []Known
	opts := &gh.ListOptions{PerPage: 100}
	for {
		page, resp, err := a.app.Apps.ListInstallations(ctx, opts)
		if err != nil {
			return nil, classify("list installations", err)
		}
		for _, in := range page {
			if in.SuspendedAt != nil {
				continue
			}
			some, err := a.RepositoriesOf(ctx, in.GetID())
			if err != nil {
				return nil, err
			}
			out = append(out, some...)
		}
		if resp.NextPage == 0 {
			return out, nil
		}
		opts.Page = resp.NextPage
	}
}

// RepositoriesOf lists the repositories of one installation.
func (a *App) RepositoriesOf(ctx context.Context, installation int64) ([]Known, error) {
	c, err := a.installation(installation)
	if err != nil {
		return nil, err
	}
	var out []Known
	opts := &gh.ListOptions{PerPage: 100}
	for {
		page, resp, err := c.Apps.ListRepos(conditional(ctx), opts)
		if err != nil {
			return nil, classify(fmt.Sprintf("list repositories of installation %d", installation), err)
		}
		for _, r := range page.Repositories {
			if !r.GetArchived() && !r.GetDisabled() {
				out = append(out, fromRepo(installation, r))
			}
		}
		if resp.NextPage == 0 {
			return out, nil
		}
		opts.Page = resp.NextPage
	}
}

// named reads the repositories that Options.Repositories names.
func (a *App) named(ctx context.Context) ([]Known, error) {
	var out []Known
	for _, full := range a.opts.Repositories {
		owner, name, _ := strings.Cut(full, "/")
		r, _, err := a.app.Repositories.Get(conditional(ctx), owner, name)
		if err != nil {
			return nil, classify("read repository "+full, err)
		}
		out = append(out, fromRepo(0, r))
	}
	return out, nil
}

func fromRepo(installation int64, r *gh.Repository) Known {
	return Known{
		Repo:     Repo{Installation: installation, ID: r.GetID(), Owner: r.GetOwner().GetLogin(), Name: r.GetName()},
		CloneURL: r.GetCloneURL(), Default: r.GetDefaultBranch(),
	}
}

// OpenPulls lists the open pull requests of a repository. Asked again and again it costs nothing while nothing changes.
func (a *App) OpenPulls(ctx context.Context, r Repo) ([]Pull, error) {
	c, err := a.installation(r.Installation)
	if err != nil {
		return nil, err
	}
	var out []Pull
	opts := &gh.PullRequestListOptions{State: "open", Sort: "updated", Direction: "desc", ListOptions: gh.ListOptions{PerPage: 100}}
	for {
		page, resp, err := c.PullRequests.List(conditional(ctx), r.Owner, r.Name, opts)
		if err != nil {
			return nil, classify("open pull requests of "+r.String(), err)
		}
		for _, pr := range page {
			out = append(out, fromPull(pr))
		}
		if resp.NextPage == 0 {
			return out, nil
		}
		opts.Page = resp.NextPage
	}
}

// Ref is a ref and its commit.
type Ref struct{ Name, SHA string }

// queuePrefix is where GitHub keeps the temporary branches of merge groups.
const queuePrefix = "heads/gh-readonly-queue/"

// QueueBranches lists the branches of the merge groups that are waiting.
func (a *App) QueueBranches(ctx context.Context, r Repo) ([]Ref, error) {
	c, err := a.installation(r.Installation)
	if err != nil {
		return nil, err
	}
	refs, _, err := c.Git.ListMatchingRefs(conditional(ctx), r.Owner, r.Name, &gh.ReferenceListOptions{Ref: queuePrefix})
	if err != nil {
		return nil, classify("merge groups of "+r.String(), err)
	}
	var out []Ref
	for _, ref := range refs {
		out = append(out, Ref{ref.GetRef(), ref.GetObject().GetSHA()})
	}
	return out, nil
}

// Unfinished lists the App's own check runs of a commit that are not completed.
func (a *App) Unfinished(ctx context.Context, r Repo, sha string) ([]Run, error) {
	if a.opts.Token != "" {
		return nil, nil // a pending status belongs to the commit, and the next one replaces it
	}
	c, err := a.installation(r.Installation)
	if err != nil {
		return nil, err
	}
	var out []Run
	for _, status := range []string{StatusQueued, StatusInProgress} {
		opts := &gh.ListCheckRunsOptions{
			AppID: gh.Int64(a.opts.AppID), Filter: gh.String("all"), Status: gh.String(status), ListOptions: gh.ListOptions{PerPage: 100},
		}
		for {
			runs, resp, err := c.Checks.ListCheckRunsForRef(conditional(ctx), r.Owner, r.Name, sha, opts)
			if err != nil {
				return nil, classify(fmt.Sprintf("check runs of %s@%.12s", r, sha), err)
			}
			for _, run := range runs.CheckRuns {
				one := fromRun(run)
				one.Name = run.GetName()
				out = append(out, one)
			}
			if resp.NextPage == 0 {
				break
			}
			opts.Page = resp.NextPage
		}
	}
	return out, nil
}
