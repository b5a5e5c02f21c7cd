package fixlog

import (
	"strings"
	"testing"
)

// TestRewrittenHistory: a forced push gives the fix another commit; its row and what people wrote follow it.
func TestRewrittenHistory(t *testing.T) {
	h := newHist(t)
	h.commit("bad", map[string]string{"mhc.py": bad})
	h.commit("fix", map[string]string{"mhc.py": good})
	before := h.commit("after", map[string]string{"n.py": "n = 1\n"})
	l := &Ledger{}
	h.update(l, Options{})
	doc := strings.Replace(merged(t, "# Log\n\nSee [x](y).\n", l), "mhc.py: .item() removed from post_block", "no sync in mhc", 1)
	rows, err := ReadRows([]byte(doc), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Adopt(t.Context(), h.repo, rows); err != nil {
		t.Fatal(err)
	}
	old := l.Records[0].Commit

	h.git("checkout", "-q", "-B", "main", before+"~2")
	h.commit("put before it", map[string]string{"other.py": "x = 1\n"})
	h.git("cherry-pick", before+"~1", before)
	h.update(l, Options{})
	if len(l.Records) != 2 || l.Records[0].State != Superseded || l.Records[1].State != Fixed ||
		l.Records[1].Human != "no sync in mhc" || l.Records[0].SupersededBy != l.Records[1].ID {
		t.Fatalf("records: %+v", l.Records)
	}
	want := strings.Replace(doc, short(old), short(l.Records[1].Commit), 1)
	if got := merged(t, doc, l); got != want {
		t.Errorf("document:\n%s\nwant:\n%s", got, want)
	}
	// A document that never had the old row gets the new one only.
	if got := merged(t, "", l); strings.Contains(got, short(old)) || !strings.Contains(got, "no sync in mhc") {
		t.Errorf("a new document:\n%s", got)
	}
	// And a second update does nothing.
	data, _ := l.Bytes()
	h.update(l, Options{After: before + "~2"})
	if again, _ := l.Bytes(); string(again) != string(data) {
		t.Errorf("updating again:\n%s\n%s", data, again)
	}
}

// TestCherryPickToAnotherBranch: a log of its own for each branch; the fix on main is not taken over.
func TestCherryPickToAnotherBranch(t *testing.T) {
	h := newHist(t)
	h.commit("bad", map[string]string{"mhc.py": bad})
	h.git("branch", "release")
	fix := h.commit("fix", map[string]string{"mhc.py": good})
	onMain := &Ledger{}
	h.update(onMain, Options{})
	h.git("checkout", "-q", "release")
	h.commit("other", map[string]string{"o.py": "o = 1\n"})
	h.git("cherry-pick", fix)
	onRelease := &Ledger{}
	h.update(onRelease, Options{Tip: "release"})
	if got := h.log(onRelease); len(got) != 1 || got[0] != "fix: fixed mhc.py post_block 1" || onRelease.Records[0].Commit == fix {
		t.Errorf("release: %v", got)
	}
	h.update(onMain, Options{Tip: "main"})
	if got := h.log(onMain); len(got) != 1 || onMain.Records[0].State != Fixed {
		t.Errorf("main: %v", got)
	}
}
