package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

func buttonPayload(identifier, external string) string {
	return strings.Replace(runPayload("requested_action", external, ""), `"check_run":`, fmt.Sprintf(`"requested_action":{"identifier":%q},"check_run":`, identifier), 1)
}

func commentPayload(action string, id int64, by, body string) string {
	return fmt.Sprintf(`{"action":%q,"issue":{"number":7,"pull_request":{}},"comment":{"id":%d,"body":%q,"user":{"login":%q,"type":"User"}},%s}`,
		action, id, body, by, about)
}

// forked is a world whose pull request comes from a fork, by a stranger.
func forked(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.gh.Levels = map[string]string{"stranger": "read", "reader": "read"}
	w.gh.PullValue[7] = github.Pull{Number: 7, Open: true, Head: head, HeadRepo: 99, Base: base, BaseRef: "main", Author: "stranger"}
	w.plan("pull_request", pullPayload("opened", head, ""))
	return w
}

const (
	waits  = "a1 action_required waiting for approval: it comes from a fork"
	queued = "a1 queued waiting for a runner"
)

func TestCommands(t *testing.T) {
	for _, tc := range []struct {
		name, by, body string
		shows          []string
		reaction       string
		reply          string // part of it; empty: none
	}{
		{"approved", "ada", "/gatebot ok " + head, []string{waits, queued}, "+1", ""},
		{"approved by a prefix, and words after it", "ada", "/gatebot OK " + head[:7] + " thanks\nsecond line", []string{waits, queued}, "+1", ""},
		{"too short", "ada", "/gatebot ok a1a1a1", []string{waits}, "confused", "at least its first 7 digits"},
		{"no commit", "ada", "/gatebot ok", []string{waits}, "confused", "`/gatebot ok a1a1a1a1a1a1`"},
		{"another commit", "ada", "/gatebot ok " + head2, []string{waits}, "confused", "is not the head"},
		{"by the author, who cannot write", "stranger", "/gatebot ok " + head, []string{waits}, "confused", "write access"},
		{"by a stranger", "reader", "/gatebot ok " + head, []string{waits}, "", ""},
		{"run by the author, not approved", "stranger", "/gatebot run", []string{waits}, "confused", "was not approved"},
		{"run by a writer approves nothing", "ada", "/gatebot run", []string{waits, waits}, "+1", ""},
		{"no such command", "ada", "/gatebot merge", []string{waits}, "confused", "no such command"},
		{"nothing asked", "ada", "/gatebot", []string{waits}, "confused", "Commands:"},
		{"somebody else's command", "ada", "/gatebotany ok " + head, []string{waits}, "", ""},
		{"in the middle of a text", "ada", "I would not say /gatebot ok " + head, []string{waits}, "", ""},
		{"explained", "ada", "/gatebot explain gb101", []string{waits}, "+1", "text of GB101"},
		{"cannot be explained", "ada", "/gatebot explain GB9", []string{waits}, "confused", "no such rule"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := forked(t)
			w.explain = func(rule string) (string, bool) { return "text of " + rule, rule == "GB101" }
			for range 2 { // delivered twice
				ev, tr := w.event("issue_comment", commentPayload("created", 33, tc.by, tc.body))
				if err := w.Plan(t.Context(), ev, tr); err != nil {
					t.Fatal(err)
				}
			}
			w.want(tc.shows...)
			reaction, reply := "", ""
			if len(w.gh.Reactions) > 0 {
				reaction = strings.TrimPrefix(w.gh.Reactions[0], "33 ")
			}
			if len(w.gh.Replies) > 0 {
				reply = w.gh.Replies[0]
			}
			if reaction != tc.reaction || !strings.Contains(reply, tc.reply) || (tc.reply == "") != (reply == "") || len(w.gh.Reactions) > 1 || len(w.gh.Replies) > 1 {
				t.Errorf("reactions %v, replies %q; want %q and %q, once", w.gh.Reactions, w.gh.Replies, tc.reaction, tc.reply)
			}
		})
	}
}

