package webhook

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/webhook/standin"
)

// TestFixLogModes: one fix as a file of its own in a pull request, and as a note on the commit; a second fix adds to both.
func TestFixLogModes(t *testing.T) {
	m := newMachine(t)
	start := func(mode string) {
		t.Helper()
		m.commit("main", ".gatebot.yaml", "version: 1\nfixlog: {mode: "+mode+"}\n")
		m.commit("main", "a.py", dirty)
		m.commit("main", "b.py", dirty)
	}
	start("fragments")
	first := m.commit("main", "a.py", clean)
	log := m.logPull()
	fragments := func(p standin.Pull) string {
		out, err := m.repo.Show(t.Context(), p.HeadSHA+":.gatebot/fixlog.d")
		if err != nil {
			return ""
		}
		return out
	}
	if n := strings.Count(fragments(log), "fx-"); n != 1 {
		t.Errorf("%d fragments in %q", n, fragments(log))
	}
	m.commit("main", "b.py", clean)
	m.eventually(func() error {
		p := m.logPull()
		if n := strings.Count(fragments(p), "fx-"); n != 2 {
			return fmt.Errorf("%d fragments", n)
		}
		return nil
	})
	if run := m.completed(m.logPull().HeadSHA); run.Conclusion != "success" || run.Title != "fix log only" {
		t.Errorf("the log's own pull request: %s %s", run.Conclusion, run.Title)
	}

	start("notes")
	m.completed(first)
	third := m.commit("main", "a.py", clean)
	m.eventually(func() error {
		_, err := m.repo.Show(t.Context(), "refs/notes/gatebot:"+third)
		return err
	})
	text, err := m.repo.Show(t.Context(), "refs/notes/gatebot:"+third)
	if err != nil || !strings.Contains(text, `"rule":"GB101"`) {
		t.Errorf("note %q, %v", text, err)
	}
	m.eventually(m.delivered)
}
