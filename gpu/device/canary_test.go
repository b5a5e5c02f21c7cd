package device

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/finding"
)

// The codes that the canary waits for are those that an H200 returned.
func TestPlantsAreAsMeasured(t *testing.T) {
	text, err := os.ReadFile("../fakecuda/testdata/capture-modes-h200.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) == 8 && f[0] == "global" {
			rows[f[1]] = f
		}
	}
	for _, p := range plants {
		f, ok := rows[p.name]
		if !ok {
			t.Errorf("%s: nobody has measured it", p.name)
			continue
		}
		if call, end := strconv.Itoa(p.call), strconv.Itoa(p.end); call != f[2] || end != f[5] {
			t.Errorf("%s: want %s and %s, measured %s and %s", p.name, call, end, f[2], f[5])
		}
		if caught := f[2] != "0" || f[5] != "0"; caught == p.uncaught {
			t.Errorf("%s: refused when measured: %v, the canary believes it goes through: %v", p.name, caught, p.uncaught)
		}
	}
}

func TestJudge(t *testing.T) {
	refused := plant{name: "sync", call: 900, end: 901}
	late := plant{name: "fork", call: 0, end: 904}
	through := plant{name: "copy", uncaught: true}
	for _, tt := range []struct {
		name      string
		p         plant
		call, end int
		nodes     []int
		want      finding.Status
		reason    string
	}{
		{"refused as measured", refused, 900, 901, nil, finding.StatusPass, ""},
		{"not refused", refused, 0, 0, []int{2}, finding.StatusFail, "cannot see"},
		{"refused otherwise", refused, 906, 901, nil, finding.StatusFail, "measure it again"},
		{"call refused, capture lives on", refused, 900, 0, []int{2}, finding.StatusFail, "measure it again"},
		{"refused at the end", late, 0, 904, nil, finding.StatusPass, ""},
		{"not refused at the end", late, 0, 0, []int{2, 2}, finding.StatusFail, "cannot see"},
		{"through, missing from the graph", through, 0, 0, []int{2}, finding.StatusPass, ""},
		{"through, in the graph", through, 0, 0, []int{2, 1}, finding.StatusFail, "cannot see"},
		{"refused by a stricter driver", through, 906, 901, nil, finding.StatusPass, ""},
	} {
		s := Step{Call: tt.call, End: tt.end, Nodes: tt.nodes}
		new(Report).judge(tt.p, &s, 2)
		if s.Status != tt.want || !strings.Contains(s.Reason, tt.reason) || s.Name != tt.p.name {
			t.Errorf("%s: %+v, want %s", tt.name, s, tt.want)
		}
	}
}

func TestConclude(t *testing.T) {
	pass := Step{Name: "a", Status: finding.StatusPass}
	fail := Step{Name: "b", Status: finding.StatusFail, Reason: "blind"}
	broken := Step{Name: "c", Status: finding.StatusError, Reason: "died"}
	for _, tt := range []struct {
		steps  []Step
		want   finding.Status
		reason string
	}{
		{nil, finding.StatusError, "nothing was run"},
		{[]Step{pass}, finding.StatusPass, ""},
		{[]Step{pass, fail, pass}, finding.StatusFail, "b: blind"},
		{[]Step{fail, broken, fail}, finding.StatusError, "c: died"},
		{[]Step{{Name: "d"}}, "", "d: "}, // a step nobody judged is no pass
	} {
		r := Report{Steps: tt.steps}
		r.Conclude()
		if r.Status != tt.want || r.Reason != tt.reason || r.Schema != CanarySchema {
			t.Errorf("%v: %s %q, want %s %q", tt.steps, r.Status, r.Reason, tt.want, tt.reason)
		}
	}
}