// An edited comment is no command: what was approved must not change after the fact.
func TestEditedCommentIsNoCommand(t *testing.T) {
	w := forked(t)
	w.plan("issue_comment", commentPayload("created", 33, "ada", "what does this do?"))
	w.plan("issue_comment", commentPayload("edited", 33, "ada", "/gatebot ok "+head))
	w.want(waits)
}

// TestApprovalIsOfOneCommit approves A; B is pushed while A is being dispatched, and B never runs.
func TestApprovalIsOfOneCommit(t *testing.T) {
	w := forked(t)
	w.plan("issue_comment", commentPayload("created", 33, "ada", "/gatebot ok "+head))
	if jobs := w.jobs(); len(jobs) != 1 || jobs[0].Head != head {
		t.Fatalf("jobs %+v", jobs)
	}
	w.gh.PullValue[7] = github.Pull{Number: 7, Open: true, Head: head2, HeadRepo: 99, Base: base, BaseRef: "main", Author: "stranger"}
	w.mirrors.Refs["refs/pull/7/head"] = head2
	w.plan("pull_request", pullPayload("synchronize", head2, ""))
	w.want(waits, "a1 cancelled superseded by b2b2b2b2b2b2 on main", "b2 action_required waiting for approval: it comes from a fork")
	if jobs := w.jobs(); len(jobs) != 0 {
		t.Errorf("jobs of a commit that nobody approved: %+v", jobs)
	}
}

// TestPushWhileApproving moves the pull request between the approval and the dispatch: the ref that is fetched is not the
// approved commit any more, and nothing runs.
func TestPushWhileApproving(t *testing.T) {
	w := forked(t)
	w.mirrors.Refs["refs/pull/7/head"] = head2 // the API still says head
	ev, tr := w.event("issue_comment", commentPayload("created", 33, "ada", "/gatebot ok "+head))
	if err := w.Plan(t.Context(), ev, tr); err == nil {
		t.Error("a job was made of a ref that is elsewhere")
	}
	if jobs := w.jobs(); len(jobs) != 0 {
		t.Errorf("jobs %+v", jobs)
	}
}

// TestApprovalLapses: who approved and lost write access before the dispatch approves nothing.
func TestApprovalLapses(t *testing.T) {
	w := forked(t)
	w.mirrors.FetchError = fmt.Errorf("network")
	ev, tr := w.event("issue_comment", commentPayload("created", 33, "ada", "/gatebot ok "+head))
	if err := w.Plan(t.Context(), ev, tr); err == nil {
		t.Fatal("the fetch did not fail")
	}
	w.mirrors.FetchError, w.gh.Levels["ada"] = nil, "read"
	if err := w.sweep(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	w.want(waits, "a1 action_required waiting for approval: ada approved it and can no longer write (read)")
}

func TestWhoIsTrusted(t *testing.T) {
	for _, tc := range []struct {
		name           string
		author, pusher string
		set            func(*Policy)
		want           string
	}{
		{"author and pusher write", "ada", "bob", nil, queued},
		{"author cannot", "reader", "bob", nil, "a1 action_required waiting for approval: reader has no write access (read)"},
		{"pusher cannot", "ada", "reader", nil, "a1 action_required waiting for approval: reader has no write access (read)"},
		{"trusted by the configuration", "Reader", "reader", func(p *Policy) { p.Trusted = []string{"reader"} }, queued},
		{"we ourselves", "gatebot-test[bot]", "gatebot-test[bot]", nil, queued},
		{"nobody is asked", "reader", "reader", func(p *Policy) { p.RunForks = true }, queued},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			if tc.set != nil {
				tc.set(&w.policy)
			}
			w.gh.Level, w.gh.Levels = "none", map[string]string{"ada": "admin", "bob": "write", "reader": "read"}
			w.gh.PullValue[7] = github.Pull{Number: 7, Open: true, Head: head, HeadRepo: 77, Base: base, BaseRef: "main", Author: tc.author}
			w.start()
			w.plan("pull_request", strings.Replace(pullPayload("synchronize", head, ""), `"sender":{"login":"ada"}`, fmt.Sprintf(`"sender":{"login":%q}`, tc.pusher), 1))
			w.want(tc.want)
		})
	}
}

