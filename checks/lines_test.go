package checks

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// streams is a rule that looks for a wait anywhere in the file.
var streams = &Rule{ID: "GB998", Done: func(p *Pass) {
	if !strings.Contains(p.Lines(), ".wait_stream(") {
		p.Report(p.Node(), nil, "nothing waits")
	}
}}

// TestLinesAreAFact: a task that was told the lines of a file that speak of streams runs again when one of them changes,
// and not when another line does.
func TestLinesAreAFact(t *testing.T) {
	files := memory{"m.py": "def helper(s, t):\n    return 1\n\n\ndef forward(x):\n    return x\n"}
	o := Options{Rules: []*Rule{streams}, Now: time.Unix(0, 0)}
	for _, c := range []struct {
		name, old, text string
		again           int
	}{
		{"another line", "return 1", "return 2", 0},
		{"a comment that speaks of nothing", "return x\n", "return x\n# the end\n", 0},
		{"a wait", "return 1", "s.wait_stream(t)", 1},
		{"a wait at the top level", "return x\n", "return x\n\n\nhelper.wait_stream(1)\n", 1},
		{"WARM in a comment", "return x\n", "return x\n# WARM\n", 1},
	} {
		m := NewMemory()
		if _, err := m.Scan(context.Background(), blobs{files}, o); err != nil {
			t.Fatal(err)
		}
		after := memory{"m.py": strings.Replace(files["m.py"], c.old, c.text, 1)}
		m.scans++
		s, err := newScan(context.Background(), blobs{after}, o, m)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.interpret(context.Background()); err != nil {
			t.Fatal(err)
		}
		got, err := s.report(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(scanMemory(t, after, o), got); d != "" {
			t.Errorf("%s: with memory and without differ:\n%s", c.name, d)
		}
		if s.fresh != c.again {
			t.Errorf("%s: %d tasks ran again, want %d", c.name, s.fresh, c.again)
		}
	}
}
