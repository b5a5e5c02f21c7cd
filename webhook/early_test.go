package webhook

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/queue"
)

// TestSourceIsToldEarly: once, only of what is not done soon, and the verdict's own source run does not come beside it.
func TestSourceIsToldEarly(t *testing.T) {
	w := newWorld(t)
	looked := 0
	w.inspect = func(_ context.Context, _, rev, against string, _ []byte) (*finding.Results, error) {
		looked++
		if rev != head || against != base {
			t.Errorf("looked at %s against %s", rev, against)
		}
		return &finding.Results{Schema: finding.Schema, Verdict: finding.VerdictFail, Commit: rev,
			Checks:   []finding.CheckResult{{Name: finding.CheckSource, Status: finding.StatusFail, Required: true}},
			Findings: []finding.Finding{{Rule: "GB101", Name: "tensor-item", Severity: finding.Error, Confidence: finding.Likely, Path: "a.py", Line: 3}}}, nil
	}
	w.start()
	w.plan("pull_request", pullPayload("opened", head, ""))
	after := func(d time.Duration) {
		w.clock = w.clock.Add(d)
		w.earlier(t.Context())
	}
	after(time.Second)
	w.want("a1 queued waiting for a runner")
	for range 2 {
		after(w.policy.Early)
	}
	w.want("a1 queued waiting for a runner", "a1 failure 1 capture hazard: GB101 tensor-item in a.py:3")
	early := w.gh.Runs[1]
	if early.Name != "gatebot/source" || !strings.HasSuffix(early.ExternalID, ".source") || len(early.Paths) != 0 || looked != 1 {
		t.Errorf("%d looks; %+v", looked, early)
	}
	w.start() // a new process knows of it too
	if err := w.sweep(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	after(w.policy.Early)
	j := w.jobs()[0]
	if err := w.give(resultWithChecks(t, j)); err != nil {
		t.Fatal(err)
	}
	after(time.Hour)
	names := map[string]int{}
	for _, r := range w.gh.Runs {
		names[r.Name]++
	}
	if looked != 1 || names["gatebot"] != 1 || names["gatebot/source"] != 1 || names["gatebot/sync"] != 1 {
		t.Errorf("%d looks, runs %v", looked, names)
	}
}

// resultWithChecks is a pass of the source and of another check.
func resultWithChecks(t *testing.T, j queue.Job) queue.Result {
	t.Helper()
	r := result(j, finding.VerdictPass, 0)
	var res finding.Results
	if err := json.Unmarshal(r.Results, &res); err != nil {
		t.Fatal(err)
	}
	res.Checks = []finding.CheckResult{{Name: finding.CheckSource, Status: finding.StatusPass, Required: true}, {Name: "sync", Status: finding.StatusPass}}
	var err error
	if r.Results, err = json.Marshal(res); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSourceIsNotToldEarly: not of a job that is done, and not when nobody wants it.
func TestSourceIsNotToldEarly(t *testing.T) {
	for name, c := range map[string]func(w *world){
		"done":        func(w *world) { _ = w.give(result(w.jobs()[0], finding.VerdictPass, 0)) },
		"no families": func(w *world) { w.planner.policy.Families = false },
		"turned off":  func(w *world) { w.planner.policy.Early = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.inspect = func(context.Context, string, string, string, []byte) (*finding.Results, error) {
				t.Error("the source was looked at")
				return nil, nil
			}
			w.start()
			w.plan("pull_request", pullPayload("opened", head, ""))
			c(w)
			w.clock = w.clock.Add(time.Hour)
			w.earlier(t.Context())
			if len(w.gh.Runs) != 1 {
				t.Errorf("%d runs", len(w.gh.Runs))
			}
		})
	}
}
