package webhook

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

// Only a violation is a failure, and only a verdict about this very tree is a verdict.
func TestWhatAResultMeans(t *testing.T) {
	j := queue.Job{ID: "k.a1", Key: "k", Attempt: 1, Head: head, Tree: "tree"}
	with := func(r queue.Result, f func(*queue.Result)) queue.Result { f(&r); return r }
	results := func(f func(*finding.Results)) queue.Result {
		return with(result(j, finding.VerdictPass, 0), func(r *queue.Result) {
			var x finding.Results
			if err := json.Unmarshal(r.Results, &x); err != nil {
				t.Fatal(err)
			}
			f(&x)
			r.Results, _ = json.Marshal(x)
		})
	}
	for _, tc := range []struct {
		name string
		in   queue.Result
		want github.Conclusion // empty: infrastructure
		why  string
	}{
		{"pass", result(j, finding.VerdictPass, 0), github.Success, ""},
		{"fail", result(j, finding.VerdictFail, 2), github.Failure, ""},
		{"no verdict", result(j, finding.VerdictError, 0), "", "no verdict: because"},
		{"infrastructure", queue.Result{Class: queue.ClassInfra, Reason: "Xid 79"}, "", "Xid 79"},
		{"infrastructure without a word", queue.Result{Class: queue.ClassInfra}, "", "no reason"},
		{"time limit", queue.Result{Class: queue.ClassTimeout, Reason: "capture: 30m"}, github.TimedOut, ""},
		{"unknown class", queue.Result{Class: "skipped"}, "", "another version"},
		{"no results", queue.Result{Class: queue.ClassVerdict}, "", "cut off"},
		{"cut results", with(result(j, finding.VerdictPass, 0), func(r *queue.Result) { r.Results = r.Results[:20] }), "", "cut off"},
		{"another commit", results(func(r *finding.Results) { r.Commit = head2 }), "", "are about commit"},
		{"another tree", results(func(r *finding.Results) { r.Tree = "other" }), "", "are about tree"},
		{"about nothing", results(func(r *finding.Results) { r.Commit, r.Tree = "", "" }), "", "neither"},
		{"other schema", results(func(r *finding.Results) { r.Schema = "x/v9" }), "", "schema"},
		{"odd verdict", results(func(r *finding.Results) { r.Verdict = "skipped" }), "", "is none of"},
	} {
		o, why := newWorld(t).judge(t.Context(), &Record{Head: head, Job: &j}, &tc.in)
		switch {
		case tc.want == "" && (o != nil || !strings.Contains(why, tc.why)):
			t.Errorf("%s: outcome %+v, reason %q", tc.name, o, why)
		case tc.want != "" && (o == nil || o.Conclusion != tc.want):
			t.Errorf("%s: outcome %+v (%s), want %s", tc.name, o, why, tc.want)
		}
	}
}

