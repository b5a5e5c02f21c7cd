package standin

import (
	"encoding/base64"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// git runs git as a person would, far from the stand-in's own environment.
func (w *world) git(dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(w.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (w *world) mustGit(dir string, args ...string) string {
	w.Helper()
	out, err := w.git(dir, args...)
	if err != nil {
		w.Fatalf("git %v: %v: %s", args, err, out)
	}
	return out
}

func TestPushOverHTTPMovesPullRequests(t *testing.T) {
	w := newWorld(t, Options{})
	dir := filepath.Join(t.TempDir(), "clone")
	w.mustGit(t.TempDir(), "clone", "-q", w.repo.PushURL(w.alice), dir)
	w.mustGit(dir, "checkout", "-q", "-b", "topic")
	w.mustGit(dir, "commit", "-q", "--allow-empty", "-m", "one")
	w.mustGit(dir, "push", "-q", "origin", "topic")
	p, err := w.repo.OpenPull(t.Context(), w.alice, NewPull{Title: "T", Head: "topic"})
	if err != nil {
		t.Fatal(err)
	}
	// More than http.postBuffer (1 MiB), so that git sends it in chunks.
	big := make([]byte, 3<<20)
	for i := range big {
		big[i] = byte(i * i * 7919 >> 3)
	}
	if err := os.WriteFile(filepath.Join(dir, "big"), big, 0o600); err != nil {
		t.Fatal(err)
	}
	w.mustGit(dir, "add", "big")
	w.mustGit(dir, "-c", "core.compression=0", "commit", "-q", "-m", "two")
	w.mustGit(dir, "-c", "core.compression=0", "push", "-q", "origin", "topic")
	head := w.mustGit(dir, "rev-parse", "HEAD")

	if got := w.repo.Pulls()[0]; got.HeadSHA != head || got.Number != p.Number {
		t.Errorf("pull request's head is %s, want %s", got.HeadSHA, head)
	}
	if got := w.mustGit(dir, "ls-remote", "origin", "refs/pull/1/head"); !strings.HasPrefix(got, head) {
		t.Errorf("refs/pull/1/head: %q, want %s", got, head)
	}
	if out, err := w.git(dir, "push", "-q", "origin", "HEAD:refs/pull/1/head"); err == nil {
		t.Errorf("a push to refs/pull/1/head went through: %s", out)
	}
	var events []string
	for _, d := range w.settle() {
		events = append(events, strings.Trim(d.Event+" "+d.Action, " "))
	}
	want := "push,push,pull_request opened,push,pull_request synchronize"
	if got := strings.Join(events, ","); got != want {
		t.Errorf("events: %s, want %s", got, want)
	}
}

func TestWhoMayFetchAndPush(t *testing.T) {
	w := newWorld(t, Options{})
	url := func(token string) string {
		return strings.Replace(w.repo.CloneURL(), "://", "://x-access-token:"+token+"@", 1)
	}
	reader := w.mint(map[string]any{"permissions": map[string]any{"contents": "read"}})
	blind := w.mint(map[string]any{"permissions": map[string]any{"checks": "write"}})
	dir := filepath.Join(t.TempDir(), "clone")
	w.mustGit(t.TempDir(), "clone", "-q", url(reader), dir)
	w.mustGit(dir, "commit", "-q", "--allow-empty", "-m", "one")
	for _, c := range []struct {
		name, url, verb string
		ok              bool
	}{
		{"reader fetches", url(reader), "fetch", true}, {"reader pushes", url(reader), "push", false},
		{"writer pushes", url(w.token), "push", true}, {"no contents permission", url(blind), "fetch", false},
		{"no credentials", w.repo.CloneURL(), "fetch", false}, {"wrong token", url("ghs_x"), "fetch", false},
	} {
		out, err := w.git(dir, c.verb, "-q", c.url, "HEAD:refs/heads/by-"+c.verb)
		if c.verb == "fetch" {
			out, err = w.git(dir, "fetch", "-q", c.url, "main")
		}
		if (err == nil) != c.ok {
			t.Errorf("%s: %v %s, want success %v", c.name, err, out, c.ok)
		}
	}
}

// TestOneOfManyWritersWins races commits onto one branch: the expected head decides.
func TestOneOfManyWritersWins(t *testing.T) {
	w := newWorld(t, Options{})
	commit := func(head string) map[string]any {
		return map[string]any{
			"query": "mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }",
			"variables": map[string]any{"input": map[string]any{
				"branch":  map[string]any{"repositoryNameWithOwner": "acme/kernels", "branchName": "main"},
				"message": map[string]any{"headline": "log"}, "expectedHeadOid": head,
				"fileChanges": map[string]any{"additions": []any{map[string]any{
					"path": "log/a.md", "contents": base64.StdEncoding.EncodeToString([]byte("| a |\n")),
				}}},
			}},
		}
	}
	var wg sync.WaitGroup
	answers := make([]reply, 4)
	for i := range answers {
		wg.Go(func() { answers[i], _ = w.do(w.token, "POST", "/graphql", commit(w.base)) })
	}
	wg.Wait()
	won := 0
	for _, a := range answers {
		switch {
		case a.status != http.StatusOK:
			t.Errorf("status %d: %s", a.status, a.body)
		case strings.Contains(string(a.body), `"oid"`):
			won++
		case !strings.Contains(string(a.body), "STALE_DATA"):
			t.Errorf("neither a commit nor STALE_DATA: %s", a.body)
		}
	}
	if won != 1 {
		t.Errorf("%d writers won, want 1", won)
	}
	if n := w.mustGit(w.repo.Dir(), "rev-list", "--count", "main"); n != "2" {
		t.Errorf("main has %s commits, want 2", n)
	}
	if got := w.mustGit(w.repo.Dir(), "show", "main:log/a.md"); got != "| a |" {
		t.Errorf("file: %q", got)
	}
}

func TestForkPullRequest(t *testing.T) {
	w := newWorld(t, Options{})
	fork, err := w.s.CreateRepository(t.Context(), "mallory", "kernels")
	if err != nil {
		t.Fatal(err)
	}
	w.mustGit(fork.Dir(), "fetch", "-q", w.repo.Dir(), "+refs/heads/*:refs/heads/*")
	if err := fork.sync(t.Context(), w.alice); err != nil {
		t.Fatal(err)
	}
	head, err := fork.Commit(t.Context(), w.alice, "topic", "From the fork", Change{Path: "step.py", Content: []byte("x\n")})
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.repo.OpenPull(t.Context(), w.alice, NewPull{Title: "T", Head: "topic", From: fork})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.mustGit(w.repo.Dir(), "rev-parse", "refs/pull/1/head"); got != head {
		t.Errorf("refs/pull/1/head is %s, want the fork's %s", got, head)
	}
	id := w.newRun(map[string]any{"head_sha": head})
	if got := w.want(http.StatusOK, w.token, "GET", w.runPath(id), nil)["pull_requests"].([]any); len(got) != 0 {
		t.Errorf("the run names %d pull requests, want none for a fork", len(got))
	}
	if p.HeadRepo != "mallory/kernels" {
		t.Errorf("head repository %q", p.HeadRepo)
	}
}

func TestFailedDeliveriesAreListedAndRepeated(t *testing.T) {
	w := newWorld(t, Options{})
	w.settle() // the push of main: nobody listened
	hook := newReceiver(t)
	w.s.SetWebhook(hook.URL)
	first := w.settle()[0]
	if first.OK() || first.StatusCode != 0 {
		t.Fatalf("delivery without a receiver: %+v, want failed", first)
	}
	if err := w.s.Redeliver(first.GUID); err != nil {
		t.Fatal(err)
	}
	all := w.settle()
	again := all[len(all)-1]
	if !again.OK() || again.GUID != first.GUID || !again.Redelivery {
		t.Errorf("redelivery: %+v, want taken, the same GUID, marked", again)
	}
	if err := w.s.Redeliver("no-such"); err == nil {
		t.Error("redelivery of an unknown GUID: no error")
	}
}

func TestEventsCanComeInAnyOrder(t *testing.T) {
	w := newWorld(t, Options{})
	w.settle()
	hook := newReceiver(t)
	w.s.SetWebhook(hook.URL)
	release := w.s.Hold()
	first := w.commit("topic", "One", "a.py", "a = 1\n")
	second := w.commit("topic", "Two", "a.py", "a = 2\n")
	release(func(ds []*Delivery) { slices.Reverse(ds) })
	w.settle()
	hook.mu.Lock()
	defer hook.mu.Unlock()
	if len(hook.bodies) != 2 || !strings.Contains(string(hook.bodies[0]), `"after":"`+second) ||
		!strings.Contains(string(hook.bodies[1]), `"after":"`+first) {
		t.Errorf("events came as %q, want the second push before the first", hook.bodies)
	}
}
