package e2e

import (
	"strings"
	"testing"

	"github.com/gatebot/gatebot/webhook/standin"
)

// TestSourceBeforeTheDevice: while no runner is there, the source check of the commit is a completed run of its own, without
// annotations; the verdict comes with the lines, and no second source run beside it.
func TestSourceBeforeTheDevice(t *testing.T) {
	t.Parallel()
	s := newSite(t, standin.Options{})
	s.commit("main", "Start", 0)
	s.delivered()
	s.configure("  families: false\n", "  families: true\n  early: 1s\n")
	s.server()
	_, head, lines := s.pull("topic", 2)
	named := func(name string) (found []standin.CheckRun) {
		for _, r := range s.GitHub.CheckRunsFor(head) {
			if r.Name == name {
				found = append(found, r)
			}
		}
		return found
	}
	s.until("the source check", func() bool { return len(named("gatebot/source")) == 1 })
	early := named("gatebot/source")[0]
	if early.Conclusion != "failure" || len(early.Annotations) != 0 || !strings.Contains(early.Summary, "no code was run") || !strings.Contains(early.Summary+early.Text, "moe/decode.py") {
		t.Errorf("%s, %d annotations: %s\n%s", early.Conclusion, len(early.Annotations), early.Summary, early.Text)
	}
	if main := named("gatebot"); len(main) != 1 || main[0].Status != "queued" {
		t.Errorf("the run that counts: %+v", main)
	}
	s.runner()
	s.until("the verdict", func() bool { return named("gatebot")[0].Conclusion == "failure" })
	s.quiet()
	if main := named("gatebot"); len(main) != 1 || len(main[0].Annotations) != len(lines) || len(named("gatebot/source")) != 1 {
		t.Errorf("%d runs, %d of the source", len(main), len(named("gatebot/source")))
	}
}