func TestInfrastructureIsTriedAgain(t *testing.T) {
	w := newWorld(t)
	w.plan("pull_request", pullPayload("opened", head, ""))
	for attempt := 1; attempt <= 3; attempt++ {
		w.want("a1 queued waiting for a runner")
		jobs := w.jobs()
		if len(jobs) != 1 || jobs[0].Attempt != attempt {
			t.Fatalf("attempt %d: jobs %+v", attempt, jobs)
		}
		r := result(jobs[0], finding.VerdictError, 0)
		for range 2 { // the runner sends it twice
			if err := w.give(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.want("a1 cancelled infrastructure, no verdict: no verdict: because (attempt 3 of 3)")
	if n := len(w.jobs()); n != 0 {
		t.Errorf("%d more jobs", n)
	}
}

func TestVerdictAfterInfrastructure(t *testing.T) {
	w := newWorld(t)
	w.plan("pull_request", pullPayload("opened", head, ""))
	first := w.jobs()[0]
	if err := w.give(result(first, finding.VerdictError, 0)); err != nil {
		t.Fatal(err)
	}
	if err := w.give(result(first, finding.VerdictPass, 0)); err != nil { // late, of an attempt that is over
		t.Fatal(err)
	}
	w.want("a1 queued waiting for a runner")
	if err := w.give(result(w.jobs()[0], finding.VerdictFail, 1)); err != nil {
		t.Fatal(err)
	}
	w.want("a1 failure 1 capture hazard: GB101 tensor-item in f000.py:14")
}

func TestOlderLeaseIsFencedOff(t *testing.T) {
	w := newWorld(t)
	w.plan("pull_request", pullPayload("opened", head, ""))
	j := w.jobs()[0]
	started := queue.Result{JobID: j.ID, Key: j.Key, Attempt: 1, Epoch: 2, Runner: "r2", Class: queue.ClassStarted}
	if err := w.give(started); err != nil {
		t.Fatal(err)
	}
	w.want("a1 in_progress running")
	if err := w.give(result(j, finding.VerdictFail, 1)); err != nil { // of lease 1, which was taken away
		t.Fatal(err)
	}
	w.want("a1 in_progress running")
	r := result(j, finding.VerdictPass, 0)
	r.Epoch = 2
	if err := w.give(r); err != nil {
		t.Fatal(err)
	}
	w.want("a1 success no capture hazards")
}

// TestNewerGrantFencesOff: a newer lease counts from the moment it is granted, whether or not its runner was heard of.
func TestNewerGrantFencesOff(t *testing.T) {
	w := newWorld(t)
	w.plan("pull_request", pullPayload("opened", head, ""))
	j := w.jobs()[0]
	for range 2 {
		if _, err := w.queue.Claim(t.Context(), j.Pool, "", j.ID, "r1"); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.give(result(j, finding.VerdictFail, 1)); err != nil {
		t.Fatal(err)
	}
	w.want("a1 queued waiting for a runner")
	r := result(j, finding.VerdictPass, 0)
	r.Epoch = 2
	if err := w.give(r); err != nil {
		t.Fatal(err)
	}
	w.want("a1 success no capture hazards")
}

// TestCalledOff: whatever ends a check that is not its result, its runner is told; a result calls nothing off.
func TestCalledOff(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(*world, queue.Job)
		why  string
	}{
		{"newer commit", func(w *world, _ queue.Job) {
			w.gh.PullValue[7] = github.Pull{Number: 7, Open: true, Head: head2, HeadRepo: 77, Base: base, BaseRef: "main"}
			w.mirrors.Refs["refs/pull/7/head"] = head2
			w.plan("pull_request", pullPayload("synchronize", head2, ""))
		}, "superseded"},
		{"closed", func(w *world, _ queue.Job) { w.plan("pull_request", pullPayload("closed", head, "")) }, "closed"},
		{"a verdict", func(w *world, j queue.Job) {
			if err := w.give(result(j, finding.VerdictPass, 0)); err != nil {
				w.t.Fatal(err)
			}
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.plan("pull_request", pullPayload("opened", head, ""))
			j := w.jobs()[0]
			c.end(w, j)
			why, yes, err := queue.Cancelled(t.Context(), w.queue, j.Pool, "", j.ID)
			if err != nil || yes != (c.why != "") || !strings.Contains(why, c.why) {
				t.Errorf("called off: %v %q, %v", yes, why, err)
			}
		})
	}
}

func TestResultsThatAreDropped(t *testing.T) {
	w := newWorld(t)
	w.pools = map[string][]string{"r1": {"default"}, "other": {"b200"}}
	w.start()
	w.plan("pull_request", pullPayload("opened", head, ""))
	j := w.jobs()[0]
	stranger, unknown := result(j, finding.VerdictPass, 0), result(j, finding.VerdictPass, 0)
	stranger.Runner, unknown.Key = "other", "nobody"
	var drop *dropError
	for name, err := range map[string]error{
		"runner of another pool": w.give(stranger),
		"unknown job":            w.give(unknown),
		"no JSON":                w.handleResult(t.Context(), "r1", []byte("{")),
		"no job":                 w.handleResult(t.Context(), "r1", []byte("{}")),
	} {
		if !errors.As(err, &drop) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.want("a1 queued waiting for a runner")
}

// What was decided is sent, whatever else happens meanwhile.
func TestDecisionStands(t *testing.T) {
	w := newWorld(t)
	w.plan("pull_request", pullPayload("opened", head, ""))
	r := result(w.jobs()[0], finding.VerdictFail, 1)
	w.gh.Complete = github.ErrTransient
	if err := w.give(r); err == nil {
		t.Fatal("no error")
	}
	w.gh.Complete = nil
	w.plan("pull_request", pullPayload("closed", head, ""))
	w.want("a1 failure 1 capture hazard: GB101 tensor-item in f000.py:14")
}

func TestRunThatIsGone(t *testing.T) {
	w := newWorld(t)
	w.plan("pull_request", pullPayload("opened", head, ""))
	j := w.jobs()[0]
	w.gh.Complete = github.ErrGone
	if err := w.give(result(j, finding.VerdictPass, 0)); err != nil {
		t.Fatal(err)
	}
	if r, _, err := w.load(t.Context(), j.Key); err != nil || r.State != StateDone || !r.Final.Gone {
		t.Errorf("record %+v, error %v", r, err)
	}
}

func TestExhaustedJob(t *testing.T) {
	w := newWorld(t)
	w.plan("pull_request", pullPayload("opened", head, ""))
	j := w.jobs()[0]
	data, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.handleExhausted(t.Context(), j.Pool, data, 3); err != nil {
			t.Fatal(err)
		}
	}
	w.want("a1 cancelled infrastructure, no verdict: 3 runners in turn took the job and none finished it")
}

func TestSweep(t *testing.T) {
	sweep := func(w *world, d time.Duration) {
		t.Helper()
		w.clock = w.clock.Add(d)
		if err := w.sweep(t.Context(), false); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("nobody takes the job", func(t *testing.T) {
		w := newWorld(t)
		w.plan("pull_request", pullPayload("opened", head, ""))
		sweep(w, time.Minute)
		w.want("a1 queued waiting for a runner")
		sweep(w, w.policy.QueueWarn)
		w.want("a1 queued waiting for a runner: none has answered yet")
		sweep(w, w.policy.QueueMax)
		w.want("a1 timed_out timed out: no runner of pool default took the job within 24h0m0s")
	})
	t.Run("runner never answers", func(t *testing.T) {
		w := newWorld(t)
		w.plan("pull_request", pullPayload("opened", head, ""))
		j := w.jobs()[0]
		if err := w.give(queue.Result{JobID: j.ID, Key: j.Key, Attempt: 1, Epoch: 1, Runner: "r1", Class: queue.ClassStarted}); err != nil {
			t.Fatal(err)
		}
		sweep(w, j.Timeout)
		w.want("a1 in_progress running")
		sweep(w, w.policy.Grace+time.Second)
		w.want("a1 timed_out timed out: a runner took the job and sent no result within 40m0s")
	})
	t.Run("event lost half way", func(t *testing.T) {
		w := newWorld(t)
		w.mirrors.FetchError = errors.New("network")
		ev, tr := w.event("pull_request", pullPayload("opened", head, ""))
		if err := w.Plan(t.Context(), ev, tr); err == nil {
			t.Fatal("no error")
		}
		w.mirrors.FetchError = nil
		sweep(w, stuckFor+time.Second)
		if n := len(w.jobs()); n != 1 {
			t.Errorf("%d jobs", n)
		}
	})
	t.Run("never to be planned", func(t *testing.T) {
		w := newWorld(t)
		w.mirrors.FetchError = errors.New("network")
		ev, tr := w.event("pull_request", pullPayload("opened", head, ""))
		if err := w.Plan(t.Context(), ev, tr); err == nil {
			t.Fatal("no error")
		}
		sweep(w, w.policy.PlanFor+time.Second)
		w.want("a1 cancelled infrastructure, no verdict: network")
	})
	t.Run("old records go", func(t *testing.T) {
		w := newWorld(t)
		w.plan("pull_request", pullPayload("opened", head, ""))
		if err := w.give(result(w.jobs()[0], finding.VerdictPass, 0)); err != nil {
			t.Fatal(err)
		}
		sweep(w, w.policy.KeepRecord+time.Second)
		if keys, err := w.queue.Keys(t.Context(), queue.BucketJobs); err != nil || len(keys) != 0 {
			t.Errorf("keys %v, error %v", keys, err)
		}
	})
}
