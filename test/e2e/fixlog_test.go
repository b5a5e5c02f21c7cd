package e2e

import (
	"strings"
	"testing"

	"github.com/gatebot/gatebot/webhook/standin"
)

// TestTwoMergesAtOnce lands a second fix while the first one is being logged: both are in the log, once and in the
// order of history, on one pull request; and what a person then writes into the log's row outlives a third.
func TestTwoMergesAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, standin.Options{})
	s.commit("main", "Start", 3)
	s.delivered()
	s.server()
	s.runner()
	first, _ := s.commit("main", "First", 2)
	second, _ := s.commit("main", "Second", 1)
	log := func() string {
		pulls := s.Repo.Pulls()
		if len(pulls) == 0 {
			return ""
		}
		return s.show(pulls[0].HeadSHA + ":GATEBOT_FIXLOG.md")
	}
	s.until("both fixes in the log", func() bool {
		text := log()
		return strings.Contains(text, first[:7]) && strings.Contains(text, second[:7])
	})
	s.quiet()
	s.redeliver()
	s.quiet()
	s.rows(log(), first, second)

	// The log is merged with a row in a person's words, while a third fix lands.
	edited := strings.Replace(log(), "decode.py: .item() removed from decode_step", "argmax stays on the card", 1)
	if edited == log() {
		t.Fatalf("the row has other words:\n%s", edited)
	}
	if _, err := s.Repo.Commit(t.Context(), s.User, "main", "Merge the log", standin.Change{Path: "GATEBOT_FIXLOG.md", Content: []byte(edited)}); err != nil {
		t.Fatal(err)
	}
	third, _ := s.commit("main", "Third", 0)
	s.until("the third fix in the log", func() bool { return strings.Contains(log(), third[:7]) })
	s.quiet()
	s.rows(log(), first, second, third)
	if !strings.Contains(log(), "argmax stays on the card") {
		t.Errorf("what a person wrote is gone:\n%s", log())
	}
}

// rows insists on one row for each commit, in this order.
func (s *site) rows(log string, commits ...string) {
	s.Helper()
	at := -1
	for _, c := range commits {
		i := strings.Index(log, "| "+c[:7]+" |")
		if i <= at || strings.Count(log, c[:7]) != 1 {
			s.Errorf("the row of %.7s is missing, twice there or out of order:\n%s", c, log)
		}
		at = i
	}
	if n := len(s.Repo.Pulls()); n != 1 {
		s.Errorf("%d pull requests, want the one of the log", n)
	}
}
