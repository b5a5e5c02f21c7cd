package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/webhook/standin"
)

// configure rewrites the server's configuration before it starts.
func (s *site) configure(replace ...string) {
	s.Helper()
	data, err := os.ReadFile(s.File("serve.yaml"))
	if err != nil {
		s.Fatal(err)
	}
	text := strings.NewReplacer(replace...).Replace(string(data))
	if text == string(data) {
		s.Fatal("nothing was replaced in the configuration")
	}
	if err := os.WriteFile(s.File("serve.yaml"), []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

const pollIt = "  content_per_minute: 400\n  poll: 10s\n"

// TestPolling runs without a single webhook: pull request, fork with its approval by a comment, and the fix log.
func TestPolling(t *testing.T) {
	t.Parallel()
	s := newSite(t, standin.Options{})
	s.commit("main", "Start", 1)
	s.delivered()
	s.configure("  content_per_minute: 400\n", pollIt, "webhook:\n  secret_file: webhook.secret\n", "")
	s.serverWithoutHook()
	s.runner()
	_, head, lines := s.pull("topic", 3)
	s.done(head)
	s.one(head, "failure", lines) // the first is on main already, and a notice
	fix, _ := s.commit("main", "Fix", 0)
	s.done(fix)
	s.until("the fix log's pull request", func() bool { return len(s.Repo.Pulls()) == 2 })
}

// TestStranger: a pull request of somebody who cannot write waits, with its source annotated; the approval lets it run.
func TestStranger(t *testing.T) {
	t.Parallel()
	s := newSite(t, standin.Options{})
	s.commit("main", "Start", 0)
	s.delivered()
	mallory := s.GitHub.AddUser("mallory", "mallory-token-123")
	s.Repo.SetPermission("mallory", "read")
	s.server()
	s.runner()
	head, lines := s.commit("topic", "Two violations", 2)
	p, err := s.Repo.OpenPull(t.Context(), mallory, standin.NewPull{Title: "topic", Head: "topic"})
	if err != nil {
		t.Fatal(err)
	}
	s.done(head)
	run := s.one(head, "action_required", lines)
	if len(run.Actions) != 1 || run.Actions[0].Identifier != "approve" {
		t.Errorf("buttons %+v", run.Actions)
	}
	if _, err := s.Repo.Comment(mallory, p.Number, "/gatebot ok "+head); err != nil { // not theirs to give
		t.Fatal(err)
	}
	if err := s.GitHub.Press(s.User, run.ID, "approve"); err != nil {
		t.Fatal(err)
	}
	s.until("the approved run", func() bool {
		runs := s.GitHub.CheckRunsFor(head)
		return len(runs) == 2 && runs[1].Conclusion == "failure"
	})
	// The stranger's command may be handled after the button.
	trail := func() string {
		data, err := os.ReadFile(s.File("data/audit.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	s.until("both are in the audit trail", func() bool { return strings.Count(trail(), "\n") >= 2 })
	s.quiet()
	if summary := s.GitHub.CheckRunsFor(head)[1].Summary; !strings.Contains(summary, "Approved to run by **ada**") {
		t.Errorf("the summary does not say who approved: %s", summary)
	}
	if data := trail(); !strings.Contains(data, `"what":"approval"`) || strings.Count(data, "\n") != 2 {
		t.Errorf("audit trail: %s", data)
	}
}

// TestToken runs with a person's token and no App: commit statuses, and one comment that is edited in place.
func TestToken(t *testing.T) {
	t.Parallel()
	s := newSite(t, standin.Options{})
	s.commit("main", "Start", 0)
	s.delivered()
	if err := os.WriteFile(s.File("token"), []byte("ada-secret-token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.configure("app:\n  id: 1\n  private_key_file: app.pem\n", "", "  content_per_minute: 400\n", pollIt+"  token_file: token\n  repositories: [acme/tiny-moe]\n")
	s.serverWithoutHook()
	s.runner()
	number, bad, _ := s.pull("topic", 2)
	state := func(sha string) string {
		all := s.Repo.Statuses(sha)
		if len(all) == 0 {
			return ""
		}
		return all[len(all)-1].State
	}
	s.until("the failure", func() bool { return state(bad) == "failure" && len(s.Repo.Comments(number)) == 1 })
	good, _ := s.commit("topic", "Fix", 0)
	s.until("the success", func() bool { return state(good) == "success" })
	s.quiet()
	if len(s.GitHub.CheckRuns()) != 0 {
		t.Error("check runs by somebody who is no App")
	}
	comments := s.Repo.Comments(number)
	if len(comments) != 1 || !strings.Contains(comments[0].Body, good[:12]) {
		t.Errorf("comments %+v", comments)
	}
}

// serverWithoutHook starts a server that gets no events.
func (s *site) serverWithoutHook() {
	s.Helper()
	if _, err := s.StartServer(); err != nil {
		s.Fatal(err)
	}
	s.until("gatebot serve answers", func() bool { return s.Healthy(s.Context()) })
}
