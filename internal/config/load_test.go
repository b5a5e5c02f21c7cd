package config

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/internal/finding"
)

func TestLoadEverything(t *testing.T) {
	data, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Load("full.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	zero, one := 0.0, 1.0
	want := &Config{
		Version: 1,
		HotPath: HotPath{
			Include: []string{"dsv4/**"}, Exclude: []string{"tests/**"},
			Roots:    []Root{{"dsv4/model.py", "DSV4.decode_step"}},
			LoadTime: []Root{{"**", "load_weights"}},
			Guards:   []string{"VERBOSE >= 2", "step == 0"},
			Severity: []SeverityRule{{"benchmarks/**", finding.Off}, {"GB301", finding.Error}},
		},
		Step: Step{
			Entry: "tests/gate_step.py", Python: "python3", Env: map[string]string{"KEY": "value"},
			Launch: "torchrun --nproc-per-node 2", Warmup: 3, Steps: 12, Boundaries: []int{4, 128},
			Capture: []string{"model.layers.*.pre", "model.head"}, Eager: []string{"model.layers.*.attn"},
			Timeout: 45 * time.Minute, Reference: "tests/plain.py:decode", Tolerance: Tolerance{Relative: 1e-3, Absolute: 1e-5},
			Invariance: Invariance{Batch: []string{"x", "model.ids"}, Scratch: []string{"model.layers.*.buf"}},
		},
		Checks: map[string]CheckLevel{
			"sync":  {Level: finding.Error, AllSteps: true},
			"alloc": {Level: finding.Warn, Max: &zero},
			"speed": {Level: finding.Warn, Min: &one},
		},
		Device:  Device{Name: "B200", MinComputeCapability: "10.0"},
		Hazards: []Hazard{{ID: "C1", Title: "Compressor returns None", Status: "deferred", Phase: "2", Rules: []string{"GB213"}}},
		FixLog:  FixLog{Path: "docs/READY.md", Heading: "Violation Fix Log", Mode: "pr"},
		Hash:    got.Hash,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got.Hash == "" || got.Hash == Default().Hash {
		t.Errorf("hash %q does not name the content", got.Hash)
	}
}

func TestLoadRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"typo":            {"version: 1\nhot_path:\n  exlude: [a]\n", `f.yaml:3: hot_path.exlude: unknown key (did you mean "exclude"?)`},
		"far off":         {"zzzzzz: 1\n", `f.yaml:1: zzzzzz: unknown key (known here: version, hot_path, step, checks, device, hazards, fixlog)`},
		"swap":            {"verison: 1\n", `f.yaml:1: verison: unknown key (did you mean "version"?)`},
		"check name":      {"checks: {cature: error}\n", `f.yaml:1: checks.cature: unknown key (did you mean "capture"?)`},
		"level":           {"checks:\n  sync: eror\n", `f.yaml:2: checks.sync: "eror" is none of error, warn, off (did you mean "error"?)`},
		"steps of sync":   {"checks: {sync: {steps: never}}\n", `f.yaml:1: checks.sync.steps: "never" is none of few, all (known here: few, all)`},
		"steps of alloc":  {"checks: {alloc: {steps: all}}\n", `f.yaml:1: checks.alloc.steps: unknown key (known here: level, max, min)`},
		"version":         {"version: 2\n", `f.yaml:1: version: version "2" is not one this gatebot reads (write 1, or update gatebot)`},
		"twice":           {"step: {}\nstep: {}\n", `f.yaml:2: step: given twice (keep one)`},
		"list for map":    {"step: [a]\n", `f.yaml:1: step: want a mapping, got a list`},
		"string for list": {"hot_path: {guards: VERBOSE}\n", `f.yaml:1: hot_path.guards: want a list, got "VERBOSE"`},
		"root":            {"hot_path:\n  roots: [model.forward]\n", `f.yaml:2: hot_path.roots[0]: "model.forward" is not PATH::NAME (such as dsv4/model.py::DSV4.decode_step)`},
		"glob":            {"hot_path:\n  include: ['a[']\n", `f.yaml:2: hot_path.include: "a[" is not a glob (check the brackets)`},
		"duration":        {"step: {timeout: 30}\n", `f.yaml:1: step.timeout: want a duration such as 30m or 90s, got "30"`},
		"escape":          {"fixlog: {path: ../../etc/passwd}\n", `f.yaml:1: fixlog.path: "../../etc/passwd" is not a path inside the repository (write it relative to the root, with /)`},
		"git dir":         {"fixlog: {path: .git/config}\n", `f.yaml:1: fixlog.path: ".git/config" is not a path inside the repository (write it relative to the root, with /)`},
		"steps":           {"step: {steps: 1}\n", `f.yaml:1: step.steps: want a whole number of at least 2, got "1"`},
		"not yaml":        {"a: [b\nc: d\n", `f.yaml:`},
		"two documents":   {"version: 1\n---\nversion: 1\n", `f.yaml: more than one YAML document (keep one)`},
		"hazard id":       {"hazards:\n- {id: A}\n- {id: A}\n", `f.yaml:3: hazards[1]: id "A" is taken (ids are unique)`},
		"reference":       {"step: {reference: ../twin.py}\n", `f.yaml:1: step.reference: "../twin.py" is not a path inside the repository (write it relative to the root, with /)`},
		"function":        {"step: {reference: 'twin.py:a b'}\n", `f.yaml:1: step.reference: "a b" is no name of a function (write base, FILE or FILE:FUNCTION)`},
		"tolerance":       {"step: {tolerance: near}\n", `f.yaml:1: step.tolerance: "near" is no tolerance (write exact, dtype, or two numbers: relative, absolute)`},
		"tolerances":      {"step: {tolerance: [0.1, -1]}\n", `f.yaml:1: step.tolerance: "0.1,-1" is no tolerance (write exact, dtype, or two numbers: relative, absolute)`},
		"invariance":      {"step: {invariance: {rows: [x]}}\n", `f.yaml:1: step.invariance.rows: unknown key (known here: batch, scratch)`},
		"capability":      {"device: {min_compute_capability: ten}\n", `f.yaml:1: device.min_compute_capability: "ten" is not a compute capability (write it quoted, such as "10.0")`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load("f.yaml", []byte(tc.in))
			if err == nil {
				t.Fatal("accepted")
			}
			if name == "not yaml" {
				if !strings.HasPrefix(err.Error(), tc.want) {
					t.Fatalf("got %q", err)
				}
				return
			}
			if err.Error() != tc.want {
				t.Errorf("got  %q\nwant %q", err, tc.want)
			}
			var ce *Error
			if !errors.As(err, &ce) {
				t.Errorf("%T is no *Error", err)
			}
		})
	}
}

