package ops

import (
	"bytes"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/gpu/trial"
	"github.com/gatebot/gatebot/internal/trace"
)

// The list common is the list of the first measurements, call for call, so that they can be made again.
func TestCommonIsWhatWasMeasured(t *testing.T) {
	cases, err := List("common")
	if err != nil {
		t.Fatal(err)
	}
	measured := map[string]bool{}
	for _, name := range []string{"ops-h200.txt", "ops2-h200.txt"} {
		text, err := os.ReadFile("../../checks/torchop/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		table, err := ReadTable(name, string(text))
		if err != nil {
			t.Fatal(err)
		}
		for op := range table {
			measured[op] = true
		}
	}
	for _, c := range cases {
		if !measured[c.Name] {
			t.Errorf("%s is not among what was measured", c.Name)
		}
		delete(measured, c.Name)
	}
	if len(cases) != 299 || len(measured) > 0 {
		t.Errorf("%d calls, want 299; missing: %v", len(cases), measured)
	}
	if cases[0].Setup == "" || strings.Contains(cases[0].Setup, ";;") || !strings.HasSuffix(cases[0].Setup, "\n") {
		t.Error("the first call of common has to have the common set-up and none of its own: ParseOwn relies on it")
	}
}

// The table that an H200 gave when it was measured again is the first one, but for two calls: an event that was recorded
// before the capture does break it when it is asked for, and clamp takes a tensor and a number, as min= and max=.
func TestMeasuredAgain(t *testing.T) {
	read := func(name string) map[string]Old {
		text, err := os.ReadFile("../../checks/torchop/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		table, err := ReadTable(name, string(text))
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	first := read("ops-h200.txt")
	maps.Copy(first, read("ops2-h200.txt"))
	again := read("common-h200.txt")
	var differ []string
	for name, is := range again {
		was, ok := first[name]
		if !ok || was.Valid != is.Valid || (was.Blocking > 0) != (is.Blocking > 0) || (was.Warned > 0) != (is.Warned > 0) || was.Captured != is.Captured {
			differ = append(differ, name)
		}
	}
	slices.Sort(differ)
	if d := cmp.Diff([]string{"clamp_t", "evquery"}, differ); d != "" || len(again) != 294 {
		t.Errorf("%d calls measured again; %s", len(again), d)
	}
}

// The names of the list named are names of the table, so that a measurement can be held against a row.
func TestNamedAreInTheTable(t *testing.T) {
	cases, err := List("named")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if _, ok := torchop.Lookup(c.Name); !ok {
			t.Errorf("%s is not in checks/torchop", c.Name)
		}
	}
	if len(cases) < 620 {
		t.Errorf("%d operations", len(cases))
	}
	if _, err := List("other"); err == nil || !strings.Contains(err.Error(), `no list "other" (there are common, named)`) {
		t.Error(err)
	}
}

func TestParse(t *testing.T) {
	got, err := Parse("f", "# remark\n> import m\r\n\na.b: m.f(x)\n> y = 1\nc: g(\": \") ;; z = 2\nd!: f()\n")
	want := []trial.Case{{Name: "a.b", Setup: "import m\n", Call: "m.f(x)"}, {Name: "c", Setup: "import m\ny = 1\nz = 2", Call: `g(": ")`},
		{Name: "d", Setup: "import m\ny = 1\n", Call: "f()", Fresh: true}}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Error(err, d)
	}
	for _, tt := range []struct{ text, says string }{
		{"a: 1\nb\n", "f:2: no `name: code`"},
		{"two words: 1", "f:1: no `name: code`"},
		{"a: 1\n#\na: 2", "f:3: a is in line 1 already"},
		{"a:  ;; b", "f:1: a has no code"},
	} {
		if _, err := Parse("f", tt.text); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.says)
		}
	}
	own, err := ParseOwn("f", "mine: F.relu(x)")
	if err != nil || len(own) != 1 || !strings.Contains(own[0].Setup, "import torch.nn.functional as F") {
		t.Errorf("%+v, %v", own, err)
	}
}

