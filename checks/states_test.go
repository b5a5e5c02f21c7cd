package checks

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// circle are classes that rest on each other, on a class outside of the circle, and on themselves.
var circle = memory{
	"a.py": `import torch
from b import B

class A:
    def __init__(self, b: B):
        self.own = torch.zeros(4, device="cuda")
        self.theirs = b.own
        self.back = b.theirs
        self.here = self.own
        self.pick = lambda i: self.own
`,
	"b.py": `import torch
from a import A
from c import C

class B:
    def __init__(self, a: A, c: C):
        self.own = torch.zeros(4)
        self.theirs = a.own
        self.lens = c.lens
        self.nested = C()

    def late(self):
        self.set_late = self.nested.lens
`,
	"c.py": `import torch

class C:
    def __init__(self):
        self.lens = torch.zeros(4, 4)
`,
	"step.py": `import torch
from a import A
from b import B

class Model:
    def forward(self, a: A, b: B):
        return a.own[0], a.theirs[0], b.lens[0], b.set_late[0], a.back[0], a.pick(0)
`,
}

// stateTexts says what the attributes of classes are taken for when they are asked for in this order.
func stateTexts(t *testing.T, order []string, limit int) map[string]string {
	t.Helper()
	s, err := newScan(context.Background(), circle, Options{Rules: []*Rule{everything}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.states.limit = limit
	out := map[string]string{}
	for _, ask := range order {
		in := newInterp(context.Background(), s.p, s.hot, s.hooks, newSink())
		in.states, in.work = s.states, maxWork
		file, attr, _ := strings.Cut(ask, ".")
		c := s.p.byPath[file+".py"].classes[strings.ToUpper(file)]
		out[ask] = in.instanceState(c, in.generic(c), attr).String()
	}
	return out
}

// TestStatesHaveNoOrder: what is known of the objects of a class does not depend on which class was asked first, nor on
// whether the state of another one had to be found out again.
func TestStatesHaveNoOrder(t *testing.T) {
	order := []string{"a.own", "a.theirs", "a.back", "b.own", "b.theirs", "b.lens", "b.set_late", "c.lens"}
	want := stateTexts(t, order, stateBytes)
	for ask, text := range map[string]string{"a.own": "device tensor", "a.theirs": "CPU tensor", "a.back": "device tensor",
		"b.theirs": "device tensor", "b.lens": "CPU tensor", "b.set_late": "CPU tensor"} {
		if !strings.HasPrefix(want[ask], text) {
			t.Errorf("%s is taken for %q, want a %s", ask, want[ask], text)
		}
	}
	for i := range order {
		turned := append(append([]string{}, order[i:]...), order[:i]...)
		for _, limit := range []int{stateBytes, 0} {
			if d := cmp.Diff(want, stateTexts(t, turned, limit)); d != "" {
				t.Errorf("from %s on, with %d bytes: %s", order[i], limit, d)
			}
		}
	}
}

// TestStateIsCopied: what one task stores in an object is not seen by another.
func TestStateIsCopied(t *testing.T) {
	files := memory{
		"c.py": "import torch\n\nclass Part:\n    def __init__(self):\n        self.buf = torch.zeros(4, device=\"cuda\")\n\n" +
			"class Whole:\n    def __init__(self):\n        self.part = Part()\n",
		// Both are roots, and each has a task of its own; the first one comes first.
		"m1.py": "from c import Whole\n\nclass One:\n    def forward(self, w: Whole):\n        w.part.buf = w.part.buf.cpu()\n        return 1\n",
		"m2.py": "from c import Whole\n\nclass Two:\n    def forward(self, w: Whole):\n        return w.part.buf.item()\n",
	}
	for _, workers := range []int{1, 4} {
		got := ""
		for _, f := range scanMemory(t, files, Options{Rules: []*Rule{everything}, Workers: workers}).Findings {
			if f.Path == "m2.py" && strings.Contains(f.Message, "item") {
				got = fmt.Sprint(f.Confidence)
			}
		}
		if got != "likely" {
			t.Errorf("%d workers: the read in m2.py has confidence %q, want likely", workers, got)
		}
	}
}

// TestStateIsAFact: a task that is remembered runs again when a constructor changes that only the state of a class rests
// on which it asked for.
func TestStateIsAFact(t *testing.T) {
	files := memory{}
	for p, text := range circle {
		files[p] = text
	}
	files["step.py"] = "from b import B\n\nclass Model:\n    def forward(self, b: B):\n        return b.lens.item()\n"
	o := Options{Rules: []*Rule{everything}, Now: time.Unix(0, 0)}
	m := NewMemory()
	before, err := m.Scan(context.Background(), blobs{files}, o)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = LoadMemory(bytes.Join(m.Save(), nil), nil, o.Rules); err != nil {
		t.Fatal(err)
	}
	files["c.py"] = strings.Replace(files["c.py"], "(4, 4)", "(4, 4, device=\"cuda\")", 1)
	got, err := m.Scan(context.Background(), blobs{files}, o)
	if err != nil {
		t.Fatal(err)
	}
	want := scanMemory(t, files, o)
	if d := cmp.Diff(want.Findings, got.Findings); d != "" {
		t.Errorf("with memory and without differ:\n%s", d)
	}
	if cmp.Equal(before.Findings, got.Findings) {
		t.Error("the constructor was changed, and no finding with it")
	}
}
