package doctor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/gpu/probelib"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/doctor"
)

const inventory = `{"schema":"gatebot.inventory/v1","driver":"580.1","cuda":"13.0","devices":[{"index":0,"name":"NVIDIA B200","compute_capability":"10.0","uuid":"GPU-1","total_bytes":2097152,"free_bytes":1048576}]}`

// host answers for gatebot-gpu and nvidia-smi with scripts.
func host(t *testing.T, inv, canary, smi string) *Host {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	exe := write("gatebot-gpu", "case $1 in inventory) "+inv+";; canary) "+canary+";; esac")
	if smi != "" {
		write("nvidia-smi", smi)
	}
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	t.Setenv(probelib.EnvLibrary, write("gatebot-probe.so", ""))
	return &Host{Exe: exe, Python: "python3"}
}

func TestChecks(t *testing.T) {
	const (
		there   = "echo '" + inventory + "'"
		none    = `echo 'gatebot-gpu: inventory: no CUDA device: driver sees none' >&2; exit 3`
		pass    = `echo '{"schema":"gatebot.canary/v1","status":"pass","steps":[{"name":"a","status":"pass"}],"python":{"status":"pass","version":"3.12.3","torch":"2.11"}}'`
		goOnly  = `echo '{"schema":"gatebot.canary/v1","status":"pass","steps":[{"name":"a","status":"pass"}],"python":{"status":"not_run","reason":"no torch"}}'`
		blind   = `echo '{"schema":"gatebot.canary/v1","status":"fail","reason":"a: blind","steps":[{"name":"a","status":"fail","reason":"blind"}]}'; exit 1`
		died    = `echo '{"schema":"gatebot.canary/v1","status":"error","reason":"python: died","steps":[]}'; exit 3`
		healthy = `case $1 in --query-gpu=*) echo "0, NVIDIA B200, GPU-1, 00000000:18:00.0, 580.1, 100, 1, 99, 10.0, Enabled, 0, 0, 0, Default, [N/A], 31";; esac`
		ecc     = `case $1 in --query-gpu=*) echo "0, NVIDIA B200, GPU-1, 00000000:18:00.0, 580.1, 100, 1, 99, 10.0, Enabled, 5, 0, 9, Default, [N/A], 31";; esac`
	)
	asks := func(name, cc string) *config.Config {
		c := config.Default()
		c.Device = config.Device{Name: name, MinComputeCapability: cc}
		return c
	}
	for _, tt := range []struct {
		name             string
		inv, canary, smi string
		change           func(*Host)
		want             string // check=status, blank-separated
		code             int
		says             string
	}{
		{"all well", there, pass, healthy, nil, "gpu=ok device=not_applicable health=ok probe=ok canary=ok", 0, "1 steps in Go and in Python 3.12.3 with torch 2.11"},
		{"no device", none, pass, "", nil, "gpu=not_applicable device=not_applicable health=not_applicable probe=not_applicable canary=not_applicable", 0, "driver sees none"},
		{"no device where one is required", none, pass, "", func(h *Host) { h.Require = true },
			"gpu=fail device=not_applicable health=not_applicable probe=not_applicable canary=not_applicable", 3, "driver sees none"},
		{"a device and no nvidia-smi", there, pass, "", nil, "gpu=ok device=not_applicable health=warn probe=ok canary=ok", 0, "stay unseen"},
		{"nvidia-smi fails", there, pass, "echo lost; exit 15", nil, "gpu=ok device=not_applicable health=fail probe=ok canary=ok", 3, "exit code 15: lost"},
		{"ECC", there, pass, ecc, nil, "gpu=ok device=not_applicable health=fail probe=ok canary=ok", 3, "5 uncorrected ECC errors"},
		{"no CUDA and a broken card", none, pass, ecc, nil, "gpu=not_applicable device=not_applicable health=fail probe=not_applicable canary=not_applicable", 3, "not to be trusted"},
		{"the right device", there, pass, healthy, func(h *Host) { h.Config = asks("b200", "10.0") }, "gpu=ok device=ok health=ok probe=ok canary=ok", 0, "device 0, NVIDIA B200"},
		{"another device", there, pass, healthy, func(h *Host) { h.Config = asks("GB300", "") }, "gpu=ok device=fail health=ok probe=ok canary=ok", 1, "the configuration asks for GB300"},
		{"too old a device", there, pass, healthy, func(h *Host) { h.Config = asks("", "12.0") }, "gpu=ok device=fail health=ok probe=ok canary=ok", 1, "has compute capability 10.0, the configuration asks for 12.0"},
		{"no torch", there, goOnly, healthy, nil, "gpu=ok device=not_applicable health=ok probe=ok canary=warn", 0, "did not run: no torch"},
		{"the second of two devices is blind", "echo '" + strings.Replace(inventory, `}]}`, `},{"index":1,"name":"NVIDIA B200","compute_capability":"10.0","uuid":"GPU-2"}]}`, 1) + "'",
			`case $4 in 0) ` + pass + `;; *) ` + blind + `;; esac`, healthy, nil, "gpu=ok device=not_applicable health=ok probe=ok canary=fail", 1, "device 1: a: blind"},
		{"a blind detector", there, blind, healthy, nil, "gpu=ok device=not_applicable health=ok probe=ok canary=fail", 1, "a: blind"},
		{"a canary that dies", there, died, healthy, nil, "gpu=ok device=not_applicable health=ok probe=ok canary=fail", 3, "did not come to its end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := host(t, tt.inv, tt.canary, tt.smi)
			if tt.change != nil {
				tt.change(h)
			}
			rep := h.Checks().Run(context.Background(), nil)
			var got []string
			var text strings.Builder
			for _, l := range rep.Lines {
				got = append(got, l.Check+"="+string(l.Status))
				text.WriteString(l.What + "\n" + strings.Join(l.More, "\n") + "\n")
				if l.Status == doctor.Fail && l.Do == "" {
					t.Errorf("%s fails and says nothing about what to do", l.Check)
				}
			}
			if s := strings.Join(got, " "); s != tt.want || rep.ExitCode() != tt.code {
				t.Errorf("got %s, exit code %d\nwant %s, exit code %d", s, rep.ExitCode(), tt.want, tt.code)
			}
			if !strings.Contains(text.String(), tt.says) {
				t.Errorf("%q is not in\n%s", tt.says, &text)
			}
		})
	}
}
