package standin

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestAnswersFollowGitHubsDescription calls every endpoint once and validates request and answer.
func TestAnswersFollowGitHubsDescription(t *testing.T) {
	d := loadDescription(t)
	v := d.NewValidator()
	w := newWorld(t, Options{Around: v.Around(true)})
	head := w.commit("topic", "Change", "step.py", "def step(x):\n    return x.item()\n")
	w.commit("main", "A folder", "src/a.py", "a = 1\n")
	app := appToken(goodClaims())
	// /app/installations is left out: its description asks that an account be a user and an enterprise at once.
	for _, path := range []string{"/app", w.path("/installation"), "/app/hook/deliveries"} {
		w.want(http.StatusOK, app, "GET", path, nil)
	}
	w.repo.Require("main", "gatebot", 1)
	w.want(http.StatusOK, app, "GET", "/app/hook/config", nil)
	all := w.settle()
	one := fmt.Sprintf("/app/hook/deliveries/%d", all[0].ID)
	w.want(http.StatusOK, app, "GET", one, nil)
	w.want(http.StatusAccepted, app, "POST", one+"/attempts", nil)

	pull := w.want(http.StatusCreated, w.token, "POST", w.path("/pulls"), map[string]any{"title": "T", "head": "topic", "base": "main", "body": "B"})
	id := w.newRun(map[string]any{"head_sha": head, "status": "in_progress", "external_id": "job-1"})
	w.want(http.StatusOK, w.token, "PATCH", w.runPath(id), map[string]any{
		"status": "completed", "conclusion": "failure",
		"output":  map[string]any{"title": "1 violation", "summary": "S", "text": "T", "annotations": []any{annotation(nil)}},
		"actions": []any{map[string]any{"label": "Re-run", "description": "again", "identifier": "rerun"}},
	})
	number := fmt.Sprint(pull["number"])
	for _, path := range []string{
		w.path(""), "/installation/repositories", w.runPath(id), w.runPath(id) + "/annotations?per_page=5",
		w.path("/commits/" + head + "/check-runs?filter=all&check_name=gatebot&app_id=1"), w.path("/commits/topic"),
		w.path("/pulls?state=all&head=acme:topic"), w.path("/pulls/" + number), w.path("/commits/" + head + "/pulls"),
		w.path("/git/ref/heads/main"), w.path("/branches/main"), w.path("/contents/step.py?ref=topic"), w.path("/contents/src"),
		w.path("/compare/main...topic"),
	} {
		w.want(http.StatusOK, w.token, "GET", path, nil)
	}
	said := w.want(http.StatusCreated, w.token, "POST", w.path("/issues/"+number+"/comments"), map[string]any{"body": "hello"})
	comment := fmt.Sprint(int64(said["id"].(float64)))
	w.want(http.StatusOK, w.token, "PATCH", w.path("/issues/comments/"+comment), map[string]any{"body": "hello again"})
	w.want(http.StatusCreated, w.token, "POST", w.path("/issues/comments/"+comment+"/reactions"), map[string]any{"content": "+1"})
	w.want(http.StatusOK, w.token, "POST", w.path("/issues/comments/"+comment+"/reactions"), map[string]any{"content": "+1"})
	w.want(http.StatusCreated, w.alice.Token, "POST", w.path("/statuses/"+head), map[string]any{"state": "pending", "context": "gatebot", "description": "d"})
	w.want(http.StatusForbidden, w.alice.Token, "POST", w.path("/check-runs"), map[string]any{"name": "gatebot", "head_sha": head})
	w.want(http.StatusOK, w.alice.Token, "GET", "/user", nil)
	for _, path := range []string{"/issues/comments?since=2020-01-01T00:00:00Z", "/issues/" + number + "/comments", "/commits/" + head + "/statuses",
		"/collaborators/alice/permission", "/git/matching-refs/heads/m",
		"/rules/branches/main"} {
		w.want(http.StatusOK, w.token, "GET", w.path(path), nil)
	}
	w.want(http.StatusOK, w.token, "PATCH", w.path("/pulls/"+number), map[string]any{"title": "T2", "state": "closed"})
	w.want(http.StatusCreated, w.token, "POST", w.path("/git/refs"), map[string]any{"ref": "refs/heads/bot", "sha": w.base})
	w.want(http.StatusOK, w.token, "PATCH", w.path("/git/refs/heads/bot"), map[string]any{"sha": head, "force": true})
	w.want(http.StatusNoContent, w.token, "DELETE", w.path("/git/refs/heads/bot"), nil)

	for _, violation := range v.Violations() {
		t.Error(violation)
	}
	if v.Checked() < 30 {
		t.Errorf("%d messages checked: the validator did not see the traffic", v.Checked())
	}
}

