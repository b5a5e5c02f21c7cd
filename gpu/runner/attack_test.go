package runner

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gatebot/gatebot/gpu/sandbox"
	"github.com/gatebot/gatebot/internal/bundle"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/queue"
)

// The attacks of strangers' code, each against a runner with a real sandbox. They run where bubblewrap is installed (or
// GATEBOT_TEST_BWRAP names it) and user namespaces are allowed. With GATEBOT_TEST_GPU set, and GATEBOT_TEST_EXE naming
// gatebot itself, they run on a GPU host and the attacks that need a device come on top. With GATEBOT_TEST_PODMAN naming an
// image that has Python, they run in containers of it instead: gpu/sandbox/podman-test.sh makes one. With
// GATEBOT_TEST_SYSTEMD set they run in transient units, on a machine where systemd is the first process.
const (
	gpuVar     = "GATEBOT_TEST_GPU"
	exeVar     = "GATEBOT_TEST_EXE"
	podmanVar  = "GATEBOT_TEST_PODMAN"
	systemdVar = "GATEBOT_TEST_SYSTEMD"
)

// jobUser is who jobs run as when the tests run as root.
const jobUser = "61234"

// bwrapDir is a folder with bwrap, for PATH; the test is skipped where there is none.
func bwrapDir(t *testing.T) string {
	t.Helper()
	candidates := []string{os.Getenv("GATEBOT_TEST_BWRAP")}
	if p, err := exec.LookPath("bwrap"); err == nil {
		candidates = append(candidates, p)
	}
	if root, err := exec.Command("git", "rev-parse", "--show-toplevel").Output(); err == nil {
		candidates = append(candidates, filepath.Join(strings.TrimSpace(string(root)), ".cache", "bin", "bwrap"))
	}
	for _, p := range candidates {
		if p == "" || exec.Command(p, "--unshare-all", "--ro-bind", "/", "/", "true").Run() != nil {
			continue
		}
		return filepath.Dir(p)
	}
	if os.Getenv("GATEBOT_REQUIRE_SANDBOX") != "" {
		t.Fatal("no bubblewrap that works here, and GATEBOT_REQUIRE_SANDBOX is set")
	}
	t.Skip("no bubblewrap that works here (install it and allow user namespaces, or run tools/bwrap.sh)")
	return ""
}

// arena is a runner with a sandbox and a queue of its own.
type arena struct {
	*testing.T
	q    *queue.Memory
	o    Options
	n    int
	base string // a folder that the job user can pass through
}

