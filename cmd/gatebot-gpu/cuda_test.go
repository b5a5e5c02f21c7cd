//go:build cuda

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/internal/finding"
)

// These run against the pretend driver of gpu/fakecuda; gpu/device/test.sh sets it up.

const table = "../../gpu/fakecuda/testdata/capture-modes-h200.tsv"

func asChild(t *testing.T) string {
	t.Helper()
	t.Setenv("GATEBOT_GPU_CHILD", "1")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

func TestInventoryOnTheFake(t *testing.T) {
	exe := asChild(t)
	t.Setenv("FAKECUDA_DEVICES", "2")
	inv, err := device.ReadInventory(context.Background(), exe)
	if err != nil {
		t.Fatal(err)
	}
	if len(inv.Devices) != 2 || inv.CUDA != "13.0" {
		t.Fatalf("got %+v", inv)
	}
	want := device.Info{Index: 1, Name: "Pretend GPU 1", ComputeCapability: "9.0",
		UUID: "GPU-fafafafa-fafa-fafa-fafa-fafafafafa01", TotalBytes: 1 << 30, FreeBytes: 1 << 29}
	if inv.Devices[1] != want {
		t.Errorf("got %+v, want %+v", inv.Devices[1], want)
	}
}

func TestNoDevice(t *testing.T) {
	exe := asChild(t)
	t.Setenv("FAKECUDA_DEVICES", "0")
	_, err := device.Detect(context.Background(), exe)
	if !errors.Is(err, device.ErrNoCUDA) || !strings.Contains(err.Error(), "driver says NoDevice") {
		t.Errorf("got %v", err)
	}
}

func TestDriverHangs(t *testing.T) {
	exe := asChild(t)
	t.Setenv("FAKECUDA_HANG", "1")
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if _, err := device.Detect(ctx, exe); err == nil || errors.Is(err, device.ErrNoCUDA) {
		t.Errorf("got %v, want an error that does not claim to know that there is no device", err)
	}
}

func TestCanaryPasses(t *testing.T) {
	r, err := device.RunCanary(context.Background(), device.CanaryRequest{Exe: asChild(t), Index: 0})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != finding.StatusPass || len(r.Steps) != 13 {
		t.Errorf("%s: %s, %d steps", r.Status, r.Reason, len(r.Steps))
	}
	for _, s := range r.Steps {
		if s.Status != finding.StatusPass {
			t.Errorf("%+v", s)
		}
	}
}

// A driver that lets one violation through, or answers it otherwise than measured, makes the canary fail: once for
// every row that the canary relies on.
func TestOneFlippedCodeFails(t *testing.T) {
	exe := asChild(t)
	measured, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	flipped := 0
	for line := range strings.Lines(string(measured)) {
		f := strings.Split(line, "\t")
		if len(f) != 8 || f[0] != "global" || f[2] == "0" && f[5] == "0" || !canaryCommits(f[1]) {
			continue
		}
		flipped++
		for _, to := range []struct{ call, after, end, reason string }{
			{"0", "active", "0", "cannot see"},
			{"999", f[4], "999", "measure it again"},
		} {
			g := append([]string(nil), f...)
			if g[2] != "0" {
				g[2] = to.call
			}
			g[4], g[5] = to.after, to.end
			t.Setenv("FAKECUDA_TABLE", write1(t, strings.Replace(string(measured), line, strings.Join(g, "\t"), 1)))
			r, err := device.RunCanary(context.Background(), device.CanaryRequest{Exe: exe, Index: 0})
			if err != nil {
				t.Errorf("%s: %v", f[1], err)
				continue
			}
			if r.Status != finding.StatusFail || !strings.HasPrefix(r.Reason, f[1]+": ") || !strings.Contains(r.Reason, to.reason) {
				t.Errorf("%s flipped to %v: %s %q", f[1], to, r.Status, r.Reason)
			}
		}
	}
	if flipped != 9 {
		t.Errorf("%d rows flipped, want one for each violation that the driver refuses", flipped)
	}
}

// Every detector of the Go part can be switched off, and the canary then fails and names it: a gate that is blind says so.
func TestOneDetectorOffFails(t *testing.T) {
	exe := asChild(t)
	for _, tt := range []struct{ name, reason string }{
		{device.DetectCapture, "cuStreamSynchronize(captured): the gate cannot see it"},
		{device.DetectWork, "cuMemcpyDtoH (sync, pageable): the gate cannot see it"},
		{device.DetectReplay, "host value frozen into the graph: the gate cannot see it"},
		{device.DetectProbe, "detector probe is switched off"},
		{device.DetectTorch, "detector torch is switched off"},
		{"no-such-detector", "detector no-such-detector is switched off"},
	} {
		t.Setenv(device.EnvDisable, tt.name)
		r, err := device.RunCanary(context.Background(), device.CanaryRequest{Exe: exe, Index: 0})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if r.Status != finding.StatusFail || !strings.HasPrefix(r.Reason, tt.reason) || !strings.Contains(r.Reason, device.EnvDisable) {
			t.Errorf("%s: %s %q", tt.name, r.Status, r.Reason)
		}
	}
}

func canaryCommits(call string) bool {
	for _, name := range []string{"cuStreamSynchronize(captured)", "cuStreamQuery(captured)", "cuStreamSynchronize(other stream)",
		"cuCtxSynchronize", "cuMemAlloc", "cuEventQuery(captured event)", "cuEventSynchronize(captured event)",
		"wait on event recorded before capture", "fork to side stream, never joined"} {
		if name == call {
			return true
		}
	}
	return false
}

func write1(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.tsv")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestExitCodes(t *testing.T) {
	exe := asChild(t)
	t.Setenv("FAKECUDA_TABLE", filepath.Join(t.TempDir(), "missing"))
	if r, err := device.RunCanary(context.Background(), device.CanaryRequest{Exe: exe, Index: 0}); err == nil {
		t.Errorf("a driver that dies: %+v", r)
	}
	if r, err := device.RunCanary(context.Background(), device.CanaryRequest{Exe: exe, Index: 7}); err == nil {
		t.Errorf("a device that is not there: %+v", r)
	}
}
