package checks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/internal/finding"
)

// TestSuppressions checks every form of a comment, and what is said about the wrong ones.
func TestSuppressions(t *testing.T) {
	for _, c := range []struct {
		name, body string
		reason     string // of the suppressed finding; empty: it counts
		says       string // part of the GB001 message; empty: there is none
	}{
		{"none", "mark()", "", ""},
		{"on the line", "mark()  # gatebot: allow[GB101] measured, once", "measured, once", ""},
		{"above", "# gatebot: allow[GB101] why\n    mark()", "why", ""},
		{"above, over comments and blanks", "# gatebot: allow[GB101] why\n    # more\n\n    mark()", "why", ""},
		{"below does not count", "mark()\n    # gatebot: allow[GB101] why\n    pass", "", "suppresses nothing"},
		{"several", "mark()  # gatebot: allow[GB101, GB001] why", "why", "allow[GB001] suppresses nothing"},
		{"other rule", "mark()  # gatebot: allow[GB001] why", "", "suppresses nothing"},
		{"no reason", "mark()  # gatebot: allow[GB101]", "", "no reason"},
		{"no id", "mark()  # gatebot: allow why not", "", "names no rule"},
		{"unknown id", "mark()  # gatebot: allow[GB999] why", "", "GB999"},
		{"not an id", "mark()  # gatebot: allow[everything] why", "", "everything"},
		{"not expired", "mark()  # gatebot: allow[GB101] why until=2026-06-02", "why", ""},
		{"last day", "mark()  # gatebot: allow[GB101] until=2026-06-01 why", "why", ""},
		{"expired", "mark()  # gatebot: allow[GB101] why until=2026-05-30", "", "expired on 2026-05-30"},
		{"no date", "mark()  # gatebot: allow[GB101] why until=soon", "", "no date"},
		{"misspelled", "mark()  # gatebot: alow[GB101] why", "", "no directive"},
		{"vllm", "mark()  # gpu-sync-ok: logits are needed", "logits are needed", ""},
		{"vllm without reason", "mark()  # gpu-sync-ok", "", "without a reason"},
		{"vllm context", "with gpu_sync_allowed():\n        mark()", "inside gpu_sync_allowed()", ""},
		{"over several lines", "mark(\n        1,\n    )  # gatebot: allow[GB101] why", "why", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := "def step(x):\n    " + c.body + "\n"
			rules := []*Rule{unresolved("mark"), {ID: "GB001", Name: "suppression", Severity: finding.Warn}}
			rep := scanMemory(t, memory{"m.py": src}, Options{Rules: rules})
			reason, says, n := "", "", 0
			for _, f := range rep.Findings {
				switch f.Rule {
				case "GB101":
					n++
					if f.Suppressed != nil {
						reason = f.Suppressed.Reason
					}
				case "GB001":
					says = f.Message
					if f.Severity != finding.Warn || f.Name != "suppression" {
						t.Errorf("GB001 comes as %s %q", f.Severity, f.Name)
					}
				}
			}
			if n != 1 || reason != c.reason {
				t.Errorf("%d findings, suppressed because %q, want %q", n, reason, c.reason)
			}
			if (says == "") != (c.says == "") || !strings.Contains(says, c.says) {
				t.Errorf("GB001 says %q, want %q", says, c.says)
			}
		})
	}
}

func TestSeverities(t *testing.T) {
	src := memory{"a/m.py": "def step(x):\n    mark()\n"}
	for _, c := range []struct {
		rules    []SeverityRule
		severity finding.Severity
		off      bool
	}{
		{nil, finding.Error, false},
		{[]SeverityRule{{"GB101", finding.Warn}}, finding.Warn, false},
		{[]SeverityRule{{"GB1xx", finding.Info}}, finding.Info, false},
		{[]SeverityRule{{"GB2xx", finding.Info}}, finding.Error, false},
		{[]SeverityRule{{"a/**", finding.Off}}, finding.Error, true},
		{[]SeverityRule{{"a/**", finding.Off}, {"GB101", finding.Warn}}, finding.Warn, false},
	} {
		rep := scanMemory(t, src, Options{Rules: []*Rule{unresolved("mark")}, Severity: c.rules})
		f := rep.Findings[0]
		if f.Severity != c.severity || (f.Suppressed != nil) != c.off {
			t.Errorf("%v: %s, suppressed %v", c.rules, f.Severity, f.Suppressed)
		}
	}
}

