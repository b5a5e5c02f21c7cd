package checks

import (
	"bytes"
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// whereTo lists where the references of every function lead, resolved anew.
func whereTo(p *project) map[string][]string {
	h := &hotPath{p: p, opts: p.opts}
	out := map[string][]string{}
	for _, m := range p.modules {
		for _, f := range m.all {
			var to []string
			for _, g := range h.callees(f) {
				to = append(to, g.Path+":"+g.Name)
			}
			out[f.Path+":"+f.Name+string(rune('0'+f.dup))] = to
		}
	}
	return out
}

// agree moves the wiring of m on to a tree and compares it with what is found out anew. It returns for how many functions
// nothing was resolved again.
func agree(t *testing.T, m *Memory, tree memory) (kept int, to map[string][]string) {
	t.Helper()
	o := Options{Rules: []*Rule{unresolved("mark")}, Now: time.Unix(0, 0), Include: []string{"**"}}
	o.setDefaults()
	p, err := load(context.Background(), blobs{tree}, &o, m)
	if err != nil {
		t.Fatal(err)
	}
	hot := &hotPath{p: p, opts: &o, wiring: m.wiring}
	hot.wiring.turn(p)
	want := whereTo(p)
	for _, mod := range p.modules {
		for _, f := range mod.all {
			if f.wires != nil {
				kept++
			}
			var got []string
			for _, s := range hot.wired(f) {
				if s.cur == nil {
					t.Fatalf("%s leads to a function that is gone", f.Name)
				}
				got = append(got, s.cur.Path+":"+s.cur.Name)
			}
			if key := f.Path + ":" + f.Name + string(rune('0'+f.dup)); !slices.Equal(got, want[key]) {
				t.Fatalf("%s leads to %q, want %q", key, got, want[key])
			}
		}
	}
	return kept, want
}

// TestWiring: where references lead is the same whether it is remembered from the trees before, by this process or by
// another one, or found out anew.
func TestWiring(t *testing.T) {
	const trees = 60
	for seed := range uint64(6) {
		h := &history{rnd: rand.New(rand.NewPCG(seed, 11)), tree: linkedFiles()}
		m := NewMemory()
		kept := 0
		for i := range trees {
			n, _ := agree(t, m, h.tree)
			kept += n
			h.next()
			if i%3 == int(seed)%3 {
				m = throughFile(t, m)
			}
		}
		if kept == 0 {
			t.Errorf("seed %d: nothing was remembered", seed)
		}
	}
}

// throughFile is what another process knows.
func throughFile(t *testing.T, m *Memory, rules ...*Rule) *Memory {
	t.Helper()
	back, err := LoadMemory(bytes.Join(m.Save(), nil), nil, rules)
	if err != nil {
		t.Fatal(err)
	}
	back.filesReady()
	if len(back.wiring.mods) != len(m.wiring.mods) || !maps.Equal(back.wiring.said.all(), m.wiring.said.all()) {
		t.Fatalf("the wiring of %d files was read for %d", len(back.wiring.mods), len(m.wiring.mods))
	}
	return back
}

// TestWiringFollows: a change in one file that leads a reference of another file elsewhere, though that file does not
// have the name that changed.
func TestWiringFollows(t *testing.T) {
	for name, c := range map[string]struct {
		files memory
		path  string // that changes
		text  string // what it is then; empty when it goes
	}{
		"renamed import": {memory{"a.py": "def real(x):\n    return x\n", "b.py": "from a import real as shown\n",
			"c.py": "from b import shown as seen\n\n\ndef step(x):\n    return seen(x)\n"}, "a.py", "def unreal(x):\n    return x\n"},
		"object that can be called now": {memory{"a.py": "class Unit(Module):\n    def other(self):\n        pass\n",
			"b.py": "from a import Unit as U\n\n\nclass Step:\n    def __init__(self):\n        self.unit = U()\n\n    def step(self, x):\n        return self.unit(x)\n"},
			"a.py", "class Unit(Module):\n    def forward(self):\n        pass\n"},
		"by an ancestor": {memory{"z.py": "class Root(Module):\n    def other(self):\n        pass\n", "a.py": "from z import Root\n\n\nclass Unit(Root):\n    pass\n",
			"b.py": "from a import Unit\n\n\nclass Step:\n    def __init__(self):\n        self.unit = Unit()\n\n    def step(self, x):\n        return self.unit(x)\n"},
			"z.py", "class Root(Module):\n    def forward(self):\n        pass\n"},
		"class of an attribute": {memory{"a.py": "class One:\n    def run_it(self):\n        pass\n\n\nclass Two:\n    def run_it(self):\n        pass\n", "b.py": "from a import One as Kind\n",
			"c.py": "from b import Kind\n\n\nclass Step:\n    def __init__(self):\n        self.unit = Kind()\n\n    def step(self, x):\n        return self.unit.run_it(x)\n"},
			"b.py", "from a import Two as Kind\n"},
		"class of a parameter": {memory{"a.py": "class One:\n    def run_it(self):\n        pass\n\n\nclass Two:\n    def run_it(self):\n        pass\n", "b.py": "from a import One as Kind\n",
			"c.py": "from b import Kind\n\n\ndef step(k: Kind, x):\n    return k.run_it(x)\n"}, "b.py", "from a import Two as Kind\n"},
		"file that comes":  {memory{"p/tools.py": "def help_it(x):\n    return x\n", "q/c.py": "from tools import help_it as h\n\n\ndef step(x):\n    return h(x)\n"}, "q/tools.py", "other = 1\n"},
		"file that goes":   {memory{"p/tools.py": "def help_it(x):\n    return x\n", "p/c.py": "from .tools import help_it as h\n\n\ndef step(x):\n    return h(x)\n"}, "p/tools.py", ""},
		"star":             {memory{"p/tools.py": "def help_it(x):\n    return x\n", "p/__init__.py": "from .tools import *\n", "c.py": "import p\n\n\ndef step(x):\n    return p.help_it(x)\n"}, "p/tools.py", ""},
		"star of another":  {memory{"p/tools.py": "def help_it(x):\n    return x\n", "q/c.py": "from tools import *\n\n\ndef step(x):\n    return help_it(x)\n"}, "q/tools.py", "other = 1\n"},
		"package":          {memory{"a/q/tools.py": "def help_it(x):\n    return x\n", "c.py": "from q.tools import help_it\n\n\ndef step(x):\n    return help_it(x)\n", "d/q/tools.py": "def help_it(x):\n    return x\n", "d/q/__init__.py": "\n"}, "a/q/__init__.py", "\n"},
		"override":         {memory{"a.py": "class One:\n    def step(self, x):\n        return self.part(x)\n\n    def part(self, x):\n        pass\n", "b.py": "import a\n"}, "b.py", "from a import One\n\n\nclass Two(One):\n    def part(self, x):\n        pass\n"},
		"second of a name": {memory{"a.py": "class One:\n    def peculiar(self, x):\n        pass\n", "c.py": "def step(x):\n    return x.peculiar()\n"}, "b.py", "class Two:\n    def peculiar(self, x):\n        pass\n"},
		"operator":         {memory{"a.py": "def fused(x):\n    pass\n", "c.py": "def step(x):\n    return torch.ops.lib.fused(x)\n"}, "b.py", "def fused(x):\n    pass\n"},
		"decorator":        {memory{"a.py": "def wrap(f):\n    def around(x):\n        pass\n    return around\n", "c.py": "from a import wrap as w\n\n\n@w\ndef step(x):\n    pass\n"}, "a.py", "def wrap(f):\n    return f\n"},
		"ancestor":         {memory{"a.py": "class One:\n    def part(self, x):\n        pass\n\n\nclass Two:\n    def part(self, x):\n        pass\n", "b.py": "from a import One as Base\n", "c.py": "from b import Base\n\n\nclass Step(Base):\n    def step(self, x):\n        return self.part(x)\n"}, "b.py", "from a import Two as Base\n"},
	} {
		t.Run(name, func(t *testing.T) {
			m := NewMemory()
			for f, text := range map[string]string{"r.py": "def rest(x):\n    return rest(x)\n", "s.py": "from r import rest\n\n\ndef more(x):\n    return rest(x)\n"} {
				c.files[f] = text
			}
			_, before := agree(t, m, c.files)
			m = throughFile(t, m)
			next := maps.Clone(c.files)
			if next[c.path] = c.text; c.text == "" {
				delete(next, c.path)
			}
			_, after := agree(t, m, next)
			same := true
			for f, to := range before {
				now, there := after[f]
				same = same && (!there || slices.Equal(now, to))
			}
			if same {
				t.Error("nothing leads elsewhere: the case shows nothing")
			}
			agree(t, m, c.files)
		})
	}
}

// linkedFiles refer to each other in every way that a reference is followed.
func linkedFiles() memory {
	return memory{
		"pkg/__init__.py": "from .base import Base as Root, helper\nfrom .more import *\n",
		"pkg/base.py": "import torch\nfrom torch import nn\n\n\ndef helper(x):\n    return x\n\n\nclass Base(nn.Module):\n    def pick(self, x):\n        return self.inner(x)\n\n" +
			"    def forward(self, x):\n        return self.pick(helper(x))\n",
		"pkg/more.py": "from . import base as lower\n\n\ndef wrap(fn):\n    def around(x):\n        return fn(lower.helper(x))\n    return around\n\n\n" +
			"def fused_step(x):\n    return torch.ops.lib.other_kernel(x)\n",
		"model.py": "import torch\nimport pkg.base\nfrom pkg import Root, wrap, fused_step\nfrom pkg.more import lower\n\n\nclass Holder:\n    unit: \"Layer\"\n\n" +
			"    def __init__(self, unit: \"Layer\"):\n        self.unit = unit\n        self.root = Root()\n\n    def drive(self, x):\n        return self.unit(x) + self.root(x) + self.unit.finish_up(x)\n\n\n" +
			"class Layer(Root):\n    def pick(self, x):\n        return super().pick(x)\n\n    def finish_up(self, x):\n        return x\n\n\n" +
			"class Deep(Layer):\n    def pick(self, x):\n        return fused_step(lower.helper(x))\n",
		"run.py": "from model import Holder, Deep\nimport model as everything\nfrom pkg import *\n\n\n@wrap\ndef step(x):\n    h = Holder(Deep())\n    return h.drive(x)\n\n\n" +
			"def other_kernel(d: Deep, x):\n    d.pick(x)\n    x.finish_up(x)\n    return everything.Layer.pick(d, pkg.base.helper(x))\n",
	}
}
