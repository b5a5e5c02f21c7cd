package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/gpu/sandbox"
)

// Sandbox says how jobs are confined. The zero value takes the first kind that holds on this machine, with the limits
// below, and refuses to run without one.
type Sandbox struct {
	Kind    sandbox.Kind
	User    string   // name or number of the user that jobs run as; needed when the runner is root
	Image   string   // for podman
	See     []string // what jobs see, read-only, beside the system's programs and libraries: environments, weights
	Secrets []string // further paths that must not be readable inside; the keys and the work directory are always among them
	Limits  string   // LimitsRequired (default), LimitsBestEffort or LimitsOff
	Memory  int64    // bytes, default 64 GiB
	Scratch int64    // bytes of /tmp and of the home directory, in memory; default 8 GiB
	Disk    int64    // bytes that a job may write to disk, default 20 GiB
	Pids    int64    // default 4096
	CPUs    float64  // 0: all
}

// What is done when control groups cannot limit a job here.
const (
	LimitsRequired   = "required"
	LimitsBestEffort = "best_effort"
	LimitsOff        = "off"
)

func (s *Sandbox) fill() error {
	for v, d := range map[*int64]int64{&s.Memory: 64 << 30, &s.Scratch: 8 << 30, &s.Disk: 20 << 30, &s.Pids: 4096} {
		if *v <= 0 {
			*v = d
		}
	}
	switch s.Limits {
	case "":
		s.Limits = LimitsRequired
	case LimitsRequired, LimitsBestEffort, LimitsOff:
	default:
		return fmt.Errorf("runner: sandbox.limits %q is none of %s, %s, %s", s.Limits, LimitsRequired, LimitsBestEffort, LimitsOff)
	}
	return nil
}

// machine is what this host gives to a job.
type machine struct {
	gpus []sandbox.GPU
	spec *sandbox.Spec
	tree *sandbox.Tree // nil: no control groups
	user *syscall.Credential
}

// scanMemory and scanPids bound gatebot check itself, which parses what strangers wrote.
const (
	scanMemory = 8 << 30
	scanPids   = 1024
)

// setUp finds out what there is. An error is for the operator.
func (r *runner) setUp(ctx context.Context) error {
	m := &r.machine
	var err error
	if m.user, err = r.jobUser(); err != nil {
		return err
	}
	if m.user != nil { // what is secret in there has rights of its own
		for _, dir := range []string{r.WorkDir, r.work.attempts} {
			if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // passed through, not listed
				return fmt.Errorf("runner: %w", err)
			}
		}
	}
	if err := r.findGPUs(); err != nil {
		return err
	}
	if r.Sandbox.Limits != LimitsOff {
		m.tree, err = sandbox.OpenTree(treeName(r.WorkDir))
		if err == nil && len(m.tree.Missing()) > 0 {
			err = fmt.Errorf("%w: the controllers %s are not there", sandbox.ErrNoCgroup, strings.Join(m.tree.Missing(), ", "))
		}
		if err != nil && r.Sandbox.Limits == LimitsRequired && r.Sandbox.Kind != sandbox.None {
			return fmt.Errorf("runner: %w (sandbox.limits: best_effort runs jobs with the limits there are)", err)
		}
		if err != nil {
			r.log.Warn("runner: jobs are not limited in everything", "error", err)
		}
	}
	var buses []string
	for _, g := range m.gpus {
		buses = append(buses, g.Bus)
	}
	if r.xids, err = device.FollowXids(buses); err != nil {
		r.log.Warn("runner: hardware faults that the driver reports are not seen", "error", err)
	}
	r.noteECC(ctx)
	return r.chooseSandbox(ctx)
}

// treeName is of the work directory, which only one runner has at a time: what is left in there is its own.
func treeName(work string) string {
	h := sha256.Sum256([]byte(work))
	return "gatebot-" + hex.EncodeToString(h[:6])
}

