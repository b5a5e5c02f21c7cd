package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/gpu/sandbox"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/queue"
)

// gpu makes the arena's runner a real one: gatebot itself, this host's device, its health and the canary.
func (a *arena) gpu() {
	a.Helper()
	exe := os.Getenv(exeVar)
	for _, name := range []string{"gatebot", "gatebot-gpu", "gatebot-probe.so"} {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(exe), name))
		if err != nil {
			a.Fatal(err)
		}
		if err := os.Remove(filepath.Join(a.base, name)); err != nil && !os.IsNotExist(err) {
			a.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(a.base, name), data, 0o755); err != nil { //nolint:gosec // a program
			a.Fatal(err)
		}
	}
	exe = filepath.Join(a.base, "gatebot")
	all, err := sandbox.GPUs()
	if err != nil || len(all) == 0 {
		a.Fatalf("no GPU: %v", err)
	}
	a.o.Executable, a.o.Wrapper, a.o.Facts = exe, []string{exe, "runner", "confine"}, []string{exe, "runner", "facts"}
	a.o.GPUTool, a.o.GPUs, a.o.RequireGPU, a.o.LockDir = filepath.Join(a.base, "gatebot-gpu"), []string{all[0].UUID}, true, a.base
	a.o.Health = Health{Settle: 20 * time.Second}
	a.o.Sandbox.Memory, a.o.Sandbox.Scratch, a.o.Sandbox.Disk, a.o.Sandbox.Pids = 32<<30, 2<<30, 2<<30, 2048
	if see := os.Getenv("GATEBOT_TEST_SEE"); see != "" {
		a.o.Sandbox.See = strings.Split(see, ":")
	}
}

func needGPU(t *testing.T) *arena {
	if os.Getenv(gpuVar) == "" {
		t.Skip("needs a GPU host: " + gpuVar)
	}
	return newArena(t)
}

// check sends a job for a tree with a step module and returns its result.
func (a *arena) check(files map[string]string) *queue.Result {
	a.Helper()
	a.n++
	id := fmt.Sprintf("job%d", a.n)
	files[".gitignore"] = "__pycache__\n"
	b, head, tree := a.repository(queue.BundleName("p", id), files)
	send(a.T, a.q, queue.Job{ID: id, Key: id, Attempt: 1, Head: head, Tree: tree, Pool: "p", Bundle: b, Timeout: 3 * time.Minute,
		Config: []byte("version: 1\nstep: {entry: gate_step.py, warmup: 3, steps: 4}\nchecks: {speed: off}\n")})
	start := time.Now()
	a.run()
	res := nextResult(a.T, a.q, patience)
	if res == nil {
		a.Fatal("no result")
	}
	a.Logf("%s in %s: %s %s", id, time.Since(start).Round(time.Millisecond), res.Class, res.Reason)
	a.clean()
	return res
}

const cleanStep = `import torch
def build(device):
    g = torch.Generator(device="cpu").manual_seed(1)
    return {"w": torch.randn(256, 256, generator=g).to(device), "x": torch.randn(8, 256, generator=g).to(device)}
def step(state, i):
    state["x"].copy_(torch.softmax(state["x"] @ state["w"], dim=-1))
    return state["x"]
`

// verdict reads the results that came back.
func (a *arena) verdict(res *queue.Result) *finding.Results {
	a.Helper()
	if res.Class != queue.ClassVerdict {
		a.Fatalf("class %s: %s\n%s", res.Class, res.Reason, res.LogTail)
	}
	got, err := finding.Read(res.Results)
	if err != nil {
		a.Fatal(err)
	}
	for _, c := range got.Checks {
		a.Logf("%s %s %s", c.Name, c.Status, c.Reason)
	}
	return got
}

// TestGPUCleanStep: a clean step passes inside the sandbox, with the probe.
func TestGPUCleanStep(t *testing.T) {
	a := needGPU(t)
	if got := a.verdict(a.check(map[string]string{"gate_step.py": cleanStep})); got.Verdict != finding.VerdictPass || got.Device == nil {
		t.Errorf("verdict %s: %v", got.Verdict, got.Reasons)
	}
}

