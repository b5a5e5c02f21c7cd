package checks

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestForesee: tasks of several turns that have to run again are known before any of them has run, and a wrong guess at what
// they lead to changes nothing.
func TestForesee(t *testing.T) {
	files := memory{
		"n.py": "def last(x):\n    return x.item()\n\n\ndef other(x):\n    return x.tolist()\n",
		"m.py": "from n import last, other\n\n\nLIMIT = 4\n\n\ndef middle(x):\n    if LIMIT == 4:\n        return last(x)\n    return other(x)\n",
		// What it leads to is looked at with its arguments, and when it leads there no more by itself, one turn later.
		"one.py": "from m import middle\n\n\nclass One:\n    def forward(self, x):\n        return middle(x)\n",
		"two.py": "from m import LIMIT, middle\n\n\nclass Two:\n    def step(self, x, n):\n        return LIMIT\n\n    def forward(self, x):\n        return self.step(x, 1)\n",
	}
	o := Options{Rules: []*Rule{everything}, Now: time.Unix(0, 0)}
	o.setDefaults()
	for _, c := range []struct {
		name, file, old, text string
		ahead, fresh          int
	}{
		{"nothing", "m.py", "LIMIT = 4\n", "LIMIT = 4\n\n", 0, 0},
		{"a number", "m.py", "LIMIT = 4\n", "LIMIT = 5\n", 2, 2},
		{"a call less", "one.py", "return middle(x)", "return x\n        middle(x)", 1, 3},
		{"another function", "m.py", "return last(x)", "return last(last(x))", 1, 1},
	} {
		m := NewMemory()
		if _, err := m.Scan(context.Background(), blobs{files}, o); err != nil {
			t.Fatal(err)
		}
		after := memory{}
		for p, s := range files {
			after[p] = s
		}
		if after[c.file] = strings.Replace(files[c.file], c.old, c.text, 1); after[c.file] == files[c.file] {
			t.Fatalf("%s: %q is not there", c.name, c.old)
		}
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
		if len(s.ahead) != c.ahead || s.fresh != c.fresh {
			t.Errorf("%s: %d tasks were run ahead and %d were not known, want %d and %d", c.name, len(s.ahead), s.fresh, c.ahead, c.fresh)
		}
	}
}
