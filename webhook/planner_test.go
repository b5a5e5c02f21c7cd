package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/bundle"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

func TestPullRequestToVerdict(t *testing.T) {
	w := newWorld(t)
	w.mirrors.Files = map[string]string{base + ":.gatebot.yaml": "version: 1\n"}
	w.plan("pull_request", pullPayload("opened", head, ""))
	w.want("a1 queued waiting for a runner")
	jobs := w.jobs()
	if len(jobs) != 1 {
		t.Fatalf("%d jobs", len(jobs))
	}
	j := jobs[0]
	if j.Head != head || j.Base != base || j.PR != 7 || j.Tree != "tree-"+head || string(j.Config) != "version: 1\n" || j.Bundle.Size != int64(len("bundle of "+head)) {
		t.Errorf("job %+v", j)
	}
	if err := w.give(result(j, finding.VerdictFail, 1)); err != nil {
		t.Fatal(err)
	}
	w.want("a1 failure 1 capture hazard: GB101 tensor-item in f000.py:14")
	if _, err := w.queue.GetBlob(t.Context(), j.Bundle.Name); !errors.Is(err, queue.ErrNotFound) {
		t.Errorf("the bundle is still there: %v", err)
	}
}

func TestManyDeliveriesMakeOneJob(t *testing.T) {
	w := newWorld(t)
	for _, action := range []string{"opened", "reopened", "ready_for_review"} {
		w.plan("pull_request", pullPayload(action, head, ""))
	}
	w.want("a1 queued waiting for a runner")
	if n := len(w.jobs()); n != 1 {
		t.Errorf("%d jobs", n)
	}
}

func TestWhatNeedsNoJob(t *testing.T) {
	for _, tc := range []struct {
		name string
		set  func(*world)
	}{
		{"closed meanwhile", func(w *world) { w.gh.PullValue[7] = github.Pull{Number: 7, Head: head} }},
		{"draft meanwhile", func(w *world) { w.gh.PullValue[7] = github.Pull{Number: 7, Open: true, Draft: true, Head: head} }},
		{"moved on", func(w *world) {
			w.gh.PullValue[7] = github.Pull{Number: 7, Open: true, Head: head2}
			w.policy.Lag = -1
		}},
		{"gone", func(w *world) { w.gh.PullValue = nil; w.policy.Lag = -1 }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			tc.set(w)
			w.start()
			w.plan("pull_request", pullPayload("opened", head, ""))
			w.want()
		})
	}
}

// GitHub's API may lag behind its webhooks: nothing is concluded from an older head.
func TestLateAPIIsWaitedFor(t *testing.T) {
	w := newWorld(t)
	w.gh.PullValue[7] = github.Pull{Number: 7, Open: true, Head: head2, HeadRepo: 77, BaseRef: "main"}
	ev, tr := w.event("pull_request", pullPayload("opened", head, ""))
	if err := w.Plan(t.Context(), ev, tr); !errors.Is(err, github.ErrNotYet) {
		t.Fatalf("error %v", err)
	}
	w.gh.PullValue[7] = github.Pull{Number: 7, Open: true, Head: head, HeadRepo: 77, BaseRef: "main"}
	if err := w.Plan(t.Context(), ev, tr); err != nil {
		t.Fatal(err)
	}
	w.want("a1 queued waiting for a runner")
}

func TestCommitThatIsNotThere(t *testing.T) {
	w := newWorld(t)
	delete(w.mirrors.Refs, "refs/pull/7/head")
	ev, tr := w.event("pull_request", pullPayload("opened", head, ""))
	if err := w.Plan(t.Context(), ev, tr); !errors.Is(err, ErrNoRef) {
		t.Fatalf("error %v", err)
	}
	w.want("a1 queued waiting for a runner") // answered at once, concluded not at all
	w.clock = w.clock.Add(w.policy.NotYetFor + time.Second)
	if err := w.Plan(t.Context(), ev, tr); err != nil {
		t.Fatal(err)
	}
	w.want("a1 cancelled cancelled: the commit is not to be found at GitHub")
}

func TestCommitThatGitHubNeverShows(t *testing.T) {
	w := newWorld(t)
	w.gh.CreateError = github.ErrNotYet
	ev, tr := w.event("pull_request", pullPayload("opened", head, ""))
	if err := w.Plan(t.Context(), ev, tr); !errors.Is(err, github.ErrNotYet) {
		t.Fatalf("error %v", err)
	}
	w.clock = w.clock.Add(w.policy.NotYetFor + time.Second)
	if err := w.Plan(t.Context(), ev, tr); err != nil {
		t.Fatal(err)
	}
	r, _, err := w.load(t.Context(), jobKey(77, head, base, "gatebot"))
	if err != nil || r.State != StateDone || !r.Final.Gone {
		t.Errorf("record %+v, error %v", r, err)
	}
}

