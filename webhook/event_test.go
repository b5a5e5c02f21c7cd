package webhook

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/internal/queue"
)

var (
	head  = strings.Repeat("a1", 20)
	head2 = strings.Repeat("b2", 20)
	base  = strings.Repeat("c3", 20)
	zeros = strings.Repeat("0", 40)
)

// common fields of payloads, as GitHub sends them, less what nobody reads.
const about = `"repository":{"id":77,"name":"r","owner":{"login":"o"},"clone_url":"https://github.com/o/r.git",
	"default_branch":"main","created_at":1700000000},"installation":{"id":3},"sender":{"login":"ada"}`

var testRepo = queue.Repo{ID: 77, Owner: "o", Name: "r", Installation: 3, CloneURL: "https://github.com/o/r.git", Default: "main"}

func pullPayload(action, headSHA, more string) string {
	return fmt.Sprintf(`{"action":%q,"number":7,"pull_request":{"number":7,"state":"open","updated_at":"2026-01-02T03:04:05Z",
		"head":{"ref":"topic","sha":%q},"base":{"ref":"main","sha":%q}%s},%s}`, action, headSHA, base, more, about)
}

func pushPayload(ref, before, after string) string {
	return fmt.Sprintf(`{"ref":%q,"before":%q,"after":%q,%s}`, ref, before, after, about)
}

func groupPayload(action, more string) string {
	return fmt.Sprintf(`{"action":%q,"merge_group":{"head_sha":%q,"head_ref":"refs/heads/gh-readonly-queue/main/pr-7-x",
		"base_sha":%q,"base_ref":"refs/heads/main"},%s%s}`, action, head, base, more, about)
}

func runPayload(action, external, pulls string) string {
	return fmt.Sprintf(`{"action":%q,"check_run":{"head_sha":%q,"external_id":%q,"app":{"id":5},
		"check_suite":{"head_branch":"topic"},"pull_requests":[%s]},%s}`, action, head, external, pulls, about)
}

