package webhook

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

// events plans what the reconciler has stored.
func (w *world) events() int {
	w.t.Helper()
	s := &Server{opts: Options{Now: func() time.Time { return w.clock }}}
	n := 0
	for {
		ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Millisecond)
		m, err := w.queue.Next(ctx, queue.Events, queue.Consumer{Name: "test", Lease: time.Hour, MaxInFlight: 100})
		cancel()
		if err != nil {
			return n
		}
		n++
		if err := s.event(w.Plan)(w.t.Context(), m); err != nil {
			w.t.Error(err)
		}
		if err := m.Ack(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
	}
}

// TestReconcile finds a pull request, a merge group and a default branch that no event told of, once each.
func TestReconcile(t *testing.T) {
	w := newWorld(t)
	w.gh.Default = base
	w.gh.Groups = []github.Ref{{Name: "refs/heads/gh-readonly-queue/main/pr-7-" + base, SHA: head2}, {Name: "refs/heads/gh-readonly-queue/odd", SHA: head2}}
	w.mirrors.Refs["refs/heads/gh-readonly-queue/main/pr-7-"+base] = head2
	w.mirrors.Refs[base+"^1"] = zeros
	for range 3 {
		if err := w.reconcile(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		w.events()
	}
	got := map[string]bool{}
	for _, j := range w.jobs() {
		got[j.Trigger+" "+j.Head[:2]] = true
	}
	if len(got) != 3 || !got["pull_request a1"] || !got["merge_group b2"] || !got["push c3"] {
		t.Errorf("jobs %v", got)
	}
	// The base branch of the pull request changes while no event comes.
	w.gh.PullValue[7] = github.Pull{Number: 7, Open: true, Head: head, HeadRepo: 77, Base: base, BaseRef: "release"}
	w.mirrors.Refs["refs/heads/release"] = base
	if err := w.reconcile(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if w.events() != 1 {
		t.Error("the new base branch was not seen")
	}
}

// TestOrphans: a run that no record knows, or that is not the present one's, comes to an end; one at work is left alone.
func TestOrphans(t *testing.T) {
	w := newWorld(t)
	w.plan("pull_request", pullPayload("opened", head, ""))
	for _, external := range []string{"lost.1", "", jobKey(77, head, base, "gatebot") + ".1"} { // the last: a twin of the present one
		if _, err := w.gh.CreateRun(t.Context(), github.Repo{}, github.NewRun{Name: "gatebot", SHA: head, ExternalID: external, Status: github.StatusQueued}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.reconcile(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	const orphan = "a1 cancelled cancelled: no job stands behind this run any more"
	w.want(queued, orphan, orphan, orphan)
	if err := w.give(result(w.jobs()[0], finding.VerdictPass, 0)); err != nil {
		t.Fatal(err)
	}
	w.want("a1 success no capture hazards", orphan, orphan, orphan)
}

func TestPolledComments(t *testing.T) {
	w := forked(t)
	since := w.clock
	w.gh.Comments = []github.Comment{
		{ID: 1, PR: 7, Author: "ada", Body: "/gatebot ok " + head, At: since.Add(-time.Hour)}, // edited lately, written long ago
		{ID: 2, PR: 7, Author: "bot", Bot: true, Body: "/gatebot ok " + head, At: since},
		{ID: 3, PR: 7, Author: "ada", Body: "nice", At: since},
	}
	poll := func() {
		t.Helper()
		if err := w.pollComments(t.Context(), since); err != nil {
			t.Fatal(err)
		}
		w.events()
	}
	poll()
	w.want(waits)
	w.gh.Comments = append(w.gh.Comments, github.Comment{ID: 4, PR: 7, Author: "ada", Body: "/gatebot ok " + head, At: since})
	poll()
	poll()
	w.want(waits, queued)
}

func TestQueuePosition(t *testing.T) {
	w := newWorld(t)
	w.plan("pull_request", pullPayload("opened", head, ""))
	w.mirrors.Refs["refs/heads/gh-readonly-queue/main/pr-7-x"] = head2
	w.plan("merge_group", strings.ReplaceAll(groupPayload("checks_requested", ""), head, head2))
	w.clock = w.clock.Add(3 * time.Minute)
	for range 2 {
		if err := w.sweep(t.Context(), false); err != nil {
			t.Fatal(err)
		}
	}
	w.want("a1 queued waiting for a runner: 2 of 2", "b2 queued waiting for a runner: 1 of 2") // the merge group goes first
	if n := len(w.gh.Runs[0].History); n != 2 {
		t.Errorf("told %d times, want once: %v", n-1, w.gh.Runs[0].History)
	}
}
