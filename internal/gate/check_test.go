package gate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
)

// fakeGPU is a machine with or without a device.
type fakeGPU struct {
	dev         *finding.Device
	detectErr   error
	report      *device.Report
	canaryErr   error
	canaryCalls int
	asked       device.CanaryRequest
	all         bool
}

func (g *fakeGPU) Detect(context.Context) (*finding.Device, error) { return g.dev, g.detectErr }
func (g *fakeGPU) Canary(_ context.Context, c device.CanaryRequest, all bool) (*device.Report, error) {
	g.canaryCalls++
	g.asked, g.all = c, all
	return g.report, g.canaryErr
}

func treeWith(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestCheckOnMachines(t *testing.T) {
	clean := map[string]string{"m.py": "def step(state, i):\n    return state\n"}
	h200 := &finding.Device{Name: "NVIDIA H200", ComputeCapability: "9.0"}
	pass := &device.Report{Status: finding.StatusPass}
	for name, tc := range map[string]struct {
		gpu        *fakeGPU
		require    bool
		files      map[string]string
		verdict    finding.Verdict
		canary     finding.Status
		reason     string
		canaryRuns int
	}{
		"no device": {&fakeGPU{detectErr: device.ErrNoCUDA}, false, clean, finding.VerdictPass, finding.StatusNotRun, "no CUDA device", 0},
		"no device and required": {&fakeGPU{detectErr: device.ErrNoCUDA}, true, clean, finding.VerdictError, finding.StatusNotRun,
			"no CUDA device", 0},
		"no answer is no device": {&fakeGPU{detectErr: errors.New("driver hung")}, true, clean, finding.VerdictError, finding.StatusNotRun,
			"driver hung", 0},
		"device": {&fakeGPU{dev: h200, report: pass}, false, clean, finding.VerdictPass, finding.StatusPass, "", 1},
		"device and required: the checks that are not there yet are no pass": {&fakeGPU{dev: h200, report: pass}, true, clean,
			finding.VerdictError, finding.StatusPass, "", 1},
		"another device than the configuration asks for": {&fakeGPU{dev: h200, report: pass}, false,
			map[string]string{"m.py": clean["m.py"], ".gatebot.yaml": "version: 1\ndevice: {name: B200}\n"}, finding.VerdictPass, finding.StatusNotRun,
			"the device is NVIDIA H200, the configuration asks for B200 (device in .gatebot.yaml)", 0},
		"an older device, and one is required": {&fakeGPU{dev: h200, report: pass}, true,
			map[string]string{"m.py": clean["m.py"], ".gatebot.yaml": "version: 1\ndevice: {min_compute_capability: \"10.0\"}\n"},
			finding.VerdictError, finding.StatusNotRun, "has compute capability 9.0, the configuration asks for 10.0", 0},
		"canary sings": {&fakeGPU{dev: h200, report: &device.Report{Status: finding.StatusFail, Reason: "cuCtxSynchronize was not refused"}}, true,
			clean, finding.VerdictError, finding.StatusError, "cuCtxSynchronize was not refused", 1},
		"canary dies": {&fakeGPU{dev: h200, canaryErr: errors.New("killed")}, false, clean, finding.VerdictPass, finding.StatusError, "killed", 1},
		"turned off": {&fakeGPU{dev: h200, report: pass}, true,
			map[string]string{"m.py": clean["m.py"], ".gatebot.yaml": "checks: {canary: off, sync: off, drift: off, alloc: off, capture: off, replay: off, speed: off}\n"},
			finding.VerdictPass, finding.StatusNotRun, "turned off in .gatebot.yaml", 0},
		"required, no device and everything turned off is no pass": {&fakeGPU{detectErr: device.ErrNoCUDA}, true,
			map[string]string{"m.py": clean["m.py"], ".gatebot.yaml": "checks: {canary: off, sync: off, drift: off, alloc: off, capture: off, replay: off, speed: off}\n"},
			finding.VerdictError, finding.StatusNotRun, "no CUDA device", 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := treeWith(t, tc.files)
			run, err := Check(t.Context(), CheckRequest{Request: Request{Dir: dir}, RequireGPU: tc.require, GPU: tc.gpu})
			if err != nil {
				t.Fatal(err)
			}
			r := run.Results
			if r.Verdict != tc.verdict {
				t.Errorf("verdict %s, want %s (%v)", r.Verdict, tc.verdict, r.Reasons)
			}
			if len(r.Checks) != 1+len(finding.GPUChecks) {
				t.Fatalf("%d checks", len(r.Checks))
			}
			if c := r.Checks[1]; c.Name != finding.CheckCanary || c.Status != tc.canary || !strings.Contains(c.Reason, tc.reason) {
				t.Errorf("canary: %+v", c)
			}
			if tc.gpu.canaryCalls != tc.canaryRuns {
				t.Errorf("canary ran %d times, want %d", tc.gpu.canaryCalls, tc.canaryRuns)
			}
		})
	}
}

func TestRequiredDeviceWithOnlySourceIsNoPass(t *testing.T) {
	dir := treeWith(t, map[string]string{"m.py": "x = 1\n"})
	run, err := Check(t.Context(), CheckRequest{Request: Request{Dir: dir}, RequireGPU: true,
		Only: []string{finding.CheckSource}, GPU: &fakeGPU{detectErr: device.ErrNoCUDA}})
	if err != nil {
		t.Fatal(err)
	}
	if run.Results.Verdict != finding.VerdictError {
		t.Errorf("verdict %s, want error: %v", run.Results.Verdict, run.Results.Reasons)
	}
}

// TestSourceExtensions: what hook and fix log take for a change that matters is what the scanner reads.
func TestSourceExtensions(t *testing.T) {
	want := append([]string{".py", ".pyi"}, checks.NativeExtensions...)
	if d := cmp.Diff(want, config.SourceExtensions); d != "" {
		t.Error(d)
	}
}
