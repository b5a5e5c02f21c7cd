package ruletest

import (
	"testing"

	"github.com/gatebot/gatebot/internal/finding"
)

func TestExpectations(t *testing.T) {
	src := []byte("a = 1\nb = x.item()  # want \"copies `x`\" \"twice\" and a remark\nc  # possible \"maybe\"\nd  # suppressed \"off\"\n")
	got, err := expectations(src)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		line int
		kind string
		re   string
	}{{2, "want", "copies `x`"}, {2, "want", "twice"}, {3, "possible", "maybe"}, {4, "suppressed", "off"}}
	if len(got) != len(want) {
		t.Fatalf("%d expectations, want %d", len(got), len(want))
	}
	for i, w := range want {
		if got[i].line != w.line || got[i].kind != w.kind || got[i].message.String() != w.re {
			t.Errorf("%d: line %d, %s, %q; want %+v", i, got[i].line, got[i].kind, got[i].message, w)
		}
	}
	for _, bad := range []string{"x  # want nothing quoted", `x  # want "("`} {
		if _, err := expectations([]byte(bad)); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

// A finding meets an expectation once, on its line, of its kind, with its message.
func TestTake(t *testing.T) {
	gating := finding.Finding{Line: 2, Message: "copies one value", Confidence: finding.Likely}
	possible, suppressed, elsewhere := gating, gating, gating
	possible.Confidence = finding.Possible
	suppressed.Suppressed = &finding.Suppression{Reason: "VERBOSE >= 2", By: "guard"}
	elsewhere.Line = 3
	other := gating
	other.Message = "something else"
	for _, f := range []finding.Finding{possible, suppressed, elsewhere, other} {
		e, err := expectations([]byte("\nx  # want \"copies\"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if e.take(f) {
			t.Errorf("%+v was taken for the expectation", f)
		}
	}
	e, err := expectations([]byte("\nx  # want \"copies\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	if !e.take(gating) || e.take(gating) {
		t.Error("an expectation must be met exactly once")
	}
}
