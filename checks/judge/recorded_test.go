package judge

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// recordedRoot is where the corpus lay on the machine that recorded the traces.
const recordedRoot = "/tmp/gatebot-corpus"

// recordings reads the traces that an H200 gave for every Python case of the corpus and every module of testdata/steps
// (test/corpus_gpu.py), by case.kind/file.
func recordings(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := unpacked()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var unpacked = sync.OnceValues(func() (map[string][]byte, error) {
	f, err := os.Open("testdata/h200.tar.gz")
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if out[h.Name], err = io.ReadAll(r); err != nil {
			return nil, err
		}
	}
})

// input puts the files of one run together, as the harness does.
func input(t *testing.T, files map[string][]byte, name, root string) *dynamic.Input {
	t.Helper()
	in := &dynamic.Input{Trace: &trace.Trace{}, Root: root}
	var names []string
	for f := range files {
		if strings.HasPrefix(f, name+"/") {
			names = append(names, f)
		}
	}
	slices.Sort(names)
	for _, f := range names {
		if err := in.Trace.Read(bytes.NewReader(files[f]), f); err != nil {
			t.Fatal(err)
		}
	}
	if len(names) == 0 {
		t.Fatalf("no recording of %s", name)
	}
	in.Trace.Arrange()
	return in
}

type measured struct {
	Lines   []int  `yaml:"torch_sync_debug_lines"`
	Capture string `yaml:"capture"`
	At      int    `yaml:"capture_line"`
	Allocs  *int   `yaml:"allocs_per_step"`
	Wrong   []int  `yaml:"wrong_steps_after_warmup"`
}

type expectation struct {
	Lines    []int               `yaml:"lines"`
	Kind     []string            `yaml:"kind"`
	Measured map[string]measured `yaml:"measured"`
}

// elsewhere are cases whose measurement in expect.yaml rests on one process having run the step before: the harness
// captures in a process of its own, where Triton has nothing tuned yet, and so finds what production finds.
var elsewhere = map[string]bool{"065-autotune-keyed-on-step": true}

func TestRecordedCorpus(t *testing.T) {
	files := recordings(t)
	dirs, err := filepath.Glob("../../testdata/corpus/*/expect.yaml")
	if err != nil || len(dirs) < 50 {
		t.Fatalf("%d cases, %v", len(dirs), err)
	}
	for _, file := range dirs {
		dir := filepath.Dir(file)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var want expectation
		if err := yaml.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		for _, kind := range []string{"bad", "good"} {
			if _, err := os.Stat(filepath.Join(dir, kind+".py")); err != nil {
				continue
			}
			name := filepath.Base(dir)
			t.Run(name+"/"+kind, func(t *testing.T) {
				in := input(t, files, name+"."+kind, recordedRoot)
				path := name + "/" + kind + "/" + kind + ".py"
				if kind == "good" {
					clean(t, in)
				} else {
					hazard(t, in, path, name, want)
				}
				replay := finding.StatusPass
				if kind == "bad" && slices.Contains(want.Kind, "invariance") { // wrong in eager mode too, and replayed as it is
					replay = finding.StatusFail
				}
				measure(t, in, path, name, want.Measured[kind], replay)
			})
		}
	}
}

// clean demands that every check passes and that nothing above info is said.
func clean(t *testing.T, in *dynamic.Input) {
	for _, name := range order {
		r := Check(name, in)
		if r.Check.Status != finding.StatusPass {
			t.Errorf("%s: %s: %s", name, r.Check.Status, r.Check.Reason)
		}
		for _, f := range r.Findings {
			if f.Severity != finding.Info {
				t.Errorf("%s: %s %s:%d %s", name, f.Rule, f.Path, f.Line, f.Message)
			}
		}
	}
}

var order = []string{finding.CheckSync, finding.CheckDrift, finding.CheckAlloc, finding.CheckCapture, finding.CheckReplay, finding.CheckSpeed}

