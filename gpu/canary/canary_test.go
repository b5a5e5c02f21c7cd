package canary

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/gpu/probelib"
	"github.com/gatebot/gatebot/gpu/trial"
	"github.com/gatebot/gatebot/internal/finding"
)

// recorded is what an H200 did (torch 2.11, 2026-11-29): gatebot-gpu canary --keep.
func recorded(t *testing.T) []trial.Result {
	t.Helper()
	torch, results, err := trial.Load("testdata/h200", cases())
	if err != nil {
		t.Fatal(err)
	}
	if torch.Version != "2.11.0+cu130" || len(results) != len(plants) {
		t.Fatalf("%+v, %d results", torch, len(results))
	}
	return results
}

func TestRecordedH200(t *testing.T) {
	for i, r := range recorded(t) {
		s := judge(plants[i], r, nil)
		if s.Status != finding.StatusPass {
			t.Errorf("%s: %s %s", s.Name, s.Status, s.Reason)
		}
		for _, d := range s.Detections {
			if d.Want && !d.Caught || d.Caught && len(plants[i].see) == 0 || d.Unknown != "" {
				t.Errorf("%s: %+v", s.Name, d)
			}
		}
	}
}

// Each detector is needed: with any one off, some step is seen by nobody who has to see it, and fails.
func TestEveryDetectorIsNeeded(t *testing.T) {
	results := recorded(t)
	for _, name := range device.Detectors {
		failed := 0
		for i, r := range results {
			s := judge(plants[i], r, []string{name})
			wants := slices.Contains(plants[i].see, name)
			if (s.Status == finding.StatusFail) != wants {
				t.Errorf("%s off: %s: %s %s", name, s.Name, s.Status, s.Reason)
			}
			if wants {
				failed++
				if !strings.Contains(s.Reason, name+" (switched off by "+device.EnvDisable+")") {
					t.Errorf("%s off: %s: %s", name, s.Name, s.Reason)
				}
			}
		}
		if failed == 0 {
			t.Errorf("%s has nothing to see", name)
		}
	}
}

// The checks, the probe and the canary go by one switch, and by one name for what they have in common.
func TestOneSwitch(t *testing.T) {
	if device.EnvDisable != dynamic.EnvDisable {
		t.Errorf("%s here, %s in the checks", device.EnvDisable, dynamic.EnvDisable)
	}
	if _, err := dynamic.Disabled(strings.Join(device.Detectors, ",")); err != nil {
		t.Error(err)
	}
}

func TestJudge(t *testing.T) {
	clean, item := plants[0], plants[1]
	results := recorded(t)
	for _, tt := range []struct {
		name   string
		p      plant
		change func(*trial.Result)
		want   finding.Status
		says   string
	}{
		{"blind probe", item, func(r *trial.Result) { r.Calls = nil }, finding.StatusFail, "not caught by probe"},
		{"probe that is switched off", item, func(r *trial.Result) { r.Calls, r.Blind = nil, "switched off" }, finding.StatusFail, "not caught by probe (switched off"},
		{"blind torch", item, func(r *trial.Result) { r.Warned = 0 }, finding.StatusFail, "not caught by torch"},
		{"captured all the same", item, func(r *trial.Result) { r.Capture, r.Replay = "", []bool{true} }, finding.StatusFail, "not caught by capture"},
		{"false alarm of the capture", clean, func(r *trial.Result) { r.Capture = "E: no" }, finding.StatusFail, "a clean step is reported by capture: E: no"},
		{"false alarm of the replay", clean, func(r *trial.Result) { r.Replay[2] = false }, finding.StatusFail, "reported by replay"},
		{"false alarm of the probe", clean, func(r *trial.Result) { r.Calls = results[1].Calls }, finding.StatusFail, "reported by probe: cuda"},
		{"missing work", clean, func(r *trial.Result) { r.Nodes = []string{} }, finding.StatusFail, "reported by work"},
		{"died", item, func(r *trial.Result) { r.Died = "signal 11" }, finding.StatusError, "did not end well: signal 11"},
		{"raised", item, func(r *trial.Result) { r.Eager = "E: x" }, finding.StatusError, "raised in eager mode: E: x"},
		{"no record", item, func(r *trial.Result) { r.Unseen = "the probe was not loaded" }, finding.StatusError, "not loaded"},
		{"no replay", clean, func(r *trial.Result) { r.Replay = nil }, finding.StatusError, "not replayed"},
		{"a replay that raises", clean, func(r *trial.Result) { r.ReplayError = "E: y" }, finding.StatusError, "E: y"},
		{"an older torch", clean, func(r *trial.Result) { r.Nodes = nil }, finding.StatusPass, ""},
	} {
		r := results[slices.IndexFunc(results, func(r trial.Result) bool { return r.Name == tt.p.Name })]
		r.Replay = slices.Clone(r.Replay)
		tt.change(&r)
		if s := judge(tt.p, r, nil); s.Status != tt.want || !strings.Contains(s.Reason, tt.says) {
			t.Errorf("%s: %s %q, want %s %q", tt.name, s.Status, s.Reason, tt.want, tt.says)
		}
	}
}

