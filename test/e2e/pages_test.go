package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/program"
	"github.com/gatebot/gatebot/webhook/standin"
)

// talkative makes the runner's gatebot one that prints a line and then waits for a file before it checks.
func (s *site) talkative() (release string) {
	s.Helper()
	release = s.File("release")
	exe := s.File("talkative-gatebot")
	script := fmt.Sprintf("#!/bin/sh\nprintf 'before the check \\033[31mred\\033[0m ghp_%s\\n'\nwhile [ ! -e %s ]; do sleep 0.1; done\nexec %s \"$@\"\n", strings.Repeat("a", 36), release, gatebot)
	program.Write(s, exe, script)
	s.appendTo("runner.yaml", "gatebot: "+exe+"\n")
	return release
}

func (s *site) appendTo(name, text string) {
	s.Helper()
	data, err := os.ReadFile(s.File(name))
	if err == nil {
		err = os.WriteFile(s.File(name), append(data, text...), 0o600)
	}
	if err != nil {
		s.Fatal(err)
	}
}

// TestPages: somebody signs in at GitHub by the link behind Details, watches the check while it runs, and sees its report when
// it is done.
func TestPages(t *testing.T) {
	t.Parallel()
	s := newSite(t, standin.Options{})
	root := "http://" + s.HTTP
	s.GitHub.SetSignIn(standin.SignIn{ClientID: "Iv1.e2e", ClientSecret: "client-secret", Callbacks: []string{root + "/callback"}})
	s.put(s.Dir, "client.secret", "client-secret\n")
	s.appendTo("serve.yaml", "sign_in: {client_id: Iv1.e2e, client_secret_file: client.secret}\n")
	data, err := os.ReadFile(s.File("serve.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	s.put(s.Dir, "serve.yaml", strings.Replace(string(data), "listen:\n", "listen:\n  public_url: "+root+"\n", 1))
	release := s.talkative()
	s.commit("main", "Start", 0)
	s.delivered()
	s.server()
	s.runner()
	_, head, _ := s.pull("topic", 1)
	details := ""
	s.until("the run has its link", func() bool {
		runs := s.GitHub.CheckRunsFor(head)
		if len(runs) > 0 {
			details = runs[0].DetailsURL
		}
		return details != ""
	})

	doctor := func() string {
		t.Helper()
		out, _ := exec.CommandContext(t.Context(), gatebot, "doctor", "--serve", s.File("serve.yaml"), "--only", "sign-in").CombinedOutput() // what it says is looked at
		return string(out)
	}
	if said := doctor(); !strings.Contains(said, "GitHub knows client Iv1.e2e") || !strings.Contains(said, root+"/callback") {
		t.Errorf("doctor: %s", said)
	}
	s.put(s.Dir, "client.secret", "of-another-client\n") // the server that runs has read the right one
	if said := doctor(); !strings.Contains(said, "FAIL") || !strings.Contains(said, "incorrect_client_credentials") || strings.Contains(said, "of-another-client") {
		t.Errorf("doctor: %s", said)
	}

	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Jar: jar, Timeout: patience}
	get := func(address string) (body, end string) {
		t.Helper()
		res, err := c.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		data, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(data), res.Request.URL.String()
	}
	page, at := get(details) // nobody is in yet
	if !strings.HasPrefix(at, root+"/login?to=") || strings.Contains(page, "tiny-moe") {
		t.Fatalf("at %s: %s", at, page)
	}
	_, consent := get(root + strings.Replace(strings.TrimPrefix(at, root), "/login?", "/login/github?", 1))
	if !strings.HasPrefix(consent, s.GitHub.URL()+"/login/oauth/authorize?") {
		t.Fatalf("sent to %s", consent)
	}
	res, err := c.PostForm(consent, url.Values{"login": {s.User.Login}})
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if got := res.Request.URL.String(); got != details || res.StatusCode != http.StatusOK {
		t.Fatalf("after signing in: %d at %s", res.StatusCode, got)
	}

	const line = "before the check red ‹redacted›"
	s.until("the log is on the page", func() bool { page, _ := get(details); return strings.Contains(page, line) })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", details+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	live, err := (&http.Client{Jar: jar}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = live.Body.Close() }()
	var stream strings.Builder
	for lines := bufio.NewScanner(live.Body); lines.Scan(); {
		text := lines.Text()
		stream.WriteString(text + "\n")
		if strings.Contains(text, line) { // it is followed: now the check may go on
			s.put(s.Dir, "release", "")
		}
		if text == "event: end" {
			break
		}
	}
	for _, want := range []string{line, "gatebot: phase source", `"state":"running"`, "event: end"} {
		if !strings.Contains(stream.String(), want) {
			t.Errorf("no %q in the stream:\n%s", want, stream.String())
		}
	}
	if _, err := os.Stat(release); err != nil {
		t.Fatal(err)
	}
	s.done(head)
	if page, _ := get(details); !strings.Contains(page, `<span class="badge fail">`) || !strings.Contains(page, "/log.txt") {
		t.Errorf("the report: %.3000s", page)
	}
	if log, _ := get(details + "/log.txt"); !strings.Contains(log, line) || strings.Contains(log, "ghp_") {
		t.Errorf("the log: %s", log)
	}
	if page, _ := get(root + "/board"); !strings.Contains(page, "acme/tiny-moe") {
		t.Errorf("the board: %s", page)
	}
	s.Repo.SetPermission(s.User.Login, "none")
	fresh := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	out, err := fresh.Get(details)
	if err != nil {
		t.Fatal(err)
	}
	_ = out.Body.Close()
	if out.StatusCode != http.StatusSeeOther {
		t.Errorf("without a session: %d", out.StatusCode)
	}
}