// hazard demands a finding at one of the root-cause lines from each kind of detector that the case names and that the
// device showed anything to.
func hazard(t *testing.T, in *dynamic.Input, path, name string, want expectation) {
	m := want.Measured["bad"]
	if m.Capture == "eager-raises" {
		if r := Check(finding.CheckSync, in); r.Check.Status != finding.StatusError || !strings.Contains(r.Check.Reason, path) {
			t.Errorf("a step that raises: %s: %s", r.Check.Status, r.Check.Reason)
		}
		return
	}
	for _, kind := range want.Kind {
		switch {
		case kind == "sync", kind == "capture" && m.Capture == "raises", kind == "replay" && m.Capture == "ok-but-wrong-replay", kind == "alloc":
			at(t, Check(kind, in), path, want.Lines)
		case kind == "invariance": // told by good.py as its reference, and by what step.invariance says must not matter
			at(t, Check(finding.CheckReplay, in), path, want.Lines)
		}
	}
}

func at(t *testing.T, r *dynamic.Result, path string, lines []int) {
	var got []int
	for _, f := range r.Findings {
		if f.Path == path {
			got = append(got, f.Line)
		}
	}
	for _, l := range lines {
		if slices.Contains(got, l) {
			return
		}
	}
	t.Errorf("%s: %s (%s): found at lines %v, want one of %v", r.Check.Name, r.Check.Status, r.Check.Reason, got, lines)
}

// measure holds a recording against what the device did in an independent measurement. A step that could be captured has
// the given status of the replay check.
func measure(t *testing.T, in *dynamic.Input, path, name string, m measured, replay finding.Status) {
	if m.Capture == "eager-raises" || m.Capture == "" {
		return
	}
	var torch []int
	for _, w := range trace.Of[*trace.Warning](in.Trace) {
		if p := in.Place(w.Frames); w.Source == dynamic.SyncDebug && w.Phase == "sync" && w.Step >= in.FirstStep() && p.Path == path {
			torch = append(torch, p.Line)
		}
	}
	slices.Sort(torch)
	if torch = slices.Compact(torch); !slices.Equal(torch, m.Lines) && len(torch)+len(m.Lines) > 0 {
		t.Errorf("torch's mode warned at %v, measured %v", torch, m.Lines)
	}
	a := Check(finding.CheckAlloc, in)
	if m.Allocs != nil && a.Check.Metrics["allocs_per_step"] != float64(*m.Allocs) {
		t.Errorf("%v allocations a step, measured %d", a.Check.Metrics["allocs_per_step"], *m.Allocs)
	}
	if elsewhere[name] {
		return
	}
	c, p := Check(finding.CheckCapture, in), Check(finding.CheckReplay, in)
	switch m.Capture {
	case "raises":
		at(t, c, path, []int{m.At})
		if c.Check.Status != finding.StatusFail || p.Check.Status != finding.StatusNotRun {
			t.Errorf("capture %s, replay %s", c.Check.Status, p.Check.Status)
		}
	case "ok-but-wrong-replay":
		if c.Check.Status != finding.StatusPass || p.Check.Status != finding.StatusFail {
			t.Errorf("capture %s (%s), replay %s (%s)", c.Check.Status, c.Check.Reason, p.Check.Status, p.Check.Reason)
		}
		for i := 3; i <= 7; i++ {
			if wrong(in, i) != slices.Contains(m.Wrong, i) {
				t.Errorf("step %d: wrong is %v, measured wrong steps %v", i, wrong(in, i), m.Wrong)
			}
		}
	case "ok":
		if c.Check.Status != finding.StatusPass || p.Check.Status != replay {
			t.Errorf("capture %s (%s), replay %s (%s), want %s", c.Check.Status, c.Check.Reason, p.Check.Status, p.Check.Reason, replay)
		}
	}
}

// wrong reports whether the replay of a step gave another digest than the eager step.
func wrong(in *dynamic.Input, i int) bool {
	want := map[string]string{}
	bad := false
	for _, x := range trace.Of[*trace.Tensor](in.Trace) {
		if x.Role == "output" && x.I == i && x.Phase == "eager" {
			want[x.Name] = x.Digest
		}
	}
	for _, x := range trace.Of[*trace.Tensor](in.Trace) {
		if x.Role == "output" && x.I == i && x.Phase == "replay" {
			bad = bad || want[x.Name] != x.Digest
		}
	}
	return bad
}