func TestEndsWithoutAJob(t *testing.T) {
	for _, tc := range []struct {
		name string
		set  func(*world)
		want string
	}{
		{"fix log only", func(w *world) { w.mirrors.Diff = []string{"GATEBOT_FIXLOG.md"} }, "a1 success fix log only"},
		{"configured fix log only", func(w *world) {
			w.mirrors.Files = map[string]string{base + ":.gatebot.yaml": "version: 1\nfixlog: {path: docs/READY.md}\n"}
			w.mirrors.Diff = []string{"docs/READY.md"}
		}, "a1 success fix log only"},
		{"configuration broken at base", func(w *world) {
			w.mirrors.Files = map[string]string{base + ":.gatebot.yaml": "version: 1\nstepp: {}\n"}
		}, `a1 action_required gate configuration is invalid: .gatebot.yaml:2: stepp: unknown key (did you mean "step"?)`},
		{"cannot be bundled", func(w *world) {
			w.bundle = func(context.Context, string, string, string, io.Writer) error { return bundle.ErrNoFiles }
		}, "a1 cancelled infrastructure, no verdict: the repository cannot be bundled: tree has no files"},
		{"bundle too large", func(w *world) { w.policy.MaxBundle = 3 },
			"a1 cancelled infrastructure, no verdict: the repository cannot be bundled: " +
				"repository is too large: the bundle is over the limit (raise check.max_bundle)"},
		{"pull request moved on while fetching", func(w *world) {
			w.mirrors.Refs["refs/pull/7/head"] = head2
			w.bundle = nil
			w.gh.PullValue[7] = github.Pull{Number: 7, Open: true, Head: head2, HeadRepo: 77, BaseRef: "main"}
			w.policy.Lag = time.Hour
		}, "a1 cancelled superseded by b2b2b2b2b2b2 on main"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			tc.set(w)
			w.start()
			ev, tr := w.event("pull_request", pullPayload("opened", head, ""))
			err := w.Plan(t.Context(), ev, tr)
			if errors.Is(err, github.ErrNotYet) { // the race: the head was right when the event was planned
				rec := w.record(tr)
				err = w.planner.want(t.Context(), ev, rec)
			}
			if err != nil {
				t.Fatal(err)
			}
			w.want(tc.want)
			if n := len(w.jobs()); n != 0 {
				t.Errorf("%d jobs", n)
			}
		})
	}
}

// The configuration that counts is the base's: what the change itself says is not even read.
func TestChangeCannotTurnOffItsGate(t *testing.T) {
	w := newWorld(t)
	w.mirrors.Files = map[string]string{
		base + ":.gatebot.yaml": "version: 1\n",
		head + ":.gatebot.yaml": "version: 1\nchecks: {source: off}\n",
	}
	w.plan("pull_request", pullPayload("opened", head, ""))
	if jobs := w.jobs(); len(jobs) != 1 || string(jobs[0].Config) != "version: 1\n" {
		t.Errorf("jobs %+v", jobs)
	}
}

func TestNewHeadCancelsTheOld(t *testing.T) {
	w := newWorld(t)
	w.plan("pull_request", pullPayload("opened", head, ""))
	old := w.jobs()[0]
	w.gh.PullValue[7] = github.Pull{Number: 7, Open: true, Head: head2, HeadRepo: 77, BaseRef: "main"}
	w.mirrors.Refs["refs/pull/7/head"] = head2
	w.plan("pull_request", pullPayload("synchronize", head2, ""))
	w.want("a1 cancelled superseded by b2b2b2b2b2b2 on main", "b2 queued waiting for a runner")
	if err := w.give(result(old, finding.VerdictPass, 0)); err != nil { // too late
		t.Fatal(err)
	}
	if err := w.give(result(w.jobs()[0], finding.VerdictPass, 0)); err != nil {
		t.Fatal(err)
	}
	w.want("a1 cancelled superseded by b2b2b2b2b2b2 on main", "b2 success no capture hazards")
}

func TestClosedAndReopened(t *testing.T) {
	w := newWorld(t)
	w.plan("pull_request", pullPayload("opened", head, ""))
	w.plan("pull_request", pullPayload("closed", head, ""))
	w.want("a1 cancelled cancelled: the pull request was closed")
	w.plan("pull_request", pullPayload("reopened", head, ""))
	w.want("a1 cancelled cancelled: the pull request was closed", "a1 queued waiting for a runner")
}