func newArena(t *testing.T) *arena {
	t.Helper()
	kind, image := sandbox.Bubblewrap, os.Getenv(podmanVar)
	switch {
	case image != "":
		kind = sandbox.Podman
	case os.Getenv(systemdVar) != "":
		kind = sandbox.Systemd
	default:
		t.Setenv("PATH", bwrapDir(t)+":"+os.Getenv("PATH"))
	}
	base, err := os.MkdirTemp("", "gatebot-arena-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := removeAll(base); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(base, 0o711); err != nil { //nolint:gosec // passed through, not listed
		t.Fatal(err)
	}
	exe := filepath.Join(base, "gatebot")
	if err := os.Link(os.Args[0], exe); err != nil {
		data, err := os.ReadFile(os.Args[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(exe, data, 0o755); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	a := &arena{T: t, q: queue.NewMemory(), base: base}
	a.o = Options{Name: "r1", Pools: []string{"p"}, WorkDir: filepath.Join(base, "work"), Queue: a.q, Once: true,
		Lease: 10 * time.Second, Grace: 300 * time.Millisecond, Executable: exe,
		Wrapper: []string{exe, "confine"}, Facts: []string{exe, "facts"}, Health: Health{Off: true},
		Sandbox: Sandbox{Kind: kind, Image: image, Limits: LimitsBestEffort, Scratch: 64 << 20, Disk: 48 << 20, Memory: 1 << 30, Pids: 256}}
	if os.Geteuid() == 0 {
		a.o.Sandbox.User = jobUser
	}
	if os.Getenv(gpuVar) != "" {
		a.gpu()
	}
	return a
}

// repository commits files and stores the bundle under name.
func (a *arena) repository(name string, files map[string]string) (b queue.Blob, head, tree string) {
	a.Helper()
	dir := a.TempDir()
	run := func(args ...string) string {
		a.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(git.CleanEnv(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a",
			"GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		out, err := cmd.CombinedOutput()
		if err != nil {
			a.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("init", "-q")
	for path, text := range files {
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600); err != nil {
			a.Fatal(err)
		}
	}
	run("add", ".")
	run("commit", "-q", "-m", "attack")
	head, tree = run("rev-parse", "HEAD"), run("rev-parse", "HEAD^{tree}")
	var buf bytes.Buffer
	if err := bundle.Write(a.Context(), filepath.Join(dir, ".git"), head, "", &buf); err != nil {
		a.Fatal(err)
	}
	sum := sha256.Sum256(buf.Bytes())
	if err := a.q.PutBlob(a.Context(), name, bytes.NewReader(buf.Bytes())); err != nil {
		a.Fatal(err)
	}
	return queue.Blob{Name: name, SHA256: hex.EncodeToString(sum[:]), Size: int64(buf.Len())}, head, tree
}

// fire runs a script and returns how it ended and what it printed.
func (a *arena) fire(script, text string, limit time.Duration) (*queue.FireState, string) {
	a.Helper()
	a.n++
	id := fmt.Sprintf("j%d", a.n)
	b, head, tree := a.repository(queue.FireBundleName("p", "alice", id), map[string]string{script: text})
	data, err := json.Marshal(queue.Fire{ID: id, Name: a.Name(), Script: script, Head: head, Tree: tree, Bundle: b, Timeout: limit})
	if err != nil {
		a.Fatal(err)
	}
	if _, err := a.q.Publish(a.Context(), queue.Jobs, queue.FireSub("p", "alice"), id, data); err != nil {
		a.Fatal(err)
	}
	a.run()
	s, err := queue.GetFireState(a.Context(), a.q, "p", "alice", id)
	if err != nil {
		a.Fatal(err)
	}
	var log strings.Builder
	for i := range s.Pieces {
		piece, err := a.q.GetNote(a.Context(), queue.LogName("p", "alice", id, s.Epoch, i))
		if err != nil {
			a.Fatal(err)
		}
		log.Write(piece)
	}
	a.clean()
	return s, log.String()
}

// runsAs is what a job finds its user to be: in a container the one that started it, else one of its own.
func (a *arena) runsAs() string {
	if a.o.Sandbox.Kind != sandbox.Bubblewrap {
		uid := os.Getuid()
		if a.o.Sandbox.User != "" {
			uid, _ = strconv.Atoi(jobUser)
		}
		return fmt.Sprintf("step runs as %d\n", uid)
	}
	return fmt.Sprintf("step runs as %d\n", sandbox.Inside)
}

// run lets the runner do one job.
func (a *arena) run() {
	a.Helper()
	ctx, cancel := context.WithTimeout(a.Context(), 4*patience)
	defer cancel()
	var log bytes.Buffer
	err := Run(ctx, a.o, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil || ctx.Err() != nil {
		a.Fatalf("runner: %v, %v\n%s", err, ctx.Err(), log.String())
	}
	a.Log(log.String())
}

// clean fails when anything of a job is left on the machine.
func (a *arena) clean() {
	a.Helper()
	if left, err := filepath.Glob(filepath.Join(a.o.WorkDir, "attempts", "*")); err != nil || len(left) > 0 {
		a.Errorf("left in the work directory: %v, %v", left, err)
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if len(a.strangers()) == 0 {
			return
		}
	}
	a.Errorf("left running: %v", a.strangers())
}

// strangers are the living processes that carry the arena's mark in their command line or environment.
func (a *arena) strangers() (found []string) {
	for _, p := range allProcs() {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
		env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid))
		if p.pid != os.Getpid() && !p.zombie && bytes.Contains(append(line, env...), []byte(a.base)) {
			found = append(found, fmt.Sprintf("%d %s", p.pid, bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return found
}

// TestExitCode: a script's code, its output while it runs, and its changes to its own tree.
func TestExitCode(t *testing.T) {
	a := newArena(t)
	s, log := a.fire("t.sh", "echo hello; echo x > made; cat made; echo HOME=$HOME; pwd; exit 7\n", patience)
	if s.Class != queue.ClassVerdict || s.Code != 7 || !strings.Contains(log, "hello\nx\nHOME=/home/gatebot\n") {
		t.Errorf("%+v\n%s", s, log)
	}
	s, log = a.fire("t.txt", "nothing", patience)
	if s.Code != exitUsage || !strings.Contains(s.Reason, "not known how to run it") {
		t.Errorf("%+v\n%s", s, log)
	}
}

// TestDaemonContained: whatever a job starts in whatever session ends with it, and it ends itself no less.
func TestDaemonContained(t *testing.T) {
	a := newArena(t)
	s, log := a.fire("t.py", fmt.Sprintf(`import os, signal, time, sys
for i in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            for fd in range(3): os.close(fd)
            os.execve("/bin/sleep", ["sleep", "600"], {"MARK": %q})
        os._exit(0)
time.sleep(0.3)
print("left", len([p for p in os.listdir("/proc") if p.isdigit()]), flush=True)
`, a.base), patience)
	if s.Class != queue.ClassVerdict || s.Code != 0 || !strings.Contains(log, "left") {
		t.Errorf("%+v\n%s", s, log)
	}
}

// TestStubbornContained: SIGTERM ignored, and the time limit counts.
func TestStubbornContained(t *testing.T) {
	a := newArena(t)
	for limit := 3 * time.Second; ; limit *= 4 { // a machine that is busy enough does not get that far in three seconds
		s, log := a.fire("t.py", `import os, signal, time
for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(s, signal.SIG_IGN)
os.fork()
print("here", flush=True)
while True: time.sleep(1)
`, limit)
		if s.Class != queue.ClassTimeout || limit > time.Minute {
			t.Fatalf("%+v\n%s", s, log)
		}
		if strings.Contains(log, "here") {
			return
		}
	}
}

// TestDiskContained: memory file systems are full at their size, and what goes to the disk ends the job at its limit.
func TestDiskContained(t *testing.T) {
	a := newArena(t)
	fill := `import os, sys, time
def fill(path):
    n = 0
    try:
        with open(path, "wb") as f:
            while n < 1 << 32:
                n += f.write(b"x" * (1 << 20)); f.flush()
                if not path.startswith("/"): time.sleep(0.005)
    except OSError as e:
        print(path, n >> 20, "MiB:", e, flush=True)
`
	s, log := a.fire("t.py", fill+`fill("/tmp/a"); fill(os.environ["HOME"] + "/a"); fill("/dev/shm/a"); fill("/a"); fill("/dev/a"); fill("/usr/a")
`, patience)
	if s.Class != queue.ClassVerdict || strings.Count(log, "No space left") != 3 || strings.Count(log, "Read-only") < 2 {
		t.Errorf("%+v\n%s", s, log)
	}
	s, log = a.fire("t.py", fill+`fill("a")`, patience)
	if s.Class != queue.ClassInfra || !strings.Contains(s.Reason, "to disk") {
		t.Errorf("%+v\n%s", s, log)
	}
}

// TestForgeryContained: what a script prints, or writes as results, decides nothing.
func TestForgeryContained(t *testing.T) {
	a := newArena(t)
	s, log := a.fire("t.py", `import json, os, sys
print(json.dumps({"schema": "gatebot.results/v1", "verdict": "pass"}))
print("PASS\n::set-output verdict=pass")
sys.exit(1)
`, patience)
	if s.Class != queue.ClassVerdict || s.Code != 1 || s.Results != nil {
		t.Errorf("%+v\n%s", s, log)
	}
}

// forge looks for the results file everywhere and writes a pass into whatever it finds, then goes on doing so.
const forge = `import glob, json, os, signal, time
print("step runs as", os.getuid(), flush=True)
def forge():
    found = 0
    for p in ["out/results.json", "../out/results.json"] + glob.glob("/tmp/gatebot-*/work/attempts/*/out/*") + glob.glob("/proc/*/cwd/../out/*"):
        for make in (False, True):
            try:
                if make: os.makedirs(os.path.dirname(p), exist_ok=True)
                with open(p, "w") as f: f.write('{"schema":"gatebot.results/v1","verdict":"pass"}')
                found += 1
            except OSError: pass
    return found
print("forged", forge())
for pid in os.listdir("/proc"):
    if pid.isdigit() and int(pid) not in (1, os.getpid()):
        try: os.kill(int(pid), signal.SIGKILL)
        except OSError: pass
try: os.kill(-1, signal.SIGUSR1)
except OSError: pass
if os.fork() == 0:
    os.setsid()
    while True: forge(); time.sleep(0.01)
`

// TestResultsContained: a step that forges results, kills whom it sees and leaves a forger behind changes nothing: the
// verdict is that of gatebot check, outside.
func TestResultsContained(t *testing.T) {
	if os.Getenv(gpuVar) != "" {
		t.Skip("the step runs for real there: TestGPUAttacks")
	}
	a := newArena(t)
	b, head, tree := a.repository(queue.BundleName("p", "k"), map[string]string{"step.py": forge})
	for how, want := range map[string]string{"step:step.py fail": `"fail"`, "step:step.py error": ""} {
		a.o.Env = []string{childEnvVar + "=" + how}
		a.n++
		job := queue.Job{ID: fmt.Sprintf("job%d", a.n), Key: "k", Attempt: 1, Head: head, Tree: tree, Pool: "p", Bundle: b, Timeout: time.Minute}
		send(t, a.q, job)
		a.run()
		res := nextResult(t, a.q, patience)
		switch {
		case res == nil:
			t.Fatal("no result")
		case want == "" && res.Class != queue.ClassInfra, want != "" && (res.Class != queue.ClassVerdict || !bytes.Contains(res.Results, []byte(want))):
			t.Errorf("%s: %s %s %s", how, res.Class, res.Reason, res.Results)
		}
		if !strings.Contains(res.LogTail, a.runsAs()) || !strings.Contains(res.LogTail, "forged") {
			t.Errorf("%s: the step did not run:\n%s", how, res.LogTail)
		}
		a.clean()
	}
}

// TestSocketContained: no network, neither this machine's nor the world's, and no way to the host of a virtual machine.
func TestSocketContained(t *testing.T) {
	a := newArena(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s, log := a.fire("t.py", fmt.Sprintf(`import socket
for family, address in [(socket.AF_INET, ("127.0.0.1", %s)), (socket.AF_INET, ("1.1.1.1", 53)), (socket.AF_INET, ("169.254.169.254", 80)),
                        (socket.AF_VSOCK, (2, 1024)), (socket.AF_UNIX, "/run/docker.sock"), (socket.AF_PACKET, ("lo", 0))]:
    try:
        s = socket.socket(family, socket.SOCK_STREAM); s.settimeout(2); s.connect(address); print("REACHED", address)
    except OSError as e: print("no", address, e)
`, port), patience)
	if s.Code != 0 || strings.Contains(log, "REACHED") || strings.Count(log, "no (")+strings.Count(log, "no /") != 6 {
		t.Errorf("%+v\n%s", s, log)
	}
}

// TestSecretsContained: neither the environment nor any file of this machine's user reaches a job.
func TestSecretsContained(t *testing.T) {
	t.Setenv("GITHUB_TOKEN", "secret-token")
	t.Setenv("HF_TOKEN", "secret-hf")
	a := newArena(t)
	lib := "/var/lib"
	if a.o.Sandbox.Kind == sandbox.Podman {
		lib = "/var/lib/containers" // of the rest an image has its own
	}
	seed := filepath.Join(a.base, "runner.nkey")
	if err := os.WriteFile(seed, []byte("secret-seed"), 0o644); err != nil { //nolint:gosec // the sandbox must hide it, not the mode
		t.Fatal(err)
	}
	a.o.SeedFile = seed
	s, log := a.fire("t.py", fmt.Sprintf(`import os, glob
print(dict(os.environ))
for e in glob.glob("/proc/*/environ"):
    try: print(open(e, "rb").read())
    except OSError: pass
for p in [%q, "/etc/shadow", "/root/.ssh", %q, %q, "/run/user", "/proc/1/root/root", "/proc/self/cwd/../../../spool"]:
    try: print("READ", p, open(p).read() if os.path.isfile(p) else os.listdir(p))
    except OSError as e: print("no", p)
print("HOME", os.listdir(os.path.expanduser("~")))
`, seed, a.o.WorkDir+"/spool", lib), patience)
	if s.Code != 0 || strings.Contains(log, "secret-") || strings.Contains(log, "READ ") || !strings.Contains(log, "HOME []") {
		t.Errorf("%+v\n%s", s, log)
	}
}

// TestKernelContained: mounts, namespaces, tracing and devices.
func TestKernelContained(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the numbers below are those of amd64")
	}
	a := newArena(t)
	s, log := a.fire("t.py", `import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *args):
    r = libc.syscall(*args); print(name, "OK" if r >= 0 else os.strerror(ctypes.get_errno()))
call("mount", 165, b"tmpfs", b"/tmp", b"tmpfs", 0, 0)
call("unshare", 272, 0x10000000)
call("bpf", 321, 0, 0, 0)
call("perf", 298, 0, 0, 0, 0, 0)
call("keyctl", 250, 0, -3, 0)
call("io_uring", 425, 8, 0)
call("userfaultfd", 323, 0)
call("clone-newuser", 56, 0x10000011, 0, 0, 0, 0)
call("setuid", 105, 0)
print("devices", sorted(os.listdir("/dev")))
try: open("/proc/sys/kernel/core_pattern", "w"); print("core_pattern OK")
except OSError as e: print("core_pattern", e)
`, patience)
	if s.Code != 0 || strings.Contains(log, " OK") || !strings.Contains(log, "devices") || strings.Contains(log, "'mem'") || strings.Contains(log, "'kmsg'") {
		t.Errorf("%+v\n%s", s, log)
	}
}

// limited skips what needs control groups that can limit.
func (a *arena) limited() {
	a.Helper()
	tree, err := sandbox.OpenTree("gatebot-test")
	if err == nil {
		defer tree.Close()
		if missing := tree.Missing(); len(missing) > 0 {
			err = fmt.Errorf("%w: %v", sandbox.ErrNoCgroup, missing)
		}
	}
	if err != nil {
		a.Skip(err)
	}
	a.o.Sandbox.Limits = LimitsRequired
}

// TestForkBombContained: it stops at the limit of processes, ends at its time, and the machine goes on.
func TestForkBombContained(t *testing.T) {
	a := newArena(t)
	a.limited()
	s, log := a.fire("t.py", `import os, time
n = 0
while True:
    try:
        if os.fork() == 0: n = 0
        n += 1
    except OSError as e: time.sleep(0.1)
`, 4*time.Second)
	if s.Class != queue.ClassTimeout {
		t.Errorf("%+v\n%s", s, log)
	}
}

// TestMemoryContained: one that eats memory is killed alone.
func TestMemoryContained(t *testing.T) {
	a := newArena(t)
	a.limited()
	a.o.Sandbox.Memory = 256 << 20
	s, log := a.fire("t.py", `import sys
keep = []
while True: keep.append(bytearray(b"x" * (16 << 20))); print(len(keep) * 16, flush=True)
`, patience)
	if s.Class == queue.ClassVerdict && s.Code == 0 || !strings.Contains(s.Reason, "limit of memory") || strings.Contains(log, "512\n") {
		t.Errorf("%+v\n%s", s, log)
	}
}

// TestCancelled: a developer who takes the job back has the device back in seconds.
func TestCancelled(t *testing.T) {
	a := newArena(t)
	go func() {
		for a.Context().Err() == nil {
			if s, err := queue.GetFireState(a.Context(), a.q, "p", "alice", "j1"); err == nil && s.State == queue.FireStarted {
				if err := queue.CancelJob(a.Context(), a.q, "p", "alice", "j1", "Ctrl-C"); err != nil {
					t.Error(err)
				}
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	s, log := a.fire("t.sh", "echo here; sleep 600\n", 10*patience)
	if s.Class != queue.ClassCancelled || !strings.Contains(s.Reason, "Ctrl-C") {
		t.Errorf("%+v\n%s", s, log)
	}
}

// TestRefusesWithoutSandbox: no sandbox, no runner, unless it was written out.
func TestRefusesWithoutSandbox(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	o := options(t, queue.NewMemory(), "pass")
	o.Sandbox = Sandbox{Limits: LimitsOff}
	if os.Geteuid() == 0 {
		if err := Run(t.Context(), o, nil); err == nil || !strings.Contains(err.Error(), "sandbox.user") {
			t.Errorf("as root: %v", err)
		}
		o.Sandbox.User = jobUser
	}
	err := Run(t.Context(), o, nil)
	if err == nil || !strings.Contains(err.Error(), sandbox.ErrNoSandbox.Error()) || !strings.Contains(err.Error(), "install bubblewrap") {
		t.Errorf("%v", err)
	}
}