// TestUnreadable: what cannot be looked into is a finding and a note.
func TestUnreadable(t *testing.T) {
	files := memory{
		"ok.py":       "def step(x):\n    mark()\n",
		"!secret.py":  "x = 1\n",
		"broken.py":   "def step(x:\n  ((((\n  ]]]\nclass\n",
		"big.py":      strings.Repeat("x = 1\n", 5000),
		"nb.ipynb":    "{}",
		"notes.txt":   "def step(",
		"tests/t.py":  "def forward(x): pass\n",
		"binary.py":   "\x00\xff\xfe\x00\x80",
		"empty.py":    "",
		"bom_crlf.py": "\ufeffdef step(x):\r\n\tmark()\r\n",
	}
	rep := scanMemory(t, files, Options{Rules: []*Rule{unresolved("mark")}, MaxFileSize: 10_000})
	got := map[string]string{}
	for _, f := range rep.Findings {
		got[f.Path] += f.Rule
		if f.Rule == "GB002" && !f.Gates(finding.Warn) {
			t.Errorf("%s: GB002 does not gate at warn", f.Path)
		}
	}
	for path, want := range map[string]string{"ok.py": "GB101", "bom_crlf.py": "GB101", "!secret.py": "GB002", "big.py": "GB002",
		"broken.py": "GB002", "empty.py": "", "tests/t.py": ""} {
		if got[path] != want {
			t.Errorf("%s: %q, want %q", path, got[path], want)
		}
	}
	notes := strings.Join(rep.Notes, "\n")
	for _, want := range []string{"1 notebooks", "!secret.py: read", "big.py: larger", "1 files of tests"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note about %q in:\n%s", want, notes)
		}
	}
}

// TestPanicIsANote: a rule that panics on one file costs that function and nothing else, and says so.
func TestPanicIsANote(t *testing.T) {
	bad := &Rule{ID: "GB102", Name: "x", Severity: finding.Error, Call: func(p *Pass, c *Call) {
		if strings.Contains(p.Path(), "bad") {
			panic("boom")
		}
	}}
	files := memory{"bad.py": "def step(x):\n    mark()\n", "good.py": "def step(x):\n    mark()\n"}
	rep := scanMemory(t, files, Options{Rules: []*Rule{bad, unresolved("mark")}})
	byPath := map[string]string{}
	for _, f := range rep.Findings {
		byPath[f.Path] += f.Rule + " "
	}
	if byPath["bad.py"] != "GB002 " || byPath["good.py"] != "GB101 " {
		t.Errorf("findings: %v", byPath)
	}
	if len(rep.Notes) != 1 || !strings.Contains(rep.Notes[0], "bad.py: internal error while looking at step: boom") {
		t.Errorf("notes: %q", rep.Notes)
	}
}