func TestReferences(t *testing.T) {
	for in, want := range map[string]Step{
		"reference: base":                             {Reference: "base"},
		"reference: a/../b.py":                        {Reference: "b.py:step"},
		"{reference: b.py, tolerance: dtype}":         {Reference: "b.py:step", Tolerance: Tolerance{ByDtype: true}},
		"{reference: 'b.py:f_1', tolerance: exact}":   {Reference: "b.py:f_1"},
		"{reference: b.py, tolerance: '1e-2, 0.001'}": {Reference: "b.py:step", Tolerance: Tolerance{Relative: 1e-2, Absolute: 1e-3}},
	} {
		c, err := Load("f.yaml", []byte("step:\n  "+in+"\n"))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if c.Step.Reference != want.Reference || c.Step.Tolerance != want.Tolerance {
			t.Errorf("%s: %+v", in, c.Step)
		}
	}
}

func TestLoadReportsAllMistakes(t *testing.T) {
	_, err := Load("f.yaml", []byte("stp: {}\nfixlog: {mode: no}\n"))
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("want two lines, got %v", err)
	}
}

func TestLoadEmptyIsDefault(t *testing.T) {
	for _, in := range []string{"", "\n", "# nothing\n", "---\n", "~\n"} {
		got, err := Load("f.yaml", []byte(in))
		if err != nil {
			t.Fatalf("%q: %v", in, err)
		}
		want := Default()
		want.Hash = got.Hash
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", in, d)
		}
	}
}

func FuzzLoad(f *testing.F) {
	full, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(full)
	f.Add([]byte("a: &a [*a]\n"))
	f.Add([]byte("<<: {step: 1}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Load("f.yaml", data)
		if (c == nil) == (err == nil) {
			t.Fatalf("config %v, error %v", c, err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "f.yaml") {
			t.Errorf("error does not name the file: %v", err)
		}
	})
}