// TestRecordedSteps recomputes what a card said of step modules that are no corpus cases.
func TestRecordedSteps(t *testing.T) {
	files := recordings(t)
	for name, tc := range map[string]struct {
		status map[string]finding.Status
		lines  []int // where the sync check finds something
		inner  string
	}{
		"ten":               {map[string]finding.Status{"sync": "fail", "capture": "fail", "replay": "not_run"}, []int{9, 10, 11, 13, 14, 15, 16, 18, 19, 20, 21, 22}, ""},
		"layers":            {map[string]finding.Status{"sync": "pass", "drift": "pass", "capture": "pass", "replay": "pass", "speed": "pass"}, nil, ""},
		"bucketed":          {map[string]finding.Status{"sync": "pass", "drift": "pass", "capture": "pass", "replay": "pass"}, nil, ""},
		"failing_region":    {map[string]finding.Status{"sync": "fail", "capture": "fail", "replay": "pass"}, []int{10}, ""},
		"sidestream":        {map[string]finding.Status{"sync": "pass", "capture": "fail", "replay": "not_run"}, nil, ""},
		"none":              {map[string]finding.Status{"sync": "error", "capture": "error", "speed": "error"}, nil, ""},
		"huge":              {map[string]finding.Status{"sync": "error", "capture": "error"}, nil, ""},
		"assert":            {map[string]finding.Status{"sync": "error", "capture": "error"}, nil, ""},
		"exits":             {map[string]finding.Status{"sync": "error", "capture": "error"}, nil, ""},
		"two_devices":       {map[string]finding.Status{"sync": "pass", "drift": "pass", "capture": "pass", "replay": "pass", "speed": "pass"}, nil, ""},
		"two_devices_whole": {map[string]finding.Status{"sync": "pass", "drift": "pass", "capture": "pass", "replay": "pass", "speed": "pass"}, nil, ""},
		"ranks":             {map[string]finding.Status{"sync": "pass", "drift": "pass", "alloc": "pass", "capture": "pass", "replay": "pass", "speed": "pass"}, nil, ""},
		"ranks_sync":        {map[string]finding.Status{"sync": "fail", "drift": "pass", "capture": "fail", "replay": "not_run", "speed": "not_run"}, []int{23}, "rank 1 only"},
		"ranks_exit":        {map[string]finding.Status{"sync": "error", "capture": "error", "replay": "error"}, nil, ""},
		"stride0":           {map[string]finding.Status{"sync": "pass", "capture": "pass", "replay": "fail"}, nil, ""},
		"view_size":         {map[string]finding.Status{"sync": "pass", "capture": "pass", "replay": "fail"}, nil, ""},
		"declared":          {map[string]finding.Status{"sync": "pass", "drift": "pass", "capture": "pass", "replay": "pass"}, nil, ""},
		"structure":         {map[string]finding.Status{"sync": "error", "capture": "error"}, nil, ""},
		"nostep":            {map[string]finding.Status{"sync": "error", "capture": "error"}, nil, ""},
		"nobuild":           {map[string]finding.Status{"sync": "error", "capture": "error"}, nil, ""},
		"fork":              {map[string]finding.Status{"sync": "pass", "capture": "pass", "replay": "pass"}, nil, ""},
		"prints":            {map[string]finding.Status{"sync": "pass", "capture": "pass", "replay": "pass"}, nil, ""},
		"tf_gpt_oss":        {map[string]finding.Status{"sync": "fail", "capture": "fail"}, []int{25}, "transformers/masking_utils.py"},
		"tf_llama":          {map[string]finding.Status{"sync": "pass", "capture": "pass", "replay": "pass"}, nil, ""},
		"tf_mixtral":        {map[string]finding.Status{"sync": "pass", "capture": "pass", "replay": "pass"}, nil, ""},
		"tf_qwen3_moe":      {map[string]finding.Status{"sync": "pass", "capture": "pass", "replay": "pass"}, nil, ""},
		"tf_deepseek_v3":    {map[string]finding.Status{"sync": "pass", "capture": "pass", "replay": "pass"}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(t, files, "steps."+name, recordedRoot)
			for check, want := range tc.status {
				if r := Check(check, in); r.Check.Status != want {
					t.Errorf("%s: %s (%s), want %s", check, r.Check.Status, r.Check.Reason, want)
				}
			}
			var lines []int
			for _, f := range Check(finding.CheckSync, in).Findings {
				lines = append(lines, f.Line)
				if !strings.Contains(f.Message, tc.inner) {
					t.Errorf("%q does not name %s", f.Message, tc.inner)
				}
			}
			if !slices.Equal(lines, tc.lines) {
				t.Errorf("sync found at %v, want %v", lines, tc.lines)
			}
		})
	}
}