// TestFindings checks what the engine fills in: place, function, evidence, and identity across moves.
func TestFindings(t *testing.T) {
	item := &Rule{ID: "GB101", Name: "tensor-item", Severity: finding.Error, Fix: "do not", Calls: []string{"Tensor.item"},
		Call: func(p *Pass, c *Call) {
			if c.Recv.MayBeOnDevice() {
				p.Report(c.Node, c.Recv, "{expr} reads")
			}
		}}
	src := `import torch


class Layer(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        y = x * 2
        return self.norm(y)

    def norm(self, t):
        return t.sum().item() + t.max().item() + t.sum().item()
`
	rep := scanMemory(t, memory{"m.py": src}, Options{Rules: []*Rule{item}})
	if len(rep.Findings) != 3 {
		t.Fatalf("%d findings", len(rep.Findings))
	}
	f := rep.Findings[0]
	if f.Line != 10 || f.Column != 16 || f.EndColumn != 30 || f.Function != "Layer.norm" || f.Confidence != finding.Likely ||
		f.Message != "`t.sum().item()` reads" || f.Fix != "do not" || f.Check != finding.CheckSource {
		t.Errorf("%+v", f)
	}
	var kinds []string
	for _, e := range f.Evidence {
		kinds = append(kinds, fmt.Sprintf("%s:%d %s|%s", e.Kind, e.Line, e.Message, e.Code))
	}
	want := []string{
		"source:10 |t.sum().item()",
		"flow:5 parameter of a function on the hot path|x: torch.Tensor",
		"flow:6 assigned to y|y = x * 2",
		"flow:7 passed as t|y",
		"flow:10 computed|t.sum()",
		"hot_path:0 Layer.forward → Layer.norm|",
	}
	if d := cmp.Diff(want, kinds); d != "" {
		t.Error(d)
	}
	if rep.Findings[0].Fingerprint == rep.Findings[2].Fingerprint || rep.Findings[0].MoveKey != rep.Findings[2].MoveKey {
		t.Error("two equal expressions need different fingerprints and one move key")
	}
	moved := "# a comment\n\n" + strings.ReplaceAll(src, "t.max().item()", "t.max( ).item( )")
	again := scanMemory(t, memory{"m.py": moved}, Options{Rules: []*Rule{item}})
	for i := range rep.Findings {
		if rep.Findings[i].Fingerprint != again.Findings[i].Fingerprint {
			t.Errorf("fingerprint %d changed with the layout", i)
		}
	}
}

// TestOver: the rule that describes a hazard better wins, unless that would lose one that counts.
func TestOver(t *testing.T) {
	inner := &Rule{ID: "GB105", Name: "a", Severity: finding.Error, Calls: []string{"builtins.int"}, Call: Always("inner")}
	outer := &Rule{ID: "GB405", Name: "b", Severity: finding.Error, Calls: []string{"builtins.range"}, Over: []string{"GB105"},
		Call: Always("outer")}
	src := memory{"m.py": "def step(x):\n    for _ in range(int(x)):\n        int(x)\n"}
	rep := scanMemory(t, src, Options{Rules: []*Rule{inner, outer}})
	var got []string
	for _, f := range rep.Findings {
		got = append(got, fmt.Sprintf("%s:%d", f.Rule, f.Line))
	}
	if d := cmp.Diff([]string{"GB405:2", "GB105:3"}, got); d != "" {
		t.Error(d)
	}
	outer.Call = func(p *Pass, c *Call) { p.Report(c.Node, nil, "outer", WithConfidence(finding.Possible)) }
	if rep = scanMemory(t, src, Options{Rules: []*Rule{inner, outer}}); len(rep.Findings) != 3 {
		t.Errorf("a possible finding displaced a likely one: %d findings", len(rep.Findings))
	}
}

