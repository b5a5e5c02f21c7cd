package checks

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// cutoff scans files, changes what change says, and scans again: it gives how many tasks ran again. Both reports are those
// of scans without a memory. Between the scans the memory goes through a file when saved is set.
func cutoff(t *testing.T, files memory, file, old, text string, saved bool) int {
	t.Helper()
	return cutoffOf(t, everything, files, file, old, text, saved)
}

// cutoffOf is cutoff for a rule.
func cutoffOf(t *testing.T, rule *Rule, files memory, file, old, text string, saved bool) int {
	t.Helper()
	o := Options{Rules: []*Rule{rule}, Now: time.Unix(0, 0)}
	m := NewMemory()
	if _, err := m.Scan(context.Background(), blobs{files}, o); err != nil {
		t.Fatal(err)
	}
	if saved {
		var err error
		if m, err = LoadMemory(bytes.Join(m.Save(), nil), nil, o.Rules); err != nil {
			t.Fatal(err)
		}
	}
	after := memory{}
	for p, s := range files {
		after[p] = s
	}
	if after[file] = strings.Replace(files[file], old, text, 1); after[file] == files[file] {
		t.Fatalf("%s: %q is not there", file, old)
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
		t.Errorf("%s, %q: with memory and without differ:\n%s", file, text, d)
	}
	return s.fresh
}

// TestSameStateAgain: a task hangs on what the states of classes are, not on the text that they come from.
func TestSameStateAgain(t *testing.T) {
	files := memory{}
	for p, s := range circle {
		files[p] = s
	}
	// The object of step.py shows where b.lens comes from. That of d.py rests on c.py too, and shows nothing of it.
	files["d.py"] = "from a import A\n\nclass D:\n    def forward(self, a: A):\n        return a.own.item()\n"
	for _, c := range []struct {
		name, file, old, text string
		again                 int
	}{
		{"a line more in a constructor", "c.py", "        self.lens", "        n = 4\n        self.lens", 1},
		{"another way to the same", "c.py", "(4, 4)", "(n, n)", 1},
		{"a constructor that evidence leads to", "a.py", "        self.own", "        n = 4\n        self.own", 2},
		{"another place", "c.py", "(4, 4)", "(4, 4, device=\"cuda\")", 1},
		{"another attribute", "c.py", "        self.lens", "        self.more = 4\n        self.lens", 1},
		{"a comment at the end", "c.py", "(4, 4)\n", "(4, 4)\n\n\n# more\n", 0},
	} {
		for _, saved := range []bool{false, true} {
			if again := cutoff(t, files, c.file, c.old, c.text, saved); again != c.again {
				t.Errorf("%s, through a file %t: %d tasks ran again, want %d", c.name, saved, again, c.again)
			}
		}
	}
}
