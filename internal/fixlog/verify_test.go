package fixlog

import (
	"strings"
	"testing"
)

func TestVerify(t *testing.T) {
	h := newHist(t)
	root := h.commit("bad", map[string]string{"a.py": bad, "b.py": bad, "c.py": bad})
	fixA := h.commit("fix a", map[string]string{"a.py": good})
	fixB := h.commit("fix b", map[string]string{"b.py": good})
	h.commit("oops", map[string]string{"a.py": "#\n" + bad})
	l := &Ledger{}
	h.update(l, Options{})
	verify := func(o Options) string {
		t.Helper()
		wrong, unclear, err := Verify(t.Context(), h.repo, ScanFunc(h.scan), l, o)
		if err != nil || len(unclear) != 0 {
			t.Fatal(err, unclear)
		}
		return strings.Join(wrong, "\n")
	}
	for _, o := range []Options{{}, {After: root}, {After: root, Cap: 1}, {After: root, Tip: fixB}, {After: fixB}} {
		if got := verify(o); got != "" {
			t.Errorf("%+v: %s", o, got)
		}
	}
	l.Records[0].State = Fixed
	l.Records[1].ID, l.Records[1].Commit = recordID(fixA, "GB999", "x.py", "f"), fixA
	got := verify(Options{})
	for _, want := range []string{short(fixA) + " is fixed in the log and regressed in history", short(fixB) + " is missing: b.py",
		short(fixA) + " fixed nothing of the kind"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in:\n%s", want, got)
		}
	}
}
