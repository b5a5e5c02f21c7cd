package finding

import (
	"bytes"
	"testing"
)

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
	t.Run("baseline file", func(t *testing.T) {
		var file bytes.Buffer
		if err := NewBaseline([]Finding{at("a.py", "f", "x"), at("b.py", "g", "y"), at("b.py", "g", "z")}).Write(&file); err != nil {
			t.Fatal(err)
		}
		b, err := ReadBaseline(file.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		head := []Finding{at("c.py", "f", "x"), at("b.py", "h", "y"), at("d.py", "f", "x")}
		if gone := b.Mark(head, "in B"); gone != 1 {
			t.Errorf("%d are gone, want the one of z", gone)
		}
		if s := head[0].Suppressed; s == nil || s.Reason != "in B, moved from a.py" {
			t.Errorf("renamed file: %+v", s)
		}
		if s := head[1].Suppressed; s == nil || s.Reason != "in B, moved from b.py" {
			t.Errorf("renamed function: %+v", s)
		}
		if head[2].Suppressed != nil {
			t.Error("a copy is known")
		}
	})
	t.Run("baseline file of the first version", func(t *testing.T) {
		f := at("a.py", "f", "x")
		b, err := ReadBaseline([]byte(`{"schema":"gatebot.baseline/v1","known":{"` + f.Fingerprint + `":"GB101 a.py f"}}`))
		if err != nil {
			t.Fatal(err)
		}
		head := []Finding{f, at("b.py", "f", "y")}
		b.Mark(head, "in B")
		if head[0].Suppressed == nil || head[1].Suppressed != nil {
			t.Errorf("%+v", head)
		}
	})
	old := at("a.py", "f", "x")
	old.Suppressed = &Suppression{By: "inline", Reason: "why"}
	head := []Finding{at("b.py", "f", "x")}
	MarkMoved([]Finding{old}, head, "in A")
	if head[0].Suppressed != nil {
		t.Error("what was allowed at one place is allowed at another")
	}
}