func TestVerdictIsReused(t *testing.T) {
	w := newWorld(t)
	w.plan("pull_request", pullPayload("opened", head, ""))
	if err := w.give(result(w.jobs()[0], finding.VerdictPass, 0)); err != nil {
		t.Fatal(err)
	}
	w.plan("pull_request", pullPayload("reopened", head, ""))
	w.mirrors.Refs["refs/heads/main"] = head // merged by fast-forward
	w.plan("push", pushPayload("refs/heads/main", base, head))
	w.want("a1 success no capture hazards")
}

func TestPushToDefaultBranch(t *testing.T) {
	w := newWorld(t)
	w.mirrors.Refs["refs/heads/main"] = head
	w.plan("push", pushPayload("refs/heads/main", base, head))
	w.plan("push", pushPayload("refs/heads/topic", base, head))
	w.want("a1 queued waiting for a runner")
	if jobs := w.jobs(); len(jobs) != 1 || jobs[0].Trigger != "push" || jobs[0].Base != base {
		t.Errorf("jobs %+v", jobs)
	}
}

func TestMergeGroup(t *testing.T) {
	w := newWorld(t)
	w.mirrors.FetchError = errors.New("slow network")
	ev, tr := w.event("merge_group", groupPayload("checks_requested", ""))
	w.mirrors.Refs["refs/heads/gh-readonly-queue/main/pr-7-x"] = head
	if err := w.Plan(t.Context(), ev, tr); err == nil {
		t.Fatal("the fetch did not fail")
	}
	w.want("a1 queued waiting for a runner") // a queue that gets no answer is stuck
	w.plan("merge_group", groupPayload("destroyed", `"reason":"dequeued",`))
	w.want("a1 cancelled cancelled: the merge group was dequeued")
}

func TestRerun(t *testing.T) {
	w := newWorld(t)
	w.plan("pull_request", pullPayload("opened", head, ""))
	first := w.jobs()[0]
	external := w.gh.Runs[0].ExternalID
	w.plan("check_run", runPayload("rerequested", external, "")) // not finished: nothing new
	w.want("a1 queued waiting for a runner")
	if err := w.give(result(first, finding.VerdictFail, 1)); err != nil {
		t.Fatal(err)
	}
	ev, tr := w.event("check_run", runPayload("rerequested", external, ""))
	for range 2 { // GitHub delivers twice
		if err := w.Plan(t.Context(), ev, tr); err != nil {
			t.Fatal(err)
		}
	}
	w.plan("check_run", runPayload("rerequested", external, "")) // the button of the old run, again
	w.want("a1 failure 1 capture hazard: GB101 tensor-item in f000.py:14", "a1 queued waiting for a runner")
	if err := w.give(result(first, finding.VerdictPass, 0)); err != nil { // a result of the first attempt
		t.Fatal(err)
	}
	w.want("a1 failure 1 capture hazard: GB101 tensor-item in f000.py:14", "a1 queued waiting for a runner")
	second := w.jobs()
	if len(second) != 1 || second[0].ID == first.ID || second[0].Attempt != 2 {
		t.Fatalf("jobs %+v", second)
	}
	if err := w.give(result(second[0], finding.VerdictPass, 0)); err != nil {
		t.Fatal(err)
	}
	w.want("a1 failure 1 capture hazard: GB101 tensor-item in f000.py:14", "a1 success no capture hazards")
}

func TestRerunOfWhatIsNotKnown(t *testing.T) {
	for _, tc := range []struct {
		name  string
		pulls []github.Pull
		event string
		body  string
		want  []string
	}{
		{"a fork's: GitHub is asked", []github.Pull{{Number: 7, Open: true, Head: head, Base: base, BaseRef: "main"}}, "check_run",
			runPayload("rerequested", "lost.1", ""), []string{"a1 queued waiting for a runner"}},
		{"named in the event", nil, "check_run", runPayload("rerequested", "lost.1", fmt.Sprintf(`{"number":7,"base":{"ref":"main","sha":%q}}`, base)),
			[]string{"a1 queued waiting for a runner"}},
		{"nobody's", nil, "check_run", runPayload("rerequested", "lost.1", ""), nil},
		{"another App's", nil, "check_run", strings.Replace(runPayload("rerequested", "x", ""), `"app":{"id":5}`, `"app":{"id":6}`, 1), nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			w.gh.PullsOfValue = tc.pulls
			w.plan(tc.event, tc.body)
			w.want(tc.want...)
		})
	}
}

func TestRerunAll(t *testing.T) {
	w := newWorld(t)
	w.plan("pull_request", pullPayload("opened", head, ""))
	if err := w.give(result(w.jobs()[0], finding.VerdictPass, 0)); err != nil {
		t.Fatal(err)
	}
	w.plan("check_suite", fmt.Sprintf(`{"action":"rerequested","check_suite":{"head_sha":%q,"head_branch":"topic","app":{"id":5}},%s}`, head, about))
	w.want("a1 success no capture hazards", "a1 queued waiting for a runner")
}

