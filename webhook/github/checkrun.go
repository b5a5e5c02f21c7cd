package github

import (
	"context"
	"errors"
	"fmt"
	"time"

	gh "github.com/google/go-github/v60/github"
)

// Run is a check run as GitHub knows it.
type Run struct {
	ID          int64
	Name        string // of Unfinished only
	ExternalID  string
	Status      string
	Conclusion  string
	Annotations int // how many GitHub has
}

// RunRef addresses a check run. Check runs are found by ID; commit statuses (Token) have none and are found by the rest.
type RunRef struct {
	ID         int64
	SHA        string
	Name       string
	PR         int // for what commit statuses cannot hold; 0 for none
	DetailsURL string
}

// NewRun describes a check run to create. ExternalID is what FindRun finds it by.
type NewRun struct {
	Name, SHA, ExternalID string
	Status                string // StatusQueued, StatusInProgress, or empty with a Conclusion
	Conclusion            Conclusion
	DetailsURL            string
	Output                Output
}

// CreateRun makes a check run. It is not idempotent at GitHub: after ErrTransient call FindRun before trying again. A
// commit that GitHub does not know comes back as ErrNotYet, because nobody can tell a late commit from a lost one here.
func (a *App) CreateRun(ctx context.Context, r Repo, n NewRun) (Run, error) {
	if a.opts.Token != "" {
		return a.createStatus(ctx, r, n)
	}
	c, err := a.installation(r.Installation)
	if err != nil {
		return Run{}, err
	}
	what := fmt.Sprintf("create check run %s on %s@%.12s", n.Name, r, n.SHA)
	opts := gh.CreateCheckRunOptions{
		Name: n.Name, HeadSHA: n.SHA, ExternalID: gh.String(n.ExternalID), Output: output(n.Output, nil),
	}
	if n.Conclusion != "" {
		n.Status, opts.Conclusion = StatusCompleted, gh.String(string(n.Conclusion))
		opts.CompletedAt = &gh.Timestamp{Time: time.Now().UTC()}
		ctx = courtesy(ctx)
	}
	opts.Status = gh.String(n.Status)
	if n.DetailsURL != "" {
		opts.DetailsURL = gh.String(n.DetailsURL)
	}
	if n.Status == StatusInProgress {
		opts.StartedAt = &gh.Timestamp{Time: time.Now().UTC()}
	}
	run, _, err := c.Checks.CreateCheckRun(ctx, r.Owner, r.Name, opts)
	if err = classify(what, err); errors.Is(err, ErrGone) {
		return Run{}, fmt.Errorf("%w: %w", ErrNotYet, err)
	}
	return fromRun(run), err
}

// FindRun looks for the App's run with this name and external id on a commit, among all of them and not only the
// latest (filter=all), to adopt what an ambiguous CreateRun has left behind.
func (a *App) FindRun(ctx context.Context, r Repo, sha, name, externalID string) (Run, bool, error) {
	if a.opts.Token != "" {
		return Run{}, false, nil // writing the same status again is harmless
	}
	c, err := a.installation(r.Installation)
	if err != nil {
		return Run{}, false, err
	}
	opts := &gh.ListCheckRunsOptions{
		CheckName: gh.String(name), AppID: gh.Int64(a.opts.AppID), Filter: gh.String("all"),
		ListOptions: gh.ListOptions{PerPage: 100},
	}
	for {
		runs, resp, err := c.Checks.ListCheckRunsForRef(ctx, r.Owner, r.Name, sha, opts)
		if err = classify(fmt.Sprintf("list check runs of %s@%.12s", r, sha), err); err != nil {
			if errors.Is(err, ErrGone) { // 404 and "No commit found": the same doubt as in CreateRun
				err = fmt.Errorf("%w: %w", ErrNotYet, err)
			}
			return Run{}, false, err
		}
		for _, run := range runs.CheckRuns {
			if run.GetExternalID() == externalID {
				return fromRun(run), true, nil
			}
		}
		if resp.NextPage == 0 {
			return Run{}, false, nil
		}
		opts.Page = resp.NextPage
	}
}

// GetRun reads one run.
func (a *App) GetRun(ctx context.Context, r Repo, id int64) (Run, error) {
	c, err := a.installation(r.Installation)
	if err != nil {
		return Run{}, err
	}
	run, _, err := c.Checks.GetCheckRun(ctx, r.Owner, r.Name, id)
	return fromRun(run), classify(fmt.Sprintf("read check run %d of %s", id, r), err)
}

// UpdateRun changes the status and output of an unfinished run.
func (a *App) UpdateRun(ctx context.Context, r Repo, ref RunRef, status string, out Output) error {
	if a.opts.Token != "" {
		_, err := a.setStatus(courtesy(ctx), r, ref, "pending", out.Title)
		return err
	}
	return a.patch(courtesy(ctx), r, ref.ID, gh.UpdateCheckRunOptions{Name: ref.Name, Status: gh.String(status), Output: output(out, nil)})
}

// patch sends one update.
func (a *App) patch(ctx context.Context, r Repo, id int64, opts gh.UpdateCheckRunOptions) error {
	c, err := a.installation(r.Installation)
	if err != nil {
		return err
	}
	_, _, err = c.Checks.UpdateCheckRun(ctx, r.Owner, r.Name, id, opts)
	return classify(fmt.Sprintf("update check run %d of %s", id, r), err)
}

func fromRun(run *gh.CheckRun) Run {
	if run == nil {
		return Run{}
	}
	return Run{
		ID: run.GetID(), ExternalID: run.GetExternalID(), Status: run.GetStatus(), Conclusion: run.GetConclusion(),
		Annotations: run.GetOutput().GetAnnotationsCount(),
	}
}
