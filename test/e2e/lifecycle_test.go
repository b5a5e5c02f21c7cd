package e2e

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/gatebot/gatebot/webhook/standin"
)

// started is a site with a clean main and both processes running.
func started(t *testing.T, github standin.Options) *site {
	t.Helper()
	s := newSite(t, github)
	s.commit("main", "Start", 0)
	s.delivered()
	s.server()
	s.runner()
	return s
}

func TestPullRequests(t *testing.T) {
	t.Parallel()
	s := started(t, standin.Options{})
	number, bad, lines := s.pull("topic", 3)
	s.done(bad)
	run := s.one(bad, "failure", lines)
	if run.History[0] != "queued" || run.History[len(run.History)-1] != "failure" {
		t.Errorf("the run showed %v, want queued first and failure last", run.History)
	}

	// The fix is a push to the same pull request.
	good, _ := s.commit("topic", "Fix", 0)
	s.done(good)
	run = s.one(good, "success", nil)

	// The re-run button makes another run of the same commit.
	if err := s.GitHub.Rerequest(s.User, run.ID); err != nil {
		t.Fatal(err)
	}
	s.until("a second run", func() bool { return len(s.GitHub.CheckRunsFor(good)) == 2 })
	s.done(good)
	if again := s.GitHub.CheckRunsFor(good)[1]; again.Conclusion != "success" {
		t.Errorf("re-run: %s %q, want success again", again.Conclusion, again.Title)
	}

	// The merge queue asks about a commit of its own.
	g, err := s.Repo.Enqueue(t.Context(), s.User, number)
	if err != nil {
		t.Fatal(err)
	}
	s.done(g.HeadSHA)
	s.one(g.HeadSHA, "success", nil)
	s.quiet()
	s.settled()
	for _, run := range s.GitHub.CheckRuns() {
		if run.Conclusion == "skipped" || run.Conclusion == "neutral" {
			t.Errorf("run %d of %.7s is %s, which GitHub lets pass", run.ID, run.HeadSHA, run.Conclusion)
		}
	}
}

// TestNewestHeadCounts pushes three times in a row: every run comes to an end, and the newest to a verdict.
func TestNewestHeadCounts(t *testing.T) {
	t.Parallel()
	s := started(t, standin.Options{})
	_, first, _ := s.pull("topic", 1)
	second, _ := s.commit("topic", "Second", 2)
	third, lines := s.commit("topic", "Third", 3)
	s.done(third)
	s.one(third, "failure", lines)
	s.quiet()
	for _, head := range []string{first, second} {
		if len(s.GitHub.CheckRunsFor(head)) > 0 { // or it was never begun
			s.done(head)
		}
	}
}

// TestGitHubAtItsWorst answers late, wrongly and not at all, and shows commits only some time after their webhook.
func TestGitHubAtItsWorst(t *testing.T) {
	t.Parallel()
	s := started(t, standin.Options{VisibleAfter: 1500 * time.Millisecond})
	for _, f := range []standin.Fault{
		{Method: "POST", Path: "/repos/*/*/check-runs", Drop: true}, // made, and nobody hears of it
		{Method: "POST", Path: "/app/installations/*/access_tokens", Status: http.StatusBadGateway},
		{Method: "PATCH", Path: "/repos/*/*/check-runs/*", Status: http.StatusTooManyRequests, RetryAfter: time.Second},
		{Method: "PATCH", Path: "/repos/*/*/check-runs/*", Skip: 1, Drop: true}, // completed, and nobody hears of it
		{Method: "GET", Path: "/repos/*/*/pulls/*", Status: http.StatusForbidden, RetryAfter: time.Second},
	} {
		s.GitHub.Inject(f)
	}
	_, head, lines := s.pull("topic", 60)
	s.done(head)
	s.until("all annotations are there", func() bool { return len(s.GitHub.CheckRunsFor(head)[0].Annotations) >= len(lines) })
	s.quiet()
	s.one(head, "failure", lines)
}

// TestEventsInAnyOrder delivers opened and two synchronize events newest first, and each of them twice.
func TestEventsInAnyOrder(t *testing.T) {
	t.Parallel()
	s := started(t, standin.Options{})
	release := s.GitHub.Hold()
	s.pull("topic", 1)
	s.commit("topic", "Second", 2)
	third, lines := s.commit("topic", "Third", 3)
	release(func(ds []*standin.Delivery) { slices.Reverse(ds) })
	s.delivered()
	s.redeliver()
	s.done(third)
	s.quiet()
	s.one(third, "failure", lines)
}

// TestMissedDelivery opens a pull request while the server is down. GitHub repeats nothing by itself: the server asks
// for what it has missed when it is back.
func TestMissedDelivery(t *testing.T) {
	t.Parallel()
	s := newSite(t, standin.Options{})
	s.commit("main", "Start", 0)
	s.delivered()
	first := s.server()
	s.runner()
	s.Children.Remove(first)
	first.Stop()
	_, head, lines := s.pull("topic", 1)
	s.delivered()
	if n := len(s.GitHub.CheckRunsFor(head)); n != 0 {
		t.Fatalf("%d check runs although nobody was there", n)
	}
	s.server()
	s.done(head)
	s.quiet()
	s.one(head, "failure", lines)
}
