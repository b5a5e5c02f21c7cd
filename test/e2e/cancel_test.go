package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gatebot/gatebot/internal/program"
	"github.com/gatebot/gatebot/webhook/standin"
)

// slow makes the runners' gatebot one whose check hangs, with a process of its group and one of another session, for as
// long as the file that it returns is not there. pids lists the processes of the checks that have begun so far.
func (s *site) slow() (quick string, pids func() []int) {
	s.Helper()
	quick, list := s.File("quick"), s.File("pids")
	script := fmt.Sprintf("#!/bin/sh\nif [ -e %[1]s ]; then exec %[2]s \"$@\"; fi\nwhile [ \"$1\" != --progress ]; do shift; done\n"+
		"echo '{\"phase\":\"capture\",\"unit\":\"regions\",\"done\":43,\"total\":62}' > $2\nsleep 600 &\necho $! >> %[3]s\nsetsid sleep 600 &\necho $! >> %[3]s\n"+
		"echo $$ >> %[3]s\nsleep 600\n", quick, gatebot, list)
	exe := s.File("slow-gatebot")
	program.Write(s, exe, script)
	for _, name := range []string{"runner.yaml", "second.yaml"} {
		data, err := os.ReadFile(s.File(name))
		if err == nil {
			err = os.WriteFile(s.File(name), append(data, "gatebot: "+exe+"\n"...), 0o600)
		}
		if err != nil {
			s.Fatal(err)
		}
	}
	return quick, func() (found []int) {
		data, err := os.ReadFile(list)
		if err != nil {
			return nil // none has begun
		}
		for line := range strings.Lines(string(data)) {
			var pid int
			if _, err := fmt.Sscan(line, &pid); err == nil && strings.HasSuffix(line, "\n") {
				found = append(found, pid)
			}
		}
		return found
	}
}

// living are those of the processes that are still there.
func living(pids []int) (found []int) {
	for _, pid := range pids {
		stat, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(pid), "stat"))
		if err == nil && !strings.Contains(string(stat), ") Z ") {
			found = append(found, pid)
		}
	}
	return found
}

// TestCancelledWhileItRuns: a newer commit, a closed pull request and a command each end the job that runs, with all its
// processes, and the runner is free for the next one.
func TestCancelledWhileItRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t, standin.Options{})
	s.commit("main", "Start", 0)
	s.delivered()
	quick, pids := s.slow()
	t.Cleanup(func() {
		for _, pid := range living(pids()) { // what the test did not bring to an end
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	s.configure("  timeout: 2m\n", "  timeout: 2m\n  progress: 5s\n")
	s.server()
	runner := s.runner()
	number, head, _ := s.pull("topic", 1)
	ended := func(what, head, title string, begun int) {
		t.Helper()
		s.until("the run is cancelled: "+what, func() bool {
			runs := s.GitHub.CheckRunsFor(head)
			return len(runs) > 0 && runs[0].Status == "completed"
		})
		if run := s.GitHub.CheckRunsFor(head)[0]; run.Conclusion != "cancelled" || !strings.Contains(run.Title, title) {
			t.Errorf("%s: %s %q", what, run.Conclusion, run.Title)
		}
		s.until("its processes are gone: "+what, func() bool { return len(living(pids()[:begun])) == 0 })
		s.until("the runner says so: "+what, func() bool { return strings.Count(runner.Tail(1000), "job cancelled") == begun/3 })
	}
	begins := func(n int) {
		t.Helper()
		s.until("the job runs", func() bool { return len(pids()) == n })
	}
	begins(3)
	s.until("the run says how far it is", func() bool {
		runs := s.GitHub.CheckRunsFor(head)
		return len(runs) == 1 && runs[0].Status == "in_progress" && runs[0].Title == "capture: 43 of 62 regions"
	})
	newer, _ := s.commit("topic", "Newer", 2)
	ended("newer commit", head, "superseded", 3)

	begins(6)
	if _, err := s.Repo.Comment(s.User, number, "/gatebot cancel"); err != nil {
		t.Fatal(err)
	}
	ended("command", newer, "by ada", 6)

	last, _ := s.commit("topic", "Last", 3)
	begins(9)
	if err := s.Repo.ClosePull(t.Context(), s.User, number); err != nil {
		t.Fatal(err)
	}
	ended("closed", last, "closed", 9)

	if err := os.WriteFile(quick, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, next, lines := s.pull("next", 1)
	s.done(next)
	s.one(next, "failure", lines)
}