func (r *runner) findGPUs() error {
	all, err := sandbox.GPUs()
	if err != nil {
		return fmt.Errorf("runner: %w", err)
	}
	names := r.GPUs
	if len(names) == 0 && r.Devices != "" {
		names = strings.Split(r.Devices, ",")
	}
	if len(names) == 0 && len(all) > 0 {
		names = []string{""}
	}
	r.machine.gpus = nil
	for _, n := range names {
		g, err := sandbox.Pick(all, strings.TrimSpace(n))
		if err != nil && len(all) == 0 && !r.RequireGPU {
			return nil // a host without a card scans, and says so in every result
		}
		if err != nil {
			return fmt.Errorf("runner: %w", err)
		}
		r.machine.gpus = append(r.machine.gpus, g)
	}
	return nil
}

// uuids of the runner's devices, as CUDA_VISIBLE_DEVICES wants them.
func (m *machine) uuids() string {
	var list []string
	for _, g := range m.gpus {
		list = append(list, g.UUID)
	}
	return strings.Join(list, ",")
}

func (m *machine) nodes() []string {
	var list []string
	for _, g := range m.gpus {
		list = append(list, g.Nodes()...)
	}
	return list
}

// jobUser is nil when jobs run as the runner's own user.
func (r *runner) jobUser() (*syscall.Credential, error) {
	name := r.Sandbox.User
	if os.Geteuid() != 0 {
		if name != "" {
			return nil, fmt.Errorf("runner: sandbox.user %s: only root can run jobs as somebody else (leave it out)", name)
		}
		return nil, nil
	}
	if name == "" {
		if r.Sandbox.Kind == sandbox.None {
			return nil, nil
		}
		return nil, errors.New("runner: it runs as root and would run jobs as root (set sandbox.user, or start it as a user of its own)")
	}
	u, err := user.Lookup(name)
	if err != nil {
		if n, nerr := strconv.ParseUint(name, 10, 32); nerr == nil && n > 0 {
			return &syscall.Credential{Uid: uint32(n), Gid: uint32(n)}, nil
		}
		return nil, fmt.Errorf("runner: sandbox.user: %w", err)
	}
	uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	if err := errors.Join(err1, err2); err != nil {
		return nil, fmt.Errorf("runner: sandbox.user %s: %w", name, err)
	}
	if uid == 0 {
		return nil, errors.New("runner: sandbox.user is root (name a user without rights)")
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// chooseSandbox picks the kind and proves it. Secrets are what a job must not be able to read.
func (r *runner) chooseSandbox(ctx context.Context) error {
	s, m := &r.Sandbox, &r.machine
	if s.Kind == sandbox.None {
		r.log.Warn("runner: sandbox.kind is none: code of commits runs with all the rights of this user")
		m.spec = &sandbox.Spec{Kind: sandbox.None}
		return nil
	}
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("runner: own program: %w", err)
	}
	if r.Wrapper == nil {
		r.Wrapper = []string{exe, "runner", "confine"}
	}
	if r.Facts == nil {
		r.Facts = []string{exe, "runner", "facts"}
	}
	secrets := append([]string{r.WorkDir, filepath.Join(r.WorkDir, "spool"), "/root", "/etc/shadow", "/etc/gatebot", "/var/log", "/run/user"}, s.Secrets...)
	if r.SeedFile != "" {
		secrets = append(secrets, r.SeedFile)
	}
	spec, notes, err := sandbox.Choose(ctx, sandbox.Want{Kind: s.Kind, Image: s.Image, See: append(r.programs(), s.See...), Devices: m.nodes(),
		Secrets: secrets, Scratch: s.Scratch, Memory: s.Memory, Pids: s.Pids, CPUs: s.CPUs, Wrapper: r.Wrapper, Facts: r.Facts,
		Dir: r.work.attempts, Prepare: func(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Credential: m.user} }})
	if err != nil {
		return fmt.Errorf("runner: %w", err)
	}
	for _, n := range notes {
		r.log.Info("runner: sandbox not used", "kind", n)
	}
	m.spec = spec
	r.log.Info("runner: sandbox", "kind", spec.Kind, "program", spec.Program, "devices", spec.Devices)
	return nil
}

// programs are gatebot's own files, which must be visible wherever they lie.
func (r *runner) programs() []string {
	list := []string{r.Executable, r.Facts[0]}
	for _, name := range []string{"gatebot-probe.so", "gatebot-gpu"} {
		if file := filepath.Join(filepath.Dir(r.Executable), name); exists(file) {
			list = append(list, file)
		}
	}
	return list
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
