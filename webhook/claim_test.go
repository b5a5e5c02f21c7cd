package webhook

import (
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/webhook/github"
)

// Two pull requests with one head against one base: 7 of a writer's branch, 8 from a stranger's fork.

// twins is a world that knows both, and has seen neither.
func twins(t *testing.T) (w *world, event func(action string, pr int)) {
	t.Helper()
	w = newWorld(t)
	w.gh.Levels = map[string]string{"stranger": "read"}
	w.gh.PullValue[7] = github.Pull{Number: 7, Open: true, Head: head, HeadRepo: 77, Base: base, BaseRef: "main", Author: "ada"}
	w.gh.PullValue[8] = github.Pull{Number: 8, Open: true, Head: head, HeadRepo: 99, Base: base, BaseRef: "main", Author: "stranger"}
	w.mirrors.Refs["refs/pull/8/head"] = head
	return w, func(action string, pr int) {
		t.Helper()
		payload := pullPayload(action, head, "")
		if pr == 8 {
			payload = strings.ReplaceAll(payload, `"number":7`, `"number":8`)
		}
		if action == "closed" {
			p := w.gh.PullValue[pr]
			p.Open = false
			w.gh.PullValue[pr] = p
		}
		w.plan("pull_request", payload)
	}
}

// TestForkFirst: a stranger's pull request that was first takes no verdict from the writer's, and gets that of the same
// commit, which runs because a writer pushed it.
func TestForkFirst(t *testing.T) {
	w, event := twins(t)
	event("opened", 8)
	w.want(waits)
	event("opened", 7)
	w.want(waits, queued)
	j := w.jobs()[0]
	if j.PR != 7 {
		t.Errorf("it runs for pull request %d", j.PR)
	}
	event("closed", 8) // takes nothing away
	w.want(waits, queued)
	if err := w.give(result(j, finding.VerdictPass, 0)); err != nil {
		t.Fatal(err)
	}
	w.want(waits, "a1 success no capture hazards")
}

// TestForkSecond: opening, pushing to and closing a fork's pull request with the head of a branch ends nothing and starts
// nothing; the check ends when the last of the two is gone.
func TestForkSecond(t *testing.T) {
	w, event := twins(t)
	event("opened", 7)
	event("opened", 8)
	w.want(queued)
	if n := len(w.jobs()); n != 1 {
		t.Errorf("%d jobs", n)
	}
	event("closed", 8)
	w.want(queued)
	event("reopened", 8)
	w.want(queued)
	w.gh.PullValue[8] = github.Pull{Number: 8, Open: true, Head: head2, HeadRepo: 99, Base: base, BaseRef: "main", Author: "stranger"}
	w.mirrors.Refs["refs/pull/8/head"] = head2
	w.plan("pull_request", strings.ReplaceAll(pullPayload("synchronize", head2, ""), `"number":7`, `"number":8`))
	w.want(queued, strings.Replace(waits, "a1", "b2", 1))
	event("closed", 7)
	w.want("a1 cancelled cancelled: the pull request was closed", strings.Replace(waits, "a1", "b2", 1))
}

// TestForkAlone: once the writer's pull request is gone, the stranger's has no trust of it.
func TestForkAlone(t *testing.T) {
	w, event := twins(t)
	event("opened", 7)
	w.jobs()
	event("closed", 7)
	event("opened", 8)
	w.want("a1 cancelled cancelled: the pull request was closed", waits)
	if n := len(w.jobs()); n != 0 {
		t.Errorf("%d jobs of a stranger's", n)
	}
}

// TestForkOnAnotherBase: against another base it is another question, and waits for an approval of its own.
func TestForkOnAnotherBase(t *testing.T) {
	w, event := twins(t)
	event("opened", 7)
	w.jobs()
	w.gh.PullValue[8] = github.Pull{Number: 8, Open: true, Head: head, HeadRepo: 99, Base: head2, BaseRef: "release", Author: "stranger"}
	w.mirrors.Refs["refs/heads/release"] = head2
	payload := strings.ReplaceAll(strings.ReplaceAll(pullPayload("opened", head, ""), `"number":7`, `"number":8`), `"ref":"main"`, `"ref":"release"`)
	w.plan("pull_request", strings.Replace(payload, base, head2, 1))
	w.want(queued, waits)
	if n := len(w.jobs()); n != 0 {
		t.Errorf("%d jobs of a stranger's", n)
	}
}

// TestForkCannotCancel: not even the author of an approved commit ends a check that is somebody else's too.
func TestForkCannotCancel(t *testing.T) {
	w, event := twins(t)
	event("opened", 7)
	event("opened", 8)
	ok := strings.Replace(commentPayload("created", 40, "ada", "/gatebot ok "+head), `"number":7`, `"number":8`, 1)
	w.plan("issue_comment", ok)
	w.plan("issue_comment", strings.Replace(commentPayload("created", 41, "stranger", "/gatebot cancel"), `"number":7`, `"number":8`, 1))
	w.want(queued)
	if len(w.gh.Replies) != 1 || !strings.Contains(w.gh.Replies[0], "pull request #7 has the same commit") {
		t.Errorf("replies %q", w.gh.Replies)
	}
}
