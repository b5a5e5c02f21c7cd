package webhook

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// again lets a re-run come to its end without a verdict, so that another one makes sense.
func (w *world) again() {
	w.t.Helper()
	r := w.record1()
	if r.State != StateDone {
		if err := w.finish(w.t.Context(), r.Key, withdrawn("test")); err != nil {
			w.t.Fatal(err)
		}
	}
}

// TestRerunLimit: re-runs of a pull request within an hour are limited, by command and by button; it is said once, an
// approval is not counted, and after the hour it is as before.
func TestRerunLimit(t *testing.T) {
	w := newWorld(t)
	w.policy.RerunsPerPull, w.policy.RerunsPerUser = 2, 100
	w.start()
	w.plan("pull_request", pullPayload("opened", head, ""))
	w.again()
	comment := int64(50)
	run := func() (rounds int) {
		t.Helper()
		comment++
		payload := commentPayload("created", comment, "ada", "/gatebot run")
		ev, tr := w.event("issue_comment", payload)
		for range 2 { // delivered twice
			if err := w.Plan(t.Context(), ev, tr); err != nil {
				t.Fatal(err)
			}
		}
		w.again()
		return w.record1().Round
	}
	for i, want := range []int{2, 3, 3, 3} {
		if got := run(); got != want {
			t.Fatalf("after command %d: round %d, want %d", i, got, want)
		}
	}
	if len(w.gh.Replies) != 1 || !strings.Contains(w.gh.Replies[0], "2 re-runs of this pull request within an hour") {
		t.Errorf("replies %q", w.gh.Replies)
	}
	if n := len(w.gh.Reactions); n != 4 || !strings.HasSuffix(w.gh.Reactions[3], "confused") {
		t.Errorf("reactions %q", w.gh.Reactions)
	}
	r := w.record1()
	w.plan("check_run", runPayload("rerequested", r.ExternalID(), ""))
	if got := w.record1().Round; got != 3 {
		t.Errorf("the button made round %d", got)
	}
	w.plan("issue_comment", commentPayload("created", 90, "ada", "/gatebot ok "+head))
	if got := w.record1().Round; got != 4 {
		t.Errorf("after an approval: round %d", got)
	}
	w.again()
	w.clock = w.clock.Add(rerunWindow + time.Second)
	if got := run(); got != 5 {
		t.Errorf("after an hour: round %d", got)
	}
}

// TestRerunLimitOfAPerson: over all pull requests of a repository, whoever else asks.
func TestRerunLimitOfAPerson(t *testing.T) {
	w := newWorld(t)
	w.policy.RerunsPerPull, w.policy.RerunsPerUser = 0, 3
	w.start()
	repo := queue.Repo{ID: 77}
	for i, c := range []struct {
		by string
		ok bool
	}{{"ada", true}, {"Ada", true}, {"ada", true}, {"ada", false}, {"eve", true}} {
		err := w.mayRerun(t.Context(), repo, i+1, c.by, fmt.Sprint("event-", i))
		if (err == nil) != c.ok {
			t.Errorf("%d by %s: %v", i, c.by, err)
		}
	}
	if err := w.mayRerun(t.Context(), repo, 1, "ada", "event-0"); err != nil {
		t.Errorf("the same event again: %v", err)
	}
	w.clock = w.clock.Add(2 * rerunWindow)
	if err := w.forgetReruns(t.Context()); err != nil {
		t.Fatal(err)
	}
	keys, err := w.queue.Keys(t.Context(), queue.BucketHeads)
	if err != nil || len(keys) != 0 {
		t.Errorf("left behind: %q, %v", keys, err)
	}
}
