package finding

import "testing"

func TestMarkMoved(t *testing.T) {
	at := func(path, function string, tokens ...string) Finding {
		return Finding{Rule: "GB101", Path: path, Function: function, Line: 7, Fingerprint: Fingerprint("GB101", path, function, tokens, 0),
			MoveKey: MoveKey("GB101", tokens)}
	}
	for name, tc := range map[string]struct {
		base, head []Finding
		moved      []string // reasons, empty for what is new
	}{
		"file renamed":     {[]Finding{at("a.py", "f", "x")}, []Finding{at("b.py", "f", "x")}, []string{"in A, moved from a.py:7"}},
		"function renamed": {[]Finding{at("a.py", "f", "x")}, []Finding{at("a.py", "g", "x")}, []string{"in A, moved from a.py:7"}},
		"neither":          {[]Finding{at("a.py", "f", "x")}, []Finding{at("b.py", "g", "x")}, []string{""}},
		"copied":           {[]Finding{at("a.py", "f", "x")}, []Finding{at("a.py", "f", "x"), at("b.py", "f", "x")}, []string{"", ""}},
		"moved and copied": {[]Finding{at("a.py", "f", "x")}, []Finding{at("b.py", "f", "x"), at("c.py", "f", "x")},
			[]string{"in A, moved from a.py:7", ""}},
		"other code": {[]Finding{at("a.py", "f", "x")}, []Finding{at("b.py", "f", "y")}, []string{""}},
		"the function counts before the file": {[]Finding{at("a.py", "f", "x"), at("b.py", "g", "x")},
			[]Finding{at("b.py", "h", "x"), at("c.py", "f", "x")}, []string{"in A, moved from b.py:7", "in A, moved from a.py:7"}},
	} {
		t.Run(name, func(t *testing.T) {
			MarkMoved(tc.base, tc.head, "in A")
			for i, want := range tc.moved {
				got := ""
				if s := tc.head[i].Suppressed; s != nil {
					got = s.Reason
				}
				if got != want {
					t.Errorf("finding %d: %q, want %q", i, got, want)
				}
			}
		})
	}
	old := at("a.py", "f", "x")
	old.Suppressed = &Suppression{By: "inline", Reason: "why"}
	head := []Finding{at("b.py", "f", "x")}
	MarkMoved([]Finding{old}, head, "in A")
	if head[0].Suppressed != nil {
		t.Error("what was allowed at one place is allowed at another")
	}
}
