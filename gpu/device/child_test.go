package device

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/program"
)

// script writes a gatebot-gpu that is a shell script.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), ChildName)
	program.Write(t, path, "#!/bin/sh\n"+text+"\n")
	return path
}

const oneDevice = `{"schema":"gatebot.inventory/v1","driver":"580.1","cuda":"13.0","devices":[{"index":0,"name":"B200","compute_capability":"10.0","uuid":"GPU-1"}]}`

func TestDetect(t *testing.T) {
	got, err := Detect(context.Background(), script(t, "echo a warning >&2; echo '"+oneDevice+"'"))
	want := finding.Device{Name: "B200", ComputeCapability: "10.0", Driver: "580.1", CUDA: "13.0", UUID: "GPU-1"}
	if err != nil || *got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

// Whatever goes wrong, the error says which way, and only the absence of a device is ErrNoCUDA.
func TestDetectSaysWhy(t *testing.T) {
	none := true
	for _, tt := range []struct {
		name, script string
		noCUDA       bool
		says         string
	}{
		{"no driver", "echo 'gatebot-gpu: error while loading shared libraries: libcuda.so.1: cannot open shared object file' >&2; exit 127",
			none, "no CUDA device: no NVIDIA driver on this machine (libcuda.so.1 does not load)"},
		{"driver without a device", `echo 'Error in initialization, please refer to "https://x" for details on: NoDevice'; exit 1`,
			none, "no CUDA device: driver says NoDevice"},
		{"built without cuda", "echo 'gatebot-gpu: inventory: no CUDA device: built without the tag cuda' >&2; exit 3",
			none, "no CUDA device: built without the tag cuda"},
		{"no devices", `echo '{"schema":"gatebot.inventory/v1","driver":"580.1"}'`, none, "driver 580.1 sees none"},
		{"silence", "true", false, "exit code 0, output \"\""},
		{"crash", "kill -SEGV $$", false, "segmentation fault"},
		{"half a document", "echo '{\"schema\":'", false, "unexpected end"},
		{"another version", `echo '{"schema":"gatebot.inventory/v2"}'`, false, "another version"},
		{"other output", "echo nonsense; exit 5", false, "exit code 5"},
		{"endless output", "yes", false, "no answer in time"},
		{"hang", "sleep 100", false, "no answer in time"},
		{"hang in a child", "sleep 100 & wait", false, "no answer in time"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			limit := 2 * time.Minute
			if tt.says == "no answer in time" {
				limit = 2 * time.Second
			}
			ctx, cancel := context.WithTimeout(context.Background(), limit)
			defer cancel()
			d, err := Detect(ctx, script(t, tt.script))
			if d != nil || err == nil {
				t.Fatalf("got %v, %v", d, err)
			}
			if !strings.Contains(err.Error(), tt.says) || errors.Is(err, ErrNoCUDA) != tt.noCUDA {
				t.Errorf("%q (no device: %v), want %q (%v)", err, errors.Is(err, ErrNoCUDA), tt.says, tt.noCUDA)
			}
		})
	}
}

func TestDetectWithoutExecutable(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, exe := range []string{"", "/nowhere/gatebot-gpu"} {
		_, err := Detect(context.Background(), exe)
		if !errors.Is(err, ErrNoCUDA) || !strings.Contains(err.Error(), "not found") {
			t.Errorf("%q: %v", exe, err)
		}
	}
	t.Setenv("PATH", filepath.Dir(script(t, "echo '"+oneDevice+"'"))+":/bin:/usr/bin")
	if _, err := Detect(context.Background(), ""); err != nil {
		t.Errorf("on PATH: %v", err)
	}
}

func TestRunCanary(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		want         finding.Status
		ok           bool
	}{
		{"pass", `echo '{"schema":"gatebot.canary/v1","status":"pass"}'`, finding.StatusPass, true},
		{"fail", `echo '{"schema":"gatebot.canary/v1","status":"fail"}'; exit 1`, finding.StatusFail, true},
		{"arguments", `[ "$*" = "canary --json --device 3 --python none" ] && echo '{"schema":"gatebot.canary/v1","status":"pass"}'`, finding.StatusPass, true},
		{"pass with a bad exit", `echo '{"schema":"gatebot.canary/v1","status":"pass"}'; exit 3`, "", false},
		{"fail with a good exit", `echo '{"schema":"gatebot.canary/v1","status":"fail"}'`, "", false},
		{"no document", "exit 0", "", false},
		{"no schema", "echo '{}'", "", false},
	} {
		r, err := RunCanary(context.Background(), CanaryRequest{Exe: script(t, tt.script), Index: 3})
		if (err == nil) != tt.ok || tt.ok && r.Status != tt.want {
			t.Errorf("%s: %+v, %v", tt.name, r, err)
		}
	}
}

// TestConfinedCanary: it is started through the command that is given, which is told what must be visible.
func TestConfinedCanary(t *testing.T) {
	exe := script(t, `[ "$A" = 1 ] && echo '{"schema":"gatebot.canary/v1","status":"pass"}'`)
	wrap := script(t, `[ "$1 $2 $3 $4 $5" = "spec --see `+filepath.Dir(exe)+` --see /probe.so" ] && shift 6 && exec "$@"`)
	r, err := RunCanary(context.Background(), CanaryRequest{Exe: exe, Python: "python3", Env: []string{"A=1"}, Wrap: []string{wrap, "spec"}, See: []string{"/probe.so"}})
	if err != nil || r.Status != finding.StatusPass {
		t.Errorf("%+v, %v", r, err)
	}
}