// A stranger's code waits for somebody with write access, who approves one commit and not the next.
func TestForks(t *testing.T) {
	w := newWorld(t)
	fork := func(sha string) {
		w.gh.PullValue[7] = github.Pull{Number: 7, Open: true, Head: sha, HeadRepo: 99, BaseRef: "main"}
		w.mirrors.Refs["refs/pull/7/head"] = sha
	}
	fork(head)
	const waits, queued = "action_required waiting for approval: it comes from a fork", "queued waiting for a runner"
	w.plan("pull_request", pullPayload("opened", head, ""))
	w.want("a1 " + waits)
	external := w.gh.Runs[0].ExternalID
	w.gh.Level = "read"
	w.plan("check_run", buttonPayload(actionApprove, external))
	w.want("a1 " + waits)
	w.gh.Level = "write"
	w.plan("check_run", runPayload("rerequested", external, "")) // looks again, and lets nothing through
	w.want("a1 "+waits, "a1 "+waits)
	if n := len(w.jobs()); n != 0 {
		t.Fatalf("%d jobs without an approval", n)
	}
	w.plan("check_run", buttonPayload(actionApprove, w.gh.Runs[1].ExternalID))
	w.want("a1 "+waits, "a1 "+waits, "a1 "+queued)
	if n := len(w.jobs()); n != 1 {
		t.Fatalf("%d jobs after the approval", n)
	}
	fork(head2)
	w.plan("pull_request", pullPayload("synchronize", head2, ""))
	w.want("a1 "+waits, "a1 "+waits, "a1 cancelled superseded by b2b2b2b2b2b2 on main", "b2 "+waits)

	w = newWorld(t)
	w.policy.RunForks = true
	w.start()
	fork(head)
	w.plan("pull_request", pullPayload("opened", head, ""))
	w.want("a1 " + queued)
}

// A process that is killed at any of its operations, before or after the operation had its effect, is replaced by one
// that ends with the same single completed check run.
func TestKilledAnywhere(t *testing.T) {
	for _, after := range []bool{false, true} {
		for at := 1; ; at++ {
			if !survives(t, at, after) {
				if at < 10 { // creating, storing and publishing alone are more than that
					t.Fatalf("only %d operations were cut", at-1)
				}
				break // the run has no more operations
			}
		}
	}
}

// survives plays one pull request with a process that dies at operation at. It reports whether it died at all.
func survives(t *testing.T, at int, after bool) bool {
	t.Helper()
	w := newWorld(t)
	w.fuse.at, w.fuse.after = at, after
	name := fmt.Sprintf("killed at operation %d (after its effect: %v)", at, after)
	died := false
	// again repeats what the queue would deliver again, with a new process after each death.
	again := func(what string, f func() error) {
		for tries := 0; ; tries++ {
			err := f()
			if err == nil {
				return
			}
			if !errors.Is(err, errKilled) || tries > 3 {
				t.Fatalf("%s: %s: %v", name, what, err)
			}
			died = true
			w.start()
			if err := w.sweep(t.Context(), true); err != nil {
				t.Fatalf("%s: sweep: %v", name, err)
			}
		}
	}
	ev, tr := w.event("pull_request", pullPayload("opened", head, ""))
	again("plan", func() error { return w.Plan(t.Context(), ev, tr) })
	jobs := w.jobs()
	if len(jobs) != 1 {
		t.Fatalf("%s: %d jobs", name, len(jobs))
	}
	started := queue.Result{JobID: jobs[0].ID, Key: jobs[0].Key, Attempt: 1, Epoch: 1, Runner: "r1", Class: queue.ClassStarted}
	again("started", func() error { return w.give(started) })
	again("result", func() error { return w.give(result(jobs[0], finding.VerdictFail, 120)) })
	if len(w.gh.Runs) != 1 {
		t.Fatalf("%s: %d check runs", name, len(w.gh.Runs))
	}
	run := w.gh.Runs[0]
	if run.Conclusion != "failure" || run.Completions != 1 || len(run.Paths) != 120 {
		t.Errorf("%s: conclusion %s, completed %d times, %d annotations", name, run.Conclusion, run.Completions, len(run.Paths))
	}
	if slices.Sort(run.Paths); len(slices.Compact(run.Paths)) != 120 {
		t.Errorf("%s: annotations are repeated", name)
	}
	if r, _, err := w.load(t.Context(), jobs[0].Key); err != nil || r.State != StateDone {
		t.Errorf("%s: record %+v, error %v", name, r, err)
	}
	return died
}
