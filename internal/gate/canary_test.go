package gate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/internal/finding"
)

// deaf is a canary whose plants the probe did not see.
func deaf() *device.Report {
	return &device.Report{Status: finding.StatusFail, Reason: "python: wait for an event: the gate cannot see it: not caught by probe", Steps: []device.Step{
		{Name: "clean", Status: finding.StatusPass, Detections: []device.Detection{{Detector: device.DetectProbe}}},
		{Name: "python: wait for an event", Status: finding.StatusFail, Detections: []device.Detection{
			{Detector: device.DetectProbe, Want: true}, {Detector: device.DetectCapture, Want: true, Caught: true}, {Detector: device.DetectWork, Want: true, Unknown: "older torch"}}}}}
}

// TestBlindCanaryEndsTheCheck: what a blind detector does not find is no pass, whether or not a device is required; the
// detector is named, and the step is not run at all.
func TestBlindCanaryEndsTheCheck(t *testing.T) {
	for name, tc := range map[string]struct {
		config  string // added to the file
		require bool
		verdict finding.Verdict
		sync    finding.Status
	}{
		"a step":                          {"", false, finding.VerdictError, finding.StatusNotRun},
		"a step and a device required":    {"", true, finding.VerdictError, finding.StatusNotRun},
		"the canary is shown and no more": {"checks: {canary: warn}\n", false, finding.VerdictFail, finding.StatusFail},
	} {
		t.Run(name, func(t *testing.T) {
			dir := stepTree(t, "record")
			data, err := os.ReadFile(filepath.Join(dir, ".gatebot.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			rewrite(t, dir, ".gatebot.yaml", string(data)+tc.config)
			gpu := onCard()
			gpu.report = deaf()
			run, err := Check(t.Context(), CheckRequest{Request: Request{Dir: dir}, GPU: gpu, RequireGPU: tc.require})
			if err != nil {
				t.Fatal(err)
			}
			if run.Results.Verdict != tc.verdict {
				t.Errorf("verdict %s: %v", run.Results.Verdict, run.Results.Reasons)
			}
			if c := result(run.Results, finding.CheckCanary); c.Status != finding.StatusError || !strings.HasPrefix(c.Reason, "blind: probe; ") {
				t.Errorf("canary: %+v", c)
			}
			if c := result(run.Results, finding.CheckSync); c.Status != tc.sync || tc.sync == finding.StatusNotRun && !strings.Contains(c.Reason, "the canary failed") {
				t.Errorf("sync: %+v", c)
			}
		})
	}
}

// TestCanaryFitsTheCheck: the interpreter of the step sings where a step is to run, and only there.
func TestCanaryFitsTheCheck(t *testing.T) {
	bare := treeWith(t, map[string]string{"m.py": "x = 1\n"})
	step := stepTree(t, "record")
	local := treeWith(t, map[string]string{"m.py": stepModule, ".gatebot.yaml": "step: {entry: m.py, python: venv/bin/python, launch: torchrun, env: {B: '2', A: '1'}}\n"})
	local, err := filepath.EvalSymlinks(local)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		request CheckRequest
		want    device.CanaryRequest
		all     bool
	}{
		"no step":          {CheckRequest{Request: Request{Dir: bare}}, device.CanaryRequest{}, false},
		"a step":           {CheckRequest{Request: Request{Dir: step}}, device.CanaryRequest{Python: filepath.Join(step, "pretend")}, false},
		"no check on it":   {CheckRequest{Request: Request{Dir: step}, Only: []string{finding.CheckSource, finding.CheckCanary}}, device.CanaryRequest{}, false},
		"of several ranks": {CheckRequest{Request: Request{Dir: local}, Only: []string{finding.CheckCanary, finding.CheckSync}}, device.CanaryRequest{Python: filepath.Join(local, "venv/bin/python"), Env: []string{"A=1", "B=2"}}, true},
		"in a sandbox":     {CheckRequest{Request: Request{Dir: bare}, Wrap: []string{"confine"}}, device.CanaryRequest{Wrap: []string{"confine"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			gpu := onCard()
			tc.request.GPU = gpu
			if _, err := Check(t.Context(), tc.request); err != nil {
				t.Fatal(err)
			}
			gpu.asked.See = nil // the probe, where this machine has built one
			if d := cmp.Diff(tc.want, gpu.asked); d != "" || gpu.all != tc.all {
				t.Errorf("%s all %v", d, gpu.all)
			}
		})
	}
}

// TestCanaryIsRemembered: a pass is, for minutes, for the same device, driver and interpreter. Nothing else is.
func TestCanaryIsRemembered(t *testing.T) {
	step, cache := stepTree(t, "record"), t.TempDir()
	sing := func(gpu *fakeGPU, change func(*CheckRequest)) finding.CheckResult {
		t.Helper()
		r := CheckRequest{Request: Request{Dir: step}, GPU: gpu, Only: []string{finding.CheckCanary}, CanaryDir: cache}
		if change != nil {
			change(&r)
		}
		run, err := Check(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return result(run.Results, finding.CheckCanary)
	}
	count := func(name string, gpu *fakeGPU, change func(*CheckRequest), want int) {
		t.Helper()
		before := gpu.canaryCalls
		if c := sing(gpu, change); c.Status == finding.StatusNotRun || gpu.canaryCalls-before != want {
			t.Errorf("%s: %+v after %d runs, want %d", name, c, gpu.canaryCalls-before, want)
		}
	}
	gpu := onCard()
	gpu.dev.UUID, gpu.dev.Driver = "GPU-1", "580.1"
	gpu.report = deaf()
	count("a failure", gpu, nil, 1)
	count("a failure is not remembered", gpu, nil, 1)
	gpu.report, gpu.canaryErr = nil, errors.New("killed")
	count("an error", gpu, nil, 1)
	gpu.report, gpu.canaryErr = &device.Report{Status: finding.StatusPass}, nil
	count("a pass", gpu, nil, 1)
	count("a pass is remembered", gpu, nil, 0)
	if c := sing(gpu, nil); c.Status != finding.StatusPass || !strings.Contains(c.Reason, "ago on this device") {
		t.Errorf("%+v", c)
	}
	count("the cache is not wanted", gpu, func(r *CheckRequest) { r.NoCache = true }, 1)
	count("a stranger's step", gpu, func(r *CheckRequest) { r.Wrap = []string{"confine"} }, 1)
	gpu.dev.Driver = "590.1"
	count("another driver", gpu, nil, 1)
	gpu.dev.UUID = "GPU-2"
	count("another device", gpu, nil, 1)
	count("with the step", gpu, func(r *CheckRequest) { r.Only = append(r.Only, finding.CheckSync) }, 1)
	t.Setenv("PYTHONPATH", "/elsewhere")
	count("another environment", gpu, nil, 1)
	t.Setenv(device.EnvDisable, "none")
	count("a detector that may be off", gpu, nil, 1)

	old := canaryMemory{filepath.Join(cache, "canary", "old.json"), "k"}
	for name, text := range map[string]string{
		"an old one":        `{"key":"k","at":"2026-01-01T00:00:00Z","report":{"status":"pass"}}`,
		"one of the future": `{"key":"k","at":"2999-01-01T00:00:00Z","report":{"status":"pass"}}`,
		"half a file":       `{"key":"k","at":"2026-01-`,
		"no pass":           `{"key":"k","at":"2026-01-01T00:00:00Z","report":{"status":"fail"}}`,
	} {
		rewrite(t, filepath.Dir(old.file), "old.json", text)
		if _, _, ok := old.read(); ok {
			t.Errorf("%s counts", name)
		}
	}
}

// TestOneCanaryForManyChecks: checks that start at once wait for the first one's.
func TestOneCanaryForManyChecks(t *testing.T) {
	m := canaryMemory{filepath.Join(t.TempDir(), "canary", "x.json"), "k"}
	var mu sync.Mutex
	var wg sync.WaitGroup
	runs := 0
	for range 8 {
		wg.Go(func() {
			rep, _, err := m.canary(t.Context(), func() (*device.Report, error) {
				mu.Lock()
				defer mu.Unlock()
				runs++
				return &device.Report{Status: finding.StatusPass}, nil
			})
			if err != nil || rep.Status != finding.StatusPass {
				t.Errorf("%+v, %v", rep, err)
			}
		})
	}
	wg.Wait()
	if runs != 1 {
		t.Errorf("%d runs", runs)
	}
}
