package e2e

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/program"
	"github.com/gatebot/gatebot/webhook/standin"
)

// metrics is what the server says of itself.
func (s *site) metrics() string {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), http.MethodGet, "http://"+s.HTTP+"/metrics", nil)
	if err != nil {
		s.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer func() { _ = resp.Body.Close() }()
	text, _ := io.ReadAll(resp.Body) // looked at again when it is cut off
	return string(text)
}

// TestRetryOnAnotherRunner: a runner on which a job could not be done does not get the next attempt while another one is
// there, however often it asks.
func TestRetryOnAnotherRunner(t *testing.T) {
	t.Parallel()
	s := newSite(t, standin.Options{})
	s.commit("main", "Start", 0)
	s.delivered()
	s.server()
	begin, tries, exe := s.File("go"), s.File("tries"), s.File("broken-gatebot")
	script := fmt.Sprintf("#!/bin/sh\necho try >> %s\nwhile [ ! -e %s ]; do sleep 0.1; done\nexit 3\n", tries, begin)
	program.Write(t, exe, script)
	data, err := os.ReadFile(s.File("runner.yaml"))
	if err == nil {
		err = os.WriteFile(s.File("runner.yaml"), append(data, "gatebot: "+exe+"\n"...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.runner() // bench, the broken one, has the job before there is another
	_, head, lines := s.pull("topic", 2)
	tried := func() int {
		data, err := os.ReadFile(tries)
		if err != nil {
			return 0
		}
		return strings.Count(string(data), "\n")
	}
	s.until("the broken runner has the job", func() bool { return tried() == 1 })
	if _, err := s.StartSecond(); err != nil {
		t.Fatal(err)
	}
	s.until("the server has heard of the second runner", func() bool { return strings.Contains(s.metrics(), `runner="second",state="idle"`) })
	if err := os.WriteFile(begin, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.done(head)
	run := s.one(head, "failure", lines)
	if !strings.Contains(run.Summary+run.Text, "second") {
		t.Errorf("the run does not name the runner: %s", run.Summary)
	}
	if n := tried(); n != 1 {
		t.Errorf("the broken runner got the job %d times", n)
	}
}
