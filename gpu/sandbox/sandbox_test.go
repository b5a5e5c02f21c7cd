package sandbox

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestHolds: each thing that a job must not have is named; the facts of this very process never hold.
func TestHolds(t *testing.T) {
	t.Parallel()
	good := Facts{UID: Inside, Caps: "0000000000000000", NoNewPrivs: "1", Seccomp: "2", Interfaces: []string{"lo"}, Processes: 2,
		Devices: []string{"/dev/nvidia0"}}
	if err := good.Holds([]string{"/dev/nvidia0"}); err != nil {
		t.Errorf("a good sandbox: %v", err)
	}
	for want, spoil := range map[string]func(*Facts){
		"root":                   func(f *Facts) { f.UID = 0 },
		"capabilities":           func(f *Facts) { f.Caps = "0000000000000001" },
		"capabilities ()":        func(f *Facts) { f.Caps = "" },
		"gain privileges":        func(f *Facts) { f.NoNewPrivs = "0" },
		"not filtered":           func(f *Facts) { f.Seccomp = "0" },
		"interface eth0":         func(f *Facts) { f.Interfaces = []string{"lo", "eth0"} },
		"sees 300 processes":     func(f *Facts) { f.Processes = 300 },
		"write to /usr":          func(f *Facts) { f.Writable = []string{"/usr"} },
		"read /root":             func(f *Facts) { f.Readable = []string{"/root"} },
		"user namespaces":        func(f *Facts) { f.Namespaces = true },
		"host of this virtual":   func(f *Facts) { f.Vsock = true },
		"the device /dev/nvidia": func(f *Facts) { f.Devices = []string{"/dev/nvidia0", "/dev/nvidia1"} },
	} {
		f := good
		spoil(&f)
		if err := f.Holds([]string{"/dev/nvidia0"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if f := Inspect([]string{"/etc/passwd"}); f.Holds(nil) == nil {
		t.Errorf("this process is taken for confined: %+v", f)
	}
}

// TestOfThisMachine: an image's own file is no secret of this machine, and what cannot be told apart is taken for one.
func TestOfThisMachine(t *testing.T) {
	t.Parallel()
	mine := filepath.Join(t.TempDir(), "mine")
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(t.TempDir(), "gone")
	f := Inspect([]string{mine, gone})
	if !slices.Equal(f.Readable, []string{mine}) {
		t.Fatalf("readable: %v", f.Readable)
	}
	if f.OfThisMachine(); len(f.Readable) != 1 {
		t.Errorf("the file itself is dropped: %+v", f)
	}
	f.Readable = []string{mine, gone, "/etc/passwd"}
	f.IDs[mine] = "1:1"
	if f.OfThisMachine(); !slices.Equal(f.Readable, []string{"/etc/passwd"}) {
		t.Errorf("%v", f.Readable)
	}
}

// TestProfile: podman's form of the filter refuses what the program refuses, and no socket of an allowed family.
func TestProfile(t *testing.T) {
	t.Parallel()
	data, err := Profile()
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		DefaultAction string
		Syscalls      []struct {
			Names []string
			Args  []struct {
				Value uint64
				Op    string
			}
		}
	}
	if err := json.Unmarshal(data, &p); err != nil {
		t.Fatal(err)
	}
	if p.DefaultAction != "SCMP_ACT_ALLOW" || !slices.Contains(p.Syscalls[0].Names, "io_uring_setup") || len(p.Syscalls[0].Names) != len(refused) {
		t.Errorf("%+v", p)
	}
	for family := range uint64(64) {
		no := false
		for _, r := range p.Syscalls {
			if r.Names[0] == "socket" {
				no = no || r.Args[0].Op == "SCMP_CMP_EQ" && r.Args[0].Value == family || r.Args[0].Op == "SCMP_CMP_GT" && family > r.Args[0].Value
			}
		}
		if no == slices.Contains(families, uint32(family)) {
			t.Errorf("family %d: refused %v", family, no)
		}
	}
}

// TestFilter runs the filter of system calls in a small machine of its own.
func TestFilter(t *testing.T) {
	t.Parallel()
	prog := filter(auditArch)
	for name, c := range map[string]struct {
		arch uint32
		nr   uintptr
		arg0 uint64
		want uint32
	}{
		"read":             {auditArch, unix.SYS_READ, 0, unix.SECCOMP_RET_ALLOW},
		"ioctl":            {auditArch, unix.SYS_IOCTL, 0, unix.SECCOMP_RET_ALLOW},
		"mount":            {auditArch, unix.SYS_MOUNT, 0, answer(uint32(unix.EPERM))},
		"last refused":     {auditArch, refused[len(refused)-1].number, 0, answer(uint32(unix.EPERM))},
		"fork":             {auditArch, unix.SYS_CLONE, uint64(unix.SIGCHLD), unix.SECCOMP_RET_ALLOW},
		"new user":         {auditArch, unix.SYS_CLONE, unix.CLONE_NEWUSER, answer(uint32(unix.EPERM))},
		"clone3":           {auditArch, unix.SYS_CLONE3, 0, answer(uint32(unix.ENOSYS))},
		"unix socket":      {auditArch, unix.SYS_SOCKET, unix.AF_UNIX, unix.SECCOMP_RET_ALLOW},
		"netlink":          {auditArch, unix.SYS_SOCKET, unix.AF_NETLINK, unix.SECCOMP_RET_ALLOW},
		"vsock":            {auditArch, unix.SYS_SOCKET, unix.AF_VSOCK, answer(uint32(unix.EAFNOSUPPORT))},
		"packet":           {auditArch, unix.SYS_SOCKET, unix.AF_PACKET, answer(uint32(unix.EAFNOSUPPORT))},
		"x32":              {auditArch, 0x40000000 | unix.SYS_READ, 0, answer(uint32(unix.EPERM))},
		"another machine":  {unix.AUDIT_ARCH_I386, unix.SYS_READ, 0, unix.SECCOMP_RET_KILL_PROCESS},
		"socket of family": {auditArch, unix.SYS_SOCKET, unix.AF_INET6, unix.SECCOMP_RET_ALLOW},
	} {
		if got := interpret(t, prog, c.arch, uint32(c.nr), uint32(c.arg0)); got != c.want {
			t.Errorf("%s: %#x, want %#x", name, got, c.want)
		}
	}
}

// interpret is classic BPF, as far as the filter uses it.
func interpret(t *testing.T, prog []byte, arch, nr, arg0 uint32) uint32 {
	t.Helper()
	data := map[uint32]uint32{offNumber: nr, offArch: arch, offArg0: arg0}
	var acc uint32
	for pc := 0; pc < len(prog)/8; pc++ {
		in := prog[pc*8:]
		code, jt, jf, k := binary.NativeEndian.Uint16(in), int(in[2]), int(in[3]), binary.NativeEndian.Uint32(in[4:])
		jump := func(yes bool) {
			if yes {
				pc += jt
			} else {
				pc += jf
			}
		}
		switch code {
		case load:
			acc = data[k]
		case jumpEq:
			jump(acc == k)
		case jumpGe:
			jump(acc >= k)
		case jumpSet:
			jump(acc&k != 0)
		case ret:
			return k
		default:
			t.Fatalf("instruction %#x", code)
		}
	}
	t.Fatal("the program has no end")
	return 0
}

// TestCommandLines: what podman and systemd-run are told. Neither is believed for it: see Choose.
func TestCommandLines(t *testing.T) {
	t.Parallel()
	s := Spec{Program: "/usr/bin/x", Image: "torch:1", See: []string{"/data"}, Write: []string{"/w"}, Devices: []string{"/dev/nvidia0", "/dev/null"}, Dir: "/w",
		Scratch: 1 << 20, Memory: 1 << 30, Pids: 64, CPUs: 2.5, Name: "job", Cgroup: ""}
	podman := strings.Join(s.podman("/etc/p.json", []string{"A=b", "PATH=/x"}, []string{"python3", "-u", "s.py"}), " ")
	for _, want := range []string{"--network=none", "--read-only", "--cap-drop=all", "no-new-privileges", "seccomp=/etc/p.json", "--device=/dev/null", "--memory=1073741824",
		"--pids-limit=64", "--cpus=2.5", "/data:/data:ro", "/w:/w:rw", "--env=A=b", "--pull=never", "--name=job", "--entrypoint=python3 torch:1 -u s.py"} {
		if !strings.Contains(podman, want) {
			t.Errorf("podman lacks %s: %s", want, podman)
		}
	}
	for _, bad := range []string{"PATH=", "/dev/nvidia0"} {
		if strings.Contains(podman, bad) {
			t.Errorf("%s, which is the image's own or not there: %s", bad, podman)
		}
	}
	s.Cgroup = "/sys/fs/cgroup/x"
	if line := strings.Join(s.podman("", nil, []string{"true"}), " "); !strings.Contains(line, "--cgroups=disabled") || strings.Contains(line, "--memory") {
		t.Errorf("inside our group: %s", line)
	}
	systemd := strings.Join(s.systemd([]string{"A=b"}, []string{"python3"}), " ")
	for _, want := range []string{"PrivateNetwork=yes", fmt.Sprintf("User=%d", os.Getuid()), "TemporaryFileSystem=/etc:ro", "NoNewPrivileges=yes", "ProtectSystem=strict", "DeviceAllow=/dev/nvidia0 rw",
		"DevicePolicy=closed", "MemoryMax=1073741824", "TasksMax=64", "CPUQuota=250%", "BindReadOnlyPaths=/data", "BindPaths=/w", "--unit=job", "-- python3"} {
		if !strings.Contains(systemd, want) {
			t.Errorf("systemd-run lacks %s: %s", want, systemd)
		}
	}
}

// TestBinds: folders come before what lies in them, whatever the order of the lists.
func TestBinds(t *testing.T) {
	t.Parallel()
	s := Spec{See: []string{"/a/b/c", "/z"}, Write: []string{"/a/b/", "/a/b/c/d", "/z"}}
	want := []bind{{"/a/b", true}, {"/a/b/c", false}, {"/a/b/c/d", true}, {"/z", true}}
	if got := s.binds(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestKill: a group's members die with it, whatever session and parent they have, and the group is gone.
func TestKill(t *testing.T) {
	t.Parallel()
	tree, err := OpenTree("gatebot-sandbox-test")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(tree.Close)
	g, err := tree.New("job-" + filepath.Base(t.TempDir()) + "-" + strings.ReplaceAll(t.Name(), "/", "-"))
	if err != nil {
		t.Fatal(err)
	}
	inner, err := g.New("step", Limits{Memory: 1 << 30, Pids: 64, CPUs: 1})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.Open(inner.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = dir.Close() }()
	cmd := exec.Command("sh", "-c", "trap '' TERM HUP; setsid sleep 600 & (setsid sleep 600 &) ; sleep 600")
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(dir.Fd())}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(5 * time.Millisecond) { // the shell and three that sleep, or the last in its place
		pids, err := members(inner.Dir)
		if err == nil && len(pids) >= 3 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("members %v, %v", pids, err)
		}
	}
	reaped := make(chan error, 1)
	go func() { reaped <- cmd.Wait() }()
	if len(tree.Leftovers()) == 0 {
		t.Error("a restart would not find it")
	}
	if err := g.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-reaped; err == nil {
		t.Error("it ended by itself")
	}
	if exists(g.Dir) {
		t.Error("the group is still there")
	}
	if err := g.Kill(); err != nil {
		t.Errorf("once more: %v", err)
	}
}

// TestGPUs reads the driver's files as an H200 host has them.
func TestGPUs(t *testing.T) {
	dir := t.TempDir()
	old := procGPUs
	procGPUs = dir
	t.Cleanup(func() { procGPUs = old })
	if all, err := GPUs(); err != nil || len(all) != 0 {
		t.Errorf("no driver: %v, %v", all, err)
	}
	for bus, text := range map[string]string{
		"0000:00:06.0": "Model: \t\t NVIDIA H200\nGPU UUID: \t GPU-63bc\nBus Location: \t 0000:00:06.0\nDevice Minor: \t 10\n",
		"0000:00:07.0": "Model: \t\t NVIDIA H200\nGPU UUID: \t GPU-3bc3\nBus Location: \t 0000:00:07.0\nDevice Minor: \t 1\n",
	} {
		if err := os.MkdirAll(filepath.Join(dir, bus), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, bus, "information"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := GPUs()
	if err != nil || len(all) != 2 || all[0].Node != "/dev/nvidia1" || all[1].Name != "NVIDIA H200" {
		t.Fatalf("%+v, %v", all, err)
	}
	for name, want := range map[string]string{"GPU-63": "/dev/nvidia10", "1": "/dev/nvidia1", "/dev/nvidia10": "/dev/nvidia10", "0000:00:07.0": "/dev/nvidia1"} {
		if g, err := Pick(all, name); err != nil || g.Node != want {
			t.Errorf("%s: %+v, %v", name, g, err)
		}
	}
	for _, name := range []string{"", "GPU-", "7", "GPU-9"} {
		if g, err := Pick(all, name); err == nil {
			t.Errorf("%q: %+v", name, g)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "0000:00:06.0", "information"), []byte("Model: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := GPUs(); err == nil {
		t.Error("a file without UUID is read")
	}
}
