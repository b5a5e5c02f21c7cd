package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/gatebot/gatebot/webhook/github"
	"github.com/gatebot/gatebot/webhook/standin"
)

// adapter is webhook/github talking to the stand-in, with no server in between.
func adapter(t *testing.T) (*site, *github.App, github.Repo) {
	t.Helper()
	s := newSite(t, standin.Options{})
	return s, s.app(), github.Repo{Installation: s.Repo.Installation(), ID: s.Repo.ID(), Owner: "acme", Name: "tiny-moe"}
}

// app is a fresh client: it remembers no rate limit.
func (s *site) app() *github.App {
	s.Helper()
	key, err := github.LoadKey(s.File("app.pem"))
	if err != nil {
		s.Fatal(err)
	}
	app, err := github.New(github.Options{AppID: 1, Key: key, BaseURL: s.GitHub.URL() + "/api/v3/"})
	if err != nil {
		s.Fatal(err)
	}
	return app
}

func TestAdapterChecks(t *testing.T) {
	t.Parallel()
	s, app, repo := adapter(t)
	head, _ := s.commit("main", "Start", 0)
	ctx := t.Context()
	text := github.Output{Title: "t", Summary: "s"}
	n := github.NewRun{Name: "gatebot", SHA: head, ExternalID: "job.1", Status: github.StatusQueued, Output: text}

	// Made, and nobody hears of it: the run is found again by its external id.
	s.GitHub.Inject(standin.Fault{Method: "POST", Path: "/repos/*/*/check-runs", Drop: true})
	if _, err := app.CreateRun(ctx, repo, n); !errors.Is(err, github.ErrTransient) {
		t.Fatalf("creation without an answer: %v, want ErrTransient", err)
	}
	run, found, err := app.FindRun(ctx, repo, head, "gatebot", "job.1")
	if err != nil || !found {
		t.Fatalf("FindRun: %v %v", found, err)
	}
	ref := github.RunRef{ID: run.ID, SHA: head, Name: "gatebot"}
	c := github.Completion{Conclusion: github.Failure, Output: text}
	for i := range 120 {
		c.Annotations = append(c.Annotations, github.Annotation{
			Path: "moe/decode.py", StartLine: i + 1, EndLine: i + 1, StartColumn: 3, EndColumn: 9, Level: github.LevelFailure, Message: "m",
		})
	}
	// The first rest of annotations arrives, and nobody hears of it: none may come twice.
	s.GitHub.Inject(standin.Fault{Method: "PATCH", Path: "/repos/*/*/check-runs/*", Skip: 1, Drop: true})
	err = again(ctx, func() error {
		return errors.Join(app.CompleteRun(ctx, repo, ref, c), app.AppendAnnotations(ctx, repo, ref, c))
	})
	if err != nil {
		t.Fatal(err)
	}
	got := s.GitHub.CheckRunsFor(head)
	if len(got) != 1 || got[0].Conclusion != "failure" || len(got[0].Annotations) != len(c.Annotations) {
		t.Fatalf("%d runs, the first %s with %d annotations; want 1, failure, %d", len(got), got[0].Conclusion, len(got[0].Annotations), len(c.Annotations))
	}
	for i, a := range got[0].Annotations {
		if a.StartLine != i+1 {
			t.Errorf("annotation %d is on line %d", i, a.StartLine)
		}
	}
}

// again repeats what failed transiently.
func again(ctx context.Context, f func() error) (err error) {
	for range 5 {
		if err = f(); !errors.Is(err, github.ErrTransient) || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// TestAdapterRateLimits: both statuses, both kinds.
func TestAdapterRateLimits(t *testing.T) {
	t.Parallel()
	s, _, repo := adapter(t)
	head, _ := s.commit("main", "Start", 0)
	for _, status := range []int{http.StatusForbidden, http.StatusTooManyRequests} {
		for _, primary := range []bool{false, true} {
			name := fmt.Sprintf("%d, primary %v", status, primary)
			s.GitHub.Inject(standin.Fault{Method: "POST", Path: "/repos/*/*/check-runs", Status: status, Primary: primary, RetryAfter: time.Minute})
			_, err := s.app().CreateRun(t.Context(), repo, github.NewRun{Name: "gatebot", SHA: head, ExternalID: name, Status: github.StatusQueued})
			var limit *github.RateLimitedError
			if !errors.As(err, &limit) || limit.After < 30*time.Second || limit.After > 2*time.Minute {
				t.Errorf("%s: %v, want a RateLimitedError of about a minute", name, err)
			}
			s.GitHub.Heal()
		}
	}
}

func TestAdapterBranchesAndPulls(t *testing.T) {
	t.Parallel()
	s, app, repo := adapter(t)
	base, _ := s.commit("main", "Start", 0)
	ctx := t.Context()
	if _, err := app.BranchHead(ctx, repo, "gatebot/fix-log"); !errors.Is(err, github.ErrGone) {
		t.Errorf("head of a branch that is not there: %v, want ErrGone", err)
	}
	if err := app.PointBranch(ctx, repo, "gatebot/fix-log", base); err != nil {
		t.Fatal(err)
	}
	commit := github.BranchCommit{Branch: "gatebot/fix-log", ExpectedHead: base, Headline: "log", Files: map[string][]byte{"LOG.md": []byte("| a |\n")}}
	id, err := app.CommitOnBranch(ctx, repo, commit)
	if err != nil {
		t.Fatal(err)
	}
	if head, err := app.BranchHead(ctx, repo, "gatebot/fix-log"); err != nil || head != id {
		t.Errorf("head after the commit: %s, %v, want %s", head, err, id)
	}
	if _, err := app.CommitOnBranch(ctx, repo, commit); !errors.Is(err, github.ErrHeadMoved) {
		t.Errorf("the same expected head again: %v, want ErrHeadMoved", err)
	}
	if got := s.show(id + ":LOG.md"); got != "| a |" {
		t.Errorf("file of the commit: %q", got)
	}
	for _, body := range []string{"one", "two"} {
		n, err := app.EnsurePull(ctx, repo, "gatebot/fix-log", "main", github.PullText{Title: "log", Body: body})
		if err != nil || n != 1 || len(s.Repo.Pulls()) != 1 || s.Repo.Pulls()[0].Body != body {
			t.Errorf("EnsurePull %q: #%d, %v, %+v", body, n, err, s.Repo.Pulls())
		}
	}
	if pulls, err := app.PullsOfCommit(ctx, repo, id); err != nil || len(pulls) != 1 || pulls[0].Head != id {
		t.Errorf("PullsOfCommit: %+v, %v", pulls, err)
	}
	if slug, err := app.Login(ctx); err != nil || slug != "gatebot[bot]" {
		t.Errorf("Slug: %q, %v", slug, err)
	}
}