// TestRecordingsAreUnderTheProbe: the card's runs had the probe in them, so that the sync check rests on it.
func TestRecordingsAreUnderTheProbe(t *testing.T) {
	in := input(t, recordings(t), "001-mhc-residual-max-item.good", recordedRoot)
	if !in.HasProbe() {
		t.Fatal("no file of the probe")
	}
	in.NeedProbe = true
	if r := Check(finding.CheckSync, in); r.Check.Status != finding.StatusPass || r.Check.Reason != "" {
		t.Errorf("%s: %s", r.Check.Status, r.Check.Reason)
	}
}

// TestRecordedOnSeveralDevices: what a host of two cards recorded of regions on both, and of two ranks.
func TestRecordedOnSeveralDevices(t *testing.T) {
	files := recordings(t)
	r := Check(finding.CheckCapture, input(t, files, "steps.two_devices", recordedRoot))
	on := map[float64]int{}
	for _, g := range r.Check.Regions {
		on[g.Metrics["device"]]++
	}
	if len(r.Check.Regions) != 4 || on[0] != 2 || on[1] != 2 {
		t.Errorf("regions %+v", r.Check.Regions)
	}
	in := input(t, files, "steps.ranks_sync", recordedRoot)
	for name, want := range map[string]string{finding.CheckSync: "rank 1: the host waits", finding.CheckCapture: "rank 1: region step"} {
		if r := Check(name, in); !strings.HasPrefix(r.Check.Reason, want) {
			t.Errorf("%s: %q, want %q", name, r.Check.Reason, want)
		}
	}
	if r := Check(finding.CheckReplay, input(t, files, "steps.ranks", recordedRoot)); r.Check.Metrics["ranks"] != 2 || r.Check.Metrics["steps"] != 8 {
		t.Errorf("replay of two ranks: %+v", r.Check.Metrics)
	}
}

// TestRecordedInvarianceOnRanks: where each of two ranks reads more of its scratch buffer than it has written, both are said to,
// and the line where what lies in it comes into the result is named; the fixed form of the step is the same with anything in it.
func TestRecordedInvarianceOnRanks(t *testing.T) {
	files := recordings(t)
	bad := Check(finding.CheckReplay, input(t, files, "steps.ranks_scratch", recordedRoot))
	if bad.Check.Status != finding.StatusFail || !strings.HasPrefix(bad.Check.Reason, "every rank: ") || !strings.Contains(bad.Check.Reason, "496 of 512 elements") {
		t.Errorf("%s: %s", bad.Check.Status, bad.Check.Reason)
	}
	if len(bad.Findings) != 1 || bad.Findings[0].Path != "steps/ranks_scratch/gate_step.py" || bad.Findings[0].Line != 23 || bad.Findings[0].Rule != "GB716" {
		t.Errorf("findings %+v, want one at line 23", bad.Findings)
	}
	good := Check(finding.CheckReplay, input(t, files, "steps.ranks_scratch_fixed", recordedRoot))
	if good.Check.Status != finding.StatusPass || !strings.Contains(good.Check.Reason, "with other values in its scratch memory") {
		t.Errorf("fixed: %s: %s", good.Check.Status, good.Check.Reason)
	}
}

// TestRecordedFailures: what a module of the user does wrong is one line that names it and says what to do.
func TestRecordedFailures(t *testing.T) {
	files := recordings(t)
	for name, want := range map[string]string{
		"none":      "returned no tensor but NoneType: return the tensors",
		"nostep":    "gate_step.py has no function step: a step module needs build(device) and step(state, i)",
		"nobuild":   "gate_step.py has no function build: a step module needs build(device) and step(state, i)",
		"structure": "a graph has one set of outputs: return the same tensors",
		"huge":      "ran out of device memory",
		"assert":    "run it alone with CUDA_LAUNCH_BLOCKING=1",
	} {
		if r := Check(finding.CheckSync, input(t, files, "steps."+name, recordedRoot)); r.Check.Status != finding.StatusError || !strings.Contains(r.Check.Reason, want) {
			t.Errorf("%s: %s: %q, want %q", name, r.Check.Status, r.Check.Reason, want)
		}
	}
}