// TestWebhooksFollowGitHubsDescription validates every payload that the stand-in sends.
func TestWebhooksFollowGitHubsDescription(t *testing.T) {
	d := loadDescription(t)
	w := newWorld(t, Options{})
	hook := newReceiver(t)
	w.s.SetWebhook(hook.URL)
	ctx := t.Context()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	w.commit("topic", "One", "a.py", "a = 1\n")
	p, err := w.repo.OpenPull(ctx, w.alice, NewPull{Title: "T", Head: "topic"})
	check(err)
	head := w.commit("topic", "Two", "a.py", "a = 2\n")
	id := w.newRun(map[string]any{"head_sha": head, "conclusion": "failure",
		"actions": []any{map[string]any{"label": "Re-run", "description": "again", "identifier": "rerun"}}})
	check(w.s.Rerequest(w.alice, id))
	check(w.s.Press(w.alice, id, "rerun"))
	comment, err := w.repo.Comment(w.alice, p.Number, "/gatebot run")
	check(err)
	check(w.repo.EditComment(w.alice, comment.ID, "/gatebot cancel"))
	check(w.repo.Install(w.alice))
	check(w.repo.Add(w.alice))
	g, err := w.repo.Enqueue(ctx, w.alice, p.Number)
	check(err)
	check(w.repo.Land(ctx, w.alice, g))
	check(w.s.Ping())

	seen := map[string]int{}
	for _, got := range w.settle() {
		name := strings.ReplaceAll(got.Event, "_", "-")
		if got.Action != "" {
			name += "-" + strings.ReplaceAll(got.Action, "_", "-")
		}
		seen[name]++
		if err := d.WebhookEvent(ctx, name, got.Body); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{
		"push", "pull-request-opened", "pull-request-synchronize", "pull-request-closed", "check-run-rerequested",
		"check-run-requested-action", "merge-group-checks-requested", "merge-group-destroyed", "ping",
		"issue-comment-created", "issue-comment-edited", "installation-created", "installation-repositories-added",
	} {
		if seen[name] == 0 {
			t.Errorf("no %s was sent (sent: %v)", name, seen)
		}
	}
	hook.mu.Lock()
	defer hook.mu.Unlock()
	for i, req := range hook.got {
		if req.Header.Get("X-Hub-Signature-256") != Sign("s3cret", hook.bodies[i]) {
			t.Errorf("delivery %d: signature does not fit the body", i)
		}
	}
	if len(hook.got) == 0 {
		t.Error("the receiver got nothing")
	}
}

func TestContentsAreExact(t *testing.T) {
	w := newWorld(t, Options{})
	for name, content := range map[string]string{"none": "x", "one": "x\n", "two": "x\n\n", "empty": ""} {
		w.commit("main", name, name, content)
		got := w.want(http.StatusOK, w.token, "GET", w.path("/contents/"+name), nil)
		data, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(got["content"].(string), "\n", ""))
		if err != nil || string(data) != content {
			t.Errorf("%s: %q, %v, want %q", name, data, err, content)
		}
	}
}

// annotation is a valid annotation with some fields replaced.
func annotation(change map[string]any) map[string]any {
	a := map[string]any{"path": "step.py", "start_line": 2, "end_line": 2, "annotation_level": "failure", "message": "m"}
	for k, v := range change {
		a[k] = v
	}
	return a
}