// A pull request that edits the gate waits, whoever wrote it, and says so when it ran.
func TestGateChanges(t *testing.T) {
	w := newWorld(t)
	w.mirrors.Files = map[string]string{base + ":.gatebot.yaml": "version: 1\nstep: {entry: tests/gate_step.py}\n"}
	w.mirrors.Diff = []string{"model.py", "tests/gate_step.py"}
	w.plan("pull_request", pullPayload("opened", head, ""))
	const held = "a1 action_required waiting for approval: it changes the gate itself (tests/gate_step.py)"
	w.want(held)
	w.plan("issue_comment", commentPayload("created", 33, "ada", "/gatebot ok "+head))
	if err := w.give(result(w.jobs()[0], finding.VerdictPass, 0)); err != nil {
		t.Fatal(err)
	}
	w.want(held, "a1 success no capture hazards")
	run := w.gh.Runs[1]
	if !slices.Equal(run.Paths, []string{"tests/gate_step.py"}) || !strings.Contains(run.Summary, "Gate changed") || !strings.Contains(run.Summary, "Approved to run by **ada** (write)") {
		t.Errorf("annotated %v, summary %q", run.Paths, run.Summary)
	}

	w = newWorld(t)
	w.policy.HoldGateChanges = false
	w.mirrors.Diff = []string{".gatebot.yaml"}
	w.start()
	w.plan("pull_request", pullPayload("opened", head, ""))
	w.want(queued)
}

// The source of a held commit is looked at all the same, with the base's configuration, and annotated.
func TestHeldCommitIsScanned(t *testing.T) {
	var config []byte
	w := newWorld(t)
	w.inspect = func(_ context.Context, _, h, b string, c []byte) (*finding.Results, error) {
		config = c
		if h != head || b != base {
			t.Errorf("inspected %.2s against %.2s", h, b)
		}
		r, err := finding.Read(result(queue.Job{Head: head}, finding.VerdictFail, 2).Results)
		return r, err
	}
	w.mirrors.Files = map[string]string{base + ":.gatebot.yaml": "version: 1\n", head + ":.gatebot.yaml": "version: 1\nchecks: {source: off}\n"}
	w.gh.PullValue[7] = github.Pull{Number: 7, Open: true, Head: head, HeadRepo: 99, Base: base, BaseRef: "main"}
	w.start()
	w.plan("pull_request", pullPayload("opened", head, ""))
	w.want(waits + "; source: 2 capture hazards: GB101 tensor-item in f000.py:14")
	if run := w.gh.Runs[0]; len(run.Paths) != 2 || string(config) != "version: 1\n" {
		t.Errorf("%d annotations, configuration %q", len(run.Paths), config)
	}
	w = newWorld(t)
	w.inspect = func(context.Context, string, string, string, []byte) (*finding.Results, error) {
		return nil, fmt.Errorf("the child ended with signal: segmentation fault")
	}
	w.gh.PullValue[7] = github.Pull{Number: 7, Open: true, Head: head, HeadRepo: 99, Base: base, BaseRef: "main"}
	w.start()
	w.plan("pull_request", pullPayload("opened", head, ""))
	w.want(waits) // a dead child takes nothing with it
}

func TestAuditTrail(t *testing.T) {
	name := t.TempDir() + "/audit.jsonl"
	w := forked(t)
	var err error
	if w.trail, err = openAudit(name); err != nil {
		t.Fatal(err)
	}
	ev, tr := w.event("issue_comment", commentPayload("created", 33, "ada", "/gatebot ok "+head))
	if err := w.Plan(withDelivery(t.Context(), ev), ev, tr); err != nil {
		t.Fatal(err)
	}
	if err := w.trail.close(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(readFile(t, name)), "\n")
	var first map[string]any
	if err := json.Unmarshal([]byte(lines[0]), &first); err != nil {
		t.Fatal(err)
	}
	if len(lines) != 2 || first["what"] != "approval" || first["by"] != "ada" || first["head"] != head || first["comment"] != 33.0 || first["delivery"] != ev.Delivery {
		t.Errorf("audit trail:\n%s", strings.Join(lines, "\n"))
	}
}