// python writes an interpreter that leaves what was recorded.
func python(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAdd(t *testing.T) {
	dir, err := filepath.Abs("testdata/h200")
	if err != nil {
		t.Fatal(err)
	}
	replay := "cp " + dir + "/* $(dirname $3)/"
	t.Setenv(probelib.EnvLibrary, filepath.Join(dir, "results.ndjson")) // any file: nothing loads it here
	for _, tt := range []struct {
		name, python string
		require      bool
		disabled     string
		status       finding.Status
		part         finding.Status
		says         string
	}{
		{"recorded", python(t, replay), true, "", finding.StatusPass, finding.StatusPass, ""},
		{"no torch", python(t, `echo '{"missing":"ModuleNotFoundError"}' > $3`), false, "", finding.StatusPass, finding.StatusNotRun, ""},
		{"no torch where one is required", python(t, `echo '{"missing":"ModuleNotFoundError"}' > $3`), true, "", finding.StatusError, finding.StatusNotRun, "ModuleNotFoundError"},
		{"no interpreter", "/no/python", false, "", finding.StatusPass, finding.StatusNotRun, ""},
		{"one that dies", python(t, "kill -9 $$"), false, "", finding.StatusError, finding.StatusError, "python: trial"},
		{"results that are not whole", python(t, "head -3 "+dir+"/results.ndjson > $3"), false, "", finding.StatusError, finding.StatusError, "has none"},
		{"the probe was not loaded", python(t, "cp "+dir+"/results.ndjson $3"), false, "", finding.StatusError, finding.StatusError, "the probe was not loaded"},
		{"a detector off", python(t, replay), true, device.DetectProbe, finding.StatusFail, finding.StatusFail, "not caught by probe"},
		{"a detector that only Go has to do without", python(t, replay), true, "other", finding.StatusFail, finding.StatusPass, "detector other is switched off"},
	} {
		r := &device.Report{Steps: []device.Step{{Name: "go", Status: finding.StatusPass}}}
		if tt.disabled != "" {
			r.Disabled = []string{tt.disabled}
		}
		Add(context.Background(), r, Options{Python: tt.python, Require: tt.require})
		if r.Status != tt.status || r.Python.Status != tt.part || !strings.Contains(r.Reason, tt.says) {
			t.Errorf("%s: %s %q, Python %+v; want %s and %s", tt.name, r.Status, r.Reason, *r.Python, tt.status, tt.part)
		}
	}
	r := &device.Report{Steps: []device.Step{{Name: "go", Status: finding.StatusPass}}}
	if Add(context.Background(), r, Options{Python: None}); r.Python != nil || r.Status != finding.StatusPass {
		t.Errorf("left out: %+v", r)
	}
	t.Setenv(probelib.EnvLibrary, "/no/probe.so")
	if Add(context.Background(), r, Options{Python: "sh"}); r.Python.Status != finding.StatusNotRun || !strings.Contains(r.Python.Reason, "probe missing") {
		t.Errorf("no probe: %+v", r.Python)
	}
}

// TestOtherDevice: the part in Python runs on the device of the report, which its processes see as their only one.
func TestOtherDevice(t *testing.T) {
	dir, err := filepath.Abs("testdata/h200")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(probelib.EnvLibrary, filepath.Join(dir, "results.ndjson"))
	t.Setenv("CUDA_VISIBLE_DEVICES", "4,5")
	for index, want := range map[int]string{0: "4,5", 1: "GPU-5"} {
		note := filepath.Join(t.TempDir(), "note")
		r := &device.Report{Device: device.Info{Index: index, UUID: "GPU-5"}, Steps: []device.Step{{Name: "go", Status: finding.StatusPass}}}
		Add(t.Context(), r, Options{Python: python(t, "printf %s $CUDA_VISIBLE_DEVICES > "+note+"; cp "+dir+"/* $(dirname $3)/"), Require: true})
		got, err := os.ReadFile(note)
		if err != nil || string(got) != want || r.Status != finding.StatusPass {
			t.Errorf("device %d: %q, want %q, %s %v", index, got, want, r.Reason, err)
		}
	}
}
