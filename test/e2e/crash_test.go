package e2e

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/crash"
	"github.com/gatebot/gatebot/webhook/standin"
)

// onRunner are the points at which the runner dies; at all others the server does.
var onRunner = []string{crash.JobRunning, crash.ResultSpooled, crash.ResultStored}

// TestKillAtEveryPoint kills the server or the runner with SIGKILL at each point that a pull request passes, starts it
// again, and expects what there would have been without.
func TestKillAtEveryPoint(t *testing.T) {
	for _, point := range crash.Points {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			if point == crash.FixLogWritten {
				killWhileLogging(t)
				return
			}
			killWhileChecking(t, point)
		})
	}
}

// killWhileChecking crashes on the way of one pull request. It has more annotations than fit into one request, so that
// a crash between the conclusion and the rest of them shows.
func killWhileChecking(t *testing.T, point string) {
	const violations = 60
	s := newSite(t, standin.Options{})
	s.commit("main", "Start", 0)
	head, lines := s.commit("topic", "Many violations", violations)
	s.delivered()
	env := []string{"GATEBOT_CRASH_AT=" + point, "GATEBOT_CRASH_ONCE=" + s.marker(point)}
	server, runner := s.armed(env...), s.runner(env...)
	// The first event that the server sees, so that it is the one it dies with.
	if _, err := s.Repo.OpenPull(t.Context(), s.User, standin.NewPull{Title: "Many violations", Head: "topic"}); err != nil {
		t.Fatal(err)
	}

	victim, restart := server, s.server
	if slices.Contains(onRunner, point) {
		victim, restart = runner, s.runner
	}
	s.until("the crash at "+point, func() bool { return victim.Dead() != nil })
	if _, err := os.Stat(s.marker(point)); err != nil {
		t.Fatalf("the process died, and not at its crash point: %v", victim.Dead())
	}
	s.Children.Remove(victim)
	restart(env...) // the marker keeps it from dying again

	s.done(head)
	s.until("all annotations are there", func() bool { return len(s.GitHub.CheckRunsFor(head)[0].Annotations) >= violations })
	s.quiet()
	s.one(head, "failure", lines)
	// The delivery that the crash cut off shows as failed; an administrator repeats it, and any other one too.
	s.redeliver()
	s.quiet()
	s.one(head, "failure", lines)
	if err := s.Children.Dead(); err != nil {
		t.Error(err)
	}
}

// killWhileLogging crashes when the fix log's commit is made and nothing knows of it yet.
func killWhileLogging(t *testing.T) {
	s := newSite(t, standin.Options{})
	s.commit("main", "Start", 1)
	s.delivered()
	env := []string{"GATEBOT_CRASH_AT=" + crash.FixLogWritten, "GATEBOT_CRASH_ONCE=" + s.marker(crash.FixLogWritten)}
	server := s.armed(env...)
	s.runner()
	fix, _ := s.commit("main", "Keep the maximum on the device", 0)
	s.until("the crash", func() bool { return server.Dead() != nil })
	s.Children.Remove(server)
	s.server(env...)

	s.done(fix)
	s.until("the fix log's pull request", func() bool { return len(s.Repo.Pulls()) > 0 })
	s.quiet()
	s.redeliver()
	s.quiet()
	s.one(fix, "success", nil)
	pulls := s.Repo.Pulls()
	if len(pulls) != 1 {
		t.Fatalf("%d pull requests, want the one of the fix log: %+v", len(pulls), pulls)
	}
	log := s.show(pulls[0].HeadSHA + ":GATEBOT_FIXLOG.md")
	if n := strings.Count(log, fix[:7]); n != 1 {
		t.Errorf("the fix log names %.7s %d times, want once:\n%s", fix, n, log)
	}
}
