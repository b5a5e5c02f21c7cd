package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func fixed(o Outcome) func(context.Context) Outcome {
	return func(context.Context) Outcome { return o }
}

func TestRun(t *testing.T) {
	var said []string
	r := Registry{
		{Name: "good", Run: fixed(Good("all %s", "well"))},
		{Name: "unused", Run: fixed(None("no such part"))},
		{Name: "warned", Run: fixed(Warned("mend it", "odd"))},
		{Name: "after-unused", Needs: []string{"unused"}, Run: func(context.Context) Outcome { panic("must not run") }},
		{Name: "after-warned", Needs: []string{"good", "warned"}, Run: fixed(Good("ran"))},
		{Name: "bad", Run: fixed(Failed("mend it", "wrong"))},
		{Name: "after-bad", Needs: []string{"bad"}, Run: func(context.Context) Outcome { panic("must not run") }},
		{Name: "panics", Run: func(context.Context) Outcome { panic("oh") }},
		{Name: "says-nothing", Run: fixed(Outcome{})},
		{Name: "hangs", Timeout: 10 * time.Millisecond, Run: func(context.Context) Outcome { select {} }},
	}
	rep := r.Run(context.Background(), func(name string) { said = append(said, name) })
	want := []Line{
		{Check: "good", Outcome: Outcome{Status: OK, What: "all well"}},
		{Check: "unused", Outcome: Outcome{Status: NotApplicable, What: "no such part"}},
		{Check: "warned", Outcome: Outcome{Status: Warn, What: "odd", Do: "mend it"}},
		{Check: "after-unused", Outcome: Outcome{Status: NotApplicable, What: "needs unused"}},
		{Check: "after-warned", Outcome: Outcome{Status: OK, What: "ran"}},
		{Check: "bad", Outcome: Outcome{Status: Fail, What: "wrong", Do: "mend it"}},
		{Check: "after-bad", Outcome: Outcome{Status: NotApplicable, What: "needs bad"}},
		{Check: "panics", Outcome: Outcome{Status: Fail, What: "internal error: oh", Do: "please report it", Infra: true}},
		{Check: "says-nothing", Outcome: Outcome{Status: Fail, What: "internal error: the check has no outcome", Do: "please report it", Infra: true}},
		{Check: "hangs", Outcome: Outcome{Status: Fail, What: "no end after 10ms", Do: "see whether the driver or the network hangs", Infra: true}},
	}
	if d := cmp.Diff(want, rep.Lines, cmpopts.IgnoreFields(Line{}, "DurationMS")); d != "" {
		t.Error(d)
	}
	if rep.Status != Fail || rep.ExitCode() != 3 || len(said) != len(r) {
		t.Errorf("%s, exit code %d, said %v", rep.Status, rep.ExitCode(), said)
	}
}

func TestExitCode(t *testing.T) {
	for _, tt := range []struct {
		outcomes []Outcome
		want     int
		status   Status
	}{
		{nil, 0, OK},
		{[]Outcome{Good("a"), None("b")}, 0, OK},
		{[]Outcome{Warned("", "a"), Good("b")}, 0, Warn},
		{[]Outcome{Failed("", "a"), Warned("", "b")}, 1, Fail},
		{[]Outcome{Broken("", "a"), Failed("", "b")}, 3, Fail},
	} {
		var r Registry
		for _, o := range tt.outcomes {
			r = append(r, Check{Name: "x", Run: fixed(o)})
		}
		if rep := r.Run(context.Background(), nil); rep.ExitCode() != tt.want || rep.Status != tt.status {
			t.Errorf("%v: exit code %d, %s", tt.outcomes, rep.ExitCode(), rep.Status)
		}
	}
}

func TestSelect(t *testing.T) {
	r := Registry{{Name: "a"}, {Name: "b", Needs: []string{"a"}}, {Name: "c"}, {Name: "d", Needs: []string{"b"}}}
	got, err := r.Select([]string{"d"})
	if err != nil || cmp.Diff([]string{"a", "b", "d"}, got.Names()) != "" {
		t.Errorf("%v, %v", got.Names(), err)
	}
	if _, err := r.Select([]string{"e"}); err == nil || !strings.Contains(err.Error(), `no check "e" (there are [a b c d])`) {
		t.Error(err)
	}
}

func TestPrint(t *testing.T) {
	r := Registry{{Name: "a", Run: fixed(Good("fine"))}, {Name: "long", Run: fixed(Outcome{Status: Fail, What: "bad", More: []string{"one", "two"}, Do: "mend"})}}
	rep := r.Run(context.Background(), nil)
	var b bytes.Buffer
	if err := rep.Print(&b); err != nil {
		t.Fatal(err)
	}
	want := "ok    a     fine\nFAIL  long  bad\n            one\n            two\n            → mend\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", &b, want)
	}
	b.Reset()
	if err := rep.JSON(&b); err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || cmp.Diff(*rep, back) != "" || back.Schema != Schema {
		t.Errorf("%v %s", err, cmp.Diff(*rep, back))
	}
}