// TestDeterministic: the report depends on the files and nothing else.
func TestDeterministic(t *testing.T) {
	files := readDir(t, "testdata/infer")
	for k, v := range readDir(t, "testdata/guards") {
		files[k] = v
	}
	opts := Options{Rules: []*Rule{unresolved("reveal"), {ID: "GB102", Severity: finding.Error, Call: Always("any call")}}}
	var first []byte
	for _, workers := range []int{1, 4, 2} {
		opts.Workers = workers
		data, err := json.Marshal(scanMemory(t, files, opts))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = data
		} else if string(first) != string(data) {
			t.Fatalf("the report with %d workers differs", workers)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Scan(ctx, memory{"m.py": "def step(x): pass\n"}, Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestTreesAreDropped: a project larger than the tree cache gives the same findings.
func TestTreesAreDropped(t *testing.T) {
	files := memory{}
	for i := range 6 {
		files[fmt.Sprintf("m%d.py", i)] = fmt.Sprintf("from m%d import helper as other\n\n\ndef step(x):\n    mark()\n    f = lambda: mark()\n    return other(f)\n\n\ndef helper(f):\n    return f()\n", (i+1)%6)
	}
	opts := Options{Rules: []*Rule{unresolved("mark")}, Now: time.Unix(0, 0)}
	opts.setDefaults()
	whole, err := Scan(context.Background(), files, opts)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newScan(context.Background(), files, opts, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.p.trees.limit = 1 // one tree at a time
	clear(s.p.trees.units)
	s.p.trees.bytes = 0
	if err := s.interpret(context.Background()); err != nil {
		t.Fatal(err)
	}
	rep, err := s.report(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(whole, rep); d != "" || len(rep.Findings) != 12 {
		t.Errorf("%d findings, differences:\n%s", len(rep.Findings), d)
	}
}

// TestSpentBudget: wherever the work ends, the rest is unknown and nothing breaks.
func TestSpentBudget(t *testing.T) {
	files := readDir(t, "testdata/infer")
	for limit := 1; limit < 1500; limit += 7 {
		opts := Options{Rules: []*Rule{everything}, AllFunctions: true}
		s, err := newScan(context.Background(), files, opts, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.limit = limit
		if err := s.interpret(context.Background()); err != nil {
			t.Fatal(err)
		}
		if len(s.p.unread) > 0 {
			t.Fatalf("limit %d: %v", limit, s.p.unread)
		}
	}
}

// everything reports every event.
var everything = &Rule{ID: "GB101", Severity: finding.Error, Static: true,
	Call:       func(p *Pass, c *Call) { p.Report(c.Node, c.Subject(), p.Text(c.Node)) },
	Truth:      func(p *Pass, e *Truth) { p.Report(e.Node, e.Value, e.Value.String()) },
	Load:       func(p *Pass, l *Load) { p.Report(l.Node, l.Result, "load") },
	Store:      func(p *Pass, s *Store) { p.Report(s.Node, s.Value, "store") },
	Iterate:    func(p *Pass, i *Iterate) { p.Report(i.Node, i.Value, "iterate") },
	Binary:     func(p *Pass, b *Binary) { p.Report(b.Node, b.Result, "binary") },
	Membership: func(p *Pass, m *Membership) { p.Report(m.Node, m.Container, "in") },
	Format:     func(p *Pass, e *Format) { p.Report(e.Node, e.Value, "format") },
	AttrStore:  func(p *Pass, a *AttrStore) { p.Report(a.Node, a.Value, "attribute") },
	With:       func(p *Pass, w *With) { p.Report(w.Node, w.Value, "with") },
	Return:     func(p *Pass, r *Return) { p.Report(r.Stmt, r.Value, "return") },
}

// FuzzScan: any bytes as a file give a result, in finite time, and no panic goes unnoticed.
func FuzzScan(f *testing.F) {
	for _, dir := range []string{"testdata/infer/places.py", "testdata/infer/objects.py", "testdata/guards/guards.py"} {
		f.Add(seed(f, dir))
	}
	f.Add("def step(x):\n    while x: x = [x, x]\n    return step(step(x))\n")
	f.Add("class A(A):\n    def forward(self): self.a = self.forward(self.a)\n    def __init__(self): self.a = A()\n")
	f.Add("from m import *\nimport m\ndef step(*a, **k): return step(*a, **k)[a:k, ...] if a else {**k}\n")
	f.Add("x = x.y = lambda: x\ndef forward(self, f=lambda: forward): return f(f)(f)\n")
	f.Fuzz(func(t *testing.T, src string) {
		for _, o := range []Options{{AllFunctions: true}, {}} {
			o.Rules = []*Rule{everything}
			rep, err := Scan(context.Background(), memory{"m.py": src}, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range rep.Notes {
				if strings.Contains(n, "internal error") {
					t.Fatalf("%s\n%s", n, src)
				}
			}
			for _, x := range rep.Findings {
				if x.Line < 1 || x.Column < 1 || x.Fingerprint == "" || x.EndLine < x.Line {
					t.Fatalf("finding without a place: %+v", x)
				}
			}
		}
	})
}

func seed(f *testing.F, path string) string {
	f.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	return string(data)
}
