package webhook

import (
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/queue"
)

// TestProgress: the run shows how far its job is, not more often than the policy says, and nothing of an older lease.
func TestProgress(t *testing.T) {
	w := newWorld(t)
	w.plan("pull_request", pullPayload("opened", head, ""))
	j := w.jobs()[0]
	note := func(epoch, done int) {
		t.Helper()
		p := queue.Progress{Epoch: epoch, Runner: "r1", Phase: "capture", Unit: "regions", Done: done, Total: 62}
		if err := queue.PutProgress(t.Context(), w.queue, j.Pool, "", j.ID, p); err != nil {
			t.Fatal(err)
		}
	}
	after := func(d time.Duration) {
		w.clock = w.clock.Add(d)
		w.tellProgress(t.Context())
	}
	note(2, 1)
	after(time.Hour)
	w.want("a1 queued waiting for a runner") // nobody has said that it runs
	if err := w.give(queue.Result{JobID: j.ID, Key: j.Key, Attempt: 1, Epoch: 2, Runner: "r1", Class: queue.ClassStarted}); err != nil {
		t.Fatal(err)
	}
	after(time.Second)
	w.want("a1 in_progress running") // too soon
	after(w.policy.Progress)
	w.want("a1 in_progress capture: 1 of 62 regions")
	note(2, 43)
	after(time.Second)
	w.want("a1 in_progress capture: 1 of 62 regions")
	after(w.policy.Progress)
	w.want("a1 in_progress capture: 43 of 62 regions")
	note(1, 7)
	after(w.policy.Progress)
	w.want("a1 in_progress capture: 43 of 62 regions")
	note(2, 44)
	w.start() // a new process hears of it from the sweep
	if err := w.sweep(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	after(w.policy.Progress)
	w.want("a1 in_progress capture: 44 of 62 regions")
	if n := len(w.gh.Runs[0].History); n != 5 {
		t.Errorf("GitHub was told %d times: %v", n, w.gh.Runs[0].History)
	}
	r := result(j, finding.VerdictPass, 0)
	r.Epoch = 2
	if err := w.give(r); err != nil {
		t.Fatal(err)
	}
	note(2, 45)
	after(time.Hour)
	w.want("a1 success no capture hazards")
	if len(w.running.list()) != 0 {
		t.Error("it is still looked at")
	}
}