func sample() []trial.Result {
	call := func(name string, class trace.Class, c *trace.Copy) *trace.API {
		return &trace.API{Name: name, Class: class, Copy: c}
	}
	return []trial.Result{
		{Name: "clean", Nodes: []string{"kernel"}},
		{Name: "item", Warned: 1, Capture: "AcceleratorError: CUDA error: operation failed due to a previous error during capture", Calls: []*trace.API{
			call("cudaMemcpyAsync", trace.ClassCopy, &trace.Copy{Dir: "dtoh", Dst: trace.Pageable, Async: true}),
			call("cudaStreamSynchronize", trace.ClassSync, nil)}},
		{Name: "eigh", Warned: 1, Capture: "E: x", Calls: []*trace.API{call("cudaStreamSynchronize", trace.ClassSync, nil),
			call("cudaStreamSynchronize", trace.ClassSync, nil)}},
		{Name: "sync", Capture: "E: x", Calls: []*trace.API{call("cudaDeviceSynchronize", trace.ClassSync, nil)}},
		{Name: "pageable", Capture: "E: x", Calls: []*trace.API{
			call("cudaMemcpyAsync", trace.ClassCopy, &trace.Copy{Dir: "htod", Src: trace.Pageable, Async: true})}},
		{Name: "odd", Eager: "TypeError: no", Unseen: "the probe was not loaded"},
		{Name: "dead", Died: "signal 11"},
		{Name: "unseen", Unseen: "the probe was not loaded"},
	}
}

func TestTableAndSummary(t *testing.T) {
	rows := Rows(sample())
	var b bytes.Buffer
	if err := Write(&b, trial.Torch{Version: "2.11", Python: "3.12"}, "a card", rows); err != nil {
		t.Fatal(err)
	}
	table, err := ReadTable("f", b.String())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Old{"clean": {Captured: true, Valid: true}, "item": {Warned: 1, Blocking: 1, Valid: true},
		"eigh": {Warned: 1, Blocking: 2, Valid: true}, "sync": {Blocking: 1, Valid: true}, "pageable": {Valid: true}, "odd": {}}
	if d := cmp.Diff(want, table); d != "" {
		t.Errorf("what is written is what is read: %s\n%s", d, &b)
	}
	for _, s := range []string{"# dead was not measured: signal 11\n", "# unseen was not measured", "'cudaStreamSynchronize': 2}", "EAGER TypeError: no\n"} {
		if !strings.Contains(b.String(), s) {
			t.Errorf("%q is not in\n%s", s, &b)
		}
	}
	sum := Summarise(rows)
	wantSum := Summary{Measured: 5, Invalid: 1, Unknown: 2, Captured: 1, Refused: 4, Syncing: 3, ByTorch: 2, Partly: 2, Calls: 4,
		Reported: 2, Other: 1}
	if d := cmp.Diff(wantSum, sum); d != "" {
		t.Error(d)
	}
	b.Reset()
	if err := sum.Print(&b); err != nil || !regexp.MustCompile(`reports 2 of these operations and 2 of the calls; it misses 1 operations and 2 calls`).Match(b.Bytes()) {
		t.Errorf("%v %s", err, &b)
	}
}

func TestCompare(t *testing.T) {
	old := map[string]Old{"clean": {Captured: true, Valid: true}, "item": {Blocking: 7, Valid: true, OnlyWaits: true},
		"eigh": {Captured: true, Valid: true}, "odd": {Valid: true}, "dead": {}, "elsewhere": {}}
	same, d := Compare(Rows(sample()), old)
	want := []string{"eigh: waits was false, is true, reported by torch was false, is true, captured was true, is false", "odd: valid was true, is false"}
	if same != 2 || cmp.Diff(want, d) != "" {
		t.Errorf("%d the same, %s", same, cmp.Diff(want, d))
	}
}

func FuzzReadTable(f *testing.F) {
	f.Add("item 1 1 ok | {}\n")
	f.Add("a  0   TypeError: x  | {'RT:cudaStreamSynchronize': 99999999999999999999}\n")
	f.Add("torch.abs 0\n")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := ReadTable("f", text)
		if err != nil && !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("%v does not name file and line", err)
		}
		for name := range table {
			if name == "" {
				t.Error("an operation without a name")
			}
		}
	})
}

func FuzzParseCases(f *testing.F) {
	f.Add("> a\nb: c ;; d\n")
	f.Fuzz(func(t *testing.T, text string) {
		cases, err := Parse("f", text)
		if err == nil && len(cases) > 0 && (cases[0].Name == "" || cases[0].Call == "") {
			t.Errorf("%+v", cases[0])
		}
	})
}