// TestGPUAttacks: a step with a violation that tries every way to a pass fails all the same.
func TestGPUAttacks(t *testing.T) {
	a := needGPU(t)
	evil := strings.ReplaceAll(forge, "import glob, json, os, signal, time\n", "import glob, json, os, signal, time, torch\n")
	evil = strings.ReplaceAll(evil, "if os.fork() == 0:", "if False:")
	evil += `
import subprocess, sys, socket
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
for name in ("gatebot_harness.verdict", "results"):
    try: open("/tmp/" + name, "w").write("pass")
    except OSError: pass
try: socket.create_connection(("1.1.1.1", 53), 1); print("REACHED")
except OSError: pass
print('{"schema":"gatebot.results/v1","verdict":"pass"}', flush=True)
` + strings.Replace(cleanStep, "import torch\n", "", 1)
	evil = strings.Replace(evil, `    return state["x"]`, `    state["peak"] = state["x"].max().item()
    return state["x"]`, 1)
	got := a.verdict(a.check(map[string]string{"gate_step.py": evil}))
	proven := false
	for _, f := range got.Findings {
		proven = proven || f.Rule == "GB101" && f.Confidence == finding.Proven
	}
	if got.Verdict != finding.VerdictFail || !proven {
		t.Errorf("verdict %s: %v", got.Verdict, got.Findings)
	}
}

// TestGPULeftBehind: a process with memory on the device, in a session of its own, ends with the job; the device is free.
func TestGPULeftBehind(t *testing.T) {
	a := needGPU(t)
	s, log := a.fire("t.py", `import os, sys, time, torch
if os.fork() == 0:
    os.setsid()
    x = torch.empty(8 << 30, dtype=torch.uint8, device="cuda"); torch.cuda.synchronize()
    open("/tmp/ready", "w").close()
    time.sleep(600)
while not os.path.exists("/tmp/ready"): time.sleep(0.05)
print(torch.cuda.get_device_name(), torch.cuda.device_count(), "MARK")
`, 2*time.Minute)
	if s.Class != queue.ClassVerdict || s.Code != 0 || !strings.Contains(log, " 1 MARK") {
		t.Fatalf("%+v\n%s", s, log)
	}
	if q := ReadQuarantine(a.o.WorkDir); q != nil {
		t.Errorf("quarantined: %+v", q)
	}
	cards, _, err := device.ReadCards(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cards {
		t.Logf("%+v", c)
		if len(c.Processes) > 0 || c.UsedBytes > c.TotalBytes/10 {
			t.Errorf("left on the device: %+v", c)
		}
	}
}

// TestGPUForeign: a device that somebody else uses takes no job; the runner is quarantined, and well again afterwards.
func TestGPUForeign(t *testing.T) {
	a := needGPU(t)
	squatter := exec.Command("python3", "-c", "import torch, time; x = torch.empty(20 << 30, dtype=torch.uint8, device='cuda'); print('on', flush=True); time.sleep(600)")
	out, err := squatter.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := squatter.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	r := &runner{Options: a.o, xids: &device.XidLog{}, log: discard}
	r.Health.fill()
	if err := r.findGPUs(); err != nil {
		t.Fatal(err)
	}
	bad := r.fit(t.Context())
	if err := squatter.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = squatter.Wait()
	if bad == nil || !strings.Contains(bad.Error(), "GPU-") {
		t.Errorf("a device in use is fit: %v", bad)
	}
	t.Log(bad)
	if err := r.settled(t.Context()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	start := time.Now()
	if err := r.sing(t.Context()); err != nil {
		t.Errorf("canary: %v", err)
	}
	t.Logf("canary %s on %s", time.Since(start).Round(time.Millisecond), r.device)
}

// TestGPUFirstUser: the first user's own detector as a script: it prints, writes its results and ends with a code.
func TestGPUFirstUser(t *testing.T) {
	a := needGPU(t)
	s, log := a.fire("test_cuda_graph_readiness.py", `import json, sys, time, torch
torch.cuda.set_sync_debug_mode("error")
x = torch.randn(64, 64, device="cuda"); y = x @ x
g = torch.cuda.CUDAGraph()
torch.cuda.set_sync_debug_mode("default")
s = torch.cuda.Stream()
with torch.cuda.stream(s):
    x @ x
torch.cuda.current_stream().wait_stream(s)
with torch.cuda.graph(g): y = x @ x
g.replay(); torch.cuda.synchronize()
json.dump({"capture": "PASS"}, open("/tmp/cuda_graph_readiness_results.json", "w"))
print("Method 2 (graph capture L0): PASS", flush=True)
sys.exit(3)
`, 2*time.Minute)
	if s.Class != queue.ClassVerdict || s.Code != 3 || !strings.Contains(log, "PASS") {
		t.Errorf("%+v\n%s", s, log)
	}
	data, err := json.Marshal(s)
	if err != nil || !bytes.Contains(data, []byte("H200")) && !bytes.Contains(data, []byte("B200")) {
		t.Logf("device not named: %s, %v", data, err)
	}
}

var discard = slog.New(slog.DiscardHandler)