func TestParse(t *testing.T) {
	pull := Trigger{
		Kind: KindCheck, Event: "pull_request", Repo: testRepo, Head: head, HeadRef: "topic", Base: base, BaseRef: "main",
		PR: 7, Updated: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Sender: "ada",
	}
	with := func(t Trigger, f func(*Trigger)) Trigger { f(&t); return t }
	push := Trigger{Kind: KindLand, Event: "push", Repo: testRepo, Head: head, HeadRef: "refs/heads/main", Base: base, BaseRef: "main", Sender: "ada"}
	group := Trigger{
		Kind: KindCheck, Event: "merge_group", Action: "checks_requested", Repo: testRepo, Head: head, Base: base,
		HeadRef: "refs/heads/gh-readonly-queue/main/pr-7-x", BaseRef: "main", Sender: "ada",
	}
	rerun := Trigger{
		Kind: KindRerun, Event: "check_run", Action: "rerequested", Repo: testRepo, Head: head, HeadRef: "topic", AppID: 5,
		ExternalID: "k.1", Sender: "ada",
	}
	none := func(event, action, reason string) Trigger {
		return Trigger{Kind: KindNone, Event: event, Action: action, Reason: reason}
	}
	for _, tc := range []struct {
		name, event, payload string
		want                 Trigger
		refused              string
	}{
		{"opened", "pull_request", pullPayload("opened", head, ""), with(pull, func(t *Trigger) { t.Action = "opened" }), ""},
		{"synchronize", "pull_request", pullPayload("synchronize", head, ""), with(pull, func(t *Trigger) { t.Action = "synchronize" }), ""},
		{"reopened", "pull_request", pullPayload("reopened", head, ""), with(pull, func(t *Trigger) { t.Action = "reopened" }), ""},
		{"ready", "pull_request", pullPayload("ready_for_review", head, ""), with(pull, func(t *Trigger) { t.Action = "ready_for_review" }), ""},
		{"new base", "pull_request", strings.Replace(pullPayload("edited", head, ""), `"number":7,`, `"number":7,"changes":{"base":{"ref":{"from":"old"}}},`, 1),
			with(pull, func(t *Trigger) { t.Action = "edited" }), ""},
		{"new title", "pull_request", pullPayload("edited", head, ""), none("pull_request", "edited", "edited without a new base"), ""},
		{"draft", "pull_request", pullPayload("opened", head, `,"draft":true`), none("pull_request", "opened", "draft: checked when it is ready for review"), ""},
		{"closed", "pull_request", pullPayload("closed", head, ""), with(pull, func(t *Trigger) {
			t.Kind, t.Action, t.Reason = KindCancel, "closed", "the pull request was closed"
		}), ""},
		{"merged", "pull_request", pullPayload("closed", head, `,"merged":true`), with(pull, func(t *Trigger) {
			t.Kind, t.Action, t.Reason = KindCancel, "closed", "the pull request was merged"
		}), ""},
		{"label added", "pull_request", pullPayload("labeled", head, ""), none("pull_request", "labeled", "action labeled changes neither head nor base"), ""},
		{"no head", "pull_request", pullPayload("opened", "", ""), Trigger{}, "is not a full object id"},
		{"short head", "pull_request", pullPayload("opened", "abc", ""), Trigger{}, "is not a full object id"},
		{"hook of a repository", "pull_request", strings.Replace(pullPayload("opened", head, ""), `"installation":{"id":3},`, "", 1), Trigger{}, "installation.id is missing"},
		{"path in a name", "pull_request", strings.Replace(pullPayload("opened", head, ""), `"name":"r"`, `"name":".."`, 1), Trigger{}, "is not a repository's name"},
		{"odd ref", "pull_request", strings.Replace(pullPayload("opened", head, ""), `"ref":"main"`, `"ref":"--upload-pack=x"`, 1), Trigger{}, "is not a ref name"},
		{"local clone URL", "pull_request", strings.Replace(pullPayload("opened", head, ""), "https://github.com/o/r.git", "ext::sh -c x", 1), Trigger{}, "is not an http(s) URL"},
		{"no action", "pull_request", "{}", Trigger{}, "action is missing"},
		{"wrong type", "pull_request", `{"action":7}`, Trigger{}, "payload"},

		{"default branch", "push", pushPayload("refs/heads/main", base, head), push, ""},
		{"new default branch", "push", pushPayload("refs/heads/main", zeros, head), with(push, func(t *Trigger) { t.Base = "" }), ""},
		{"other branch", "push", pushPayload("refs/heads/topic", base, head), none("push", "", "refs/heads/topic is not the default branch"), ""},
		{"branch of a group", "push", pushPayload("refs/heads/gh-readonly-queue/main/pr-1", base, head), none("push", "", "branch of a merge group: its own event asks for the check"), ""},
		{"tag", "push", pushPayload("refs/tags/v1", base, head), none("push", "", "refs/tags/v1 is not a branch"), ""},
		{"deleted", "push", pushPayload("refs/heads/main", base, zeros), none("push", "", "refs/heads/main was deleted"), ""},
		{"empty push", "push", "{}", Trigger{}, "ref is missing"},
		{"owner of old", "push", strings.Replace(pushPayload("refs/heads/main", base, head), `{"login":"o"}`, `{"name":"o"}`, 1), push, ""},

		{"group", "merge_group", groupPayload("checks_requested", ""), group, ""},
		{"group invalidated", "merge_group", groupPayload("destroyed", `"reason":"invalidated",`), with(group, func(t *Trigger) {
			t.Kind, t.Action, t.Reason = KindCancel, "destroyed", "the merge group was invalidated"
		}), ""},
		{"group merged", "merge_group", groupPayload("destroyed", `"reason":"merged",`), none("merge_group", "destroyed", "the group was merged"), ""},

		{"re-run", "check_run", runPayload("rerequested", "k.1", ""), rerun, ""},
		{"re-run with its pull request", "check_run", runPayload("rerequested", "k.1", fmt.Sprintf(`{"number":7,"base":{"ref":"main","sha":%q}}`, base)),
			with(rerun, func(t *Trigger) { t.PR, t.Base, t.BaseRef = 7, base, "main" }), ""},
		{"our own echo", "check_run", runPayload("completed", "k.1", ""), none("check_run", "completed", "action completed asks for nothing"), ""},
		{"re-run all", "check_suite", fmt.Sprintf(`{"action":"rerequested","check_suite":{"head_sha":%q,"head_branch":"topic","app":{"id":5}},%s}`, head, about),
			with(rerun, func(t *Trigger) { t.Event, t.ExternalID = "check_suite", "" }), ""},
		{"suite requested", "check_suite", `{"action":"requested"}`, none("check_suite", "requested", "action requested asks for nothing"), ""},

		{"ping", "ping", `{"zen":"Keep it logically awesome.","hook_id":9}`, none("ping", "", "ping from hook 9: Keep it logically awesome."), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Parse(tc.event, []byte(tc.payload))
			if tc.refused != "" {
				var refused *RefusedError
				if !errors.As(err, &refused) || !strings.Contains(err.Error(), tc.refused) {
					t.Fatalf("error %v, want a refusal with %q", err, tc.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestUnknownEvent(t *testing.T) {
	if _, err := Parse("star", []byte("{}")); !errors.Is(err, ErrUnknownEvent) {
		t.Errorf("%v", err)
	}
}

// Whatever comes, a trigger that asks for work names things that are safe in a URL and on a command line.
func FuzzParse(f *testing.F) {
	f.Add("pull_request", pullPayload("opened", head, ""))
	f.Add("push", pushPayload("refs/heads/main", base, head))
	f.Add("merge_group", groupPayload("checks_requested", ""))
	f.Add("merge_group", groupPayload("destroyed", `"reason":"dequeued",`))
	f.Add("check_run", runPayload("rerequested", "k.1", ""))
	f.Add("check_suite", `{"action":"rerequested"}`)
	f.Add("ping", `{"zen":"x"}`)
	f.Fuzz(func(t *testing.T, event, payload string) {
		got, err := Parse(event, []byte(payload))
		if err != nil || got.Kind == KindNone {
			return
		}
		if got.Repo.ID <= 0 || got.Repo.Installation <= 0 || strings.ContainsAny(got.Repo.Owner+got.Repo.Name, "/ \\%?#") {
			t.Errorf("repository %+v", got.Repo)
		}
		if got.Kind != KindCancel && !isID(got.Head) {
			t.Errorf("head %q", got.Head)
		}
		for _, ref := range []string{got.HeadRef, got.BaseRef, got.Repo.Default} {
			if strings.HasPrefix(ref, "-") || strings.ContainsAny(ref, " \n:") {
				t.Errorf("ref %q", ref)
			}
		}
	})
}
