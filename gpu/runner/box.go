package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/gatebot/gatebot/gpu/sandbox"
)

// box is what holds one job: its control groups, and the description of its sandbox.
type box struct {
	group *sandbox.Group // of the whole job; nil: none
	outer *sandbox.Group // of gatebot check, or of what enters the sandbox
	inner *sandbox.Group // of what strangers wrote
	what  *sandbox.Spec
	spec  string              // file that describes the sandbox; empty: none
	user  *syscall.Credential // who enters it; nil: this user
}

// sandboxName is what a manager of units or containers knows the sandbox of an attempt by.
func sandboxName(attempt string) string { return "gatebot-" + filepath.Base(attempt) }

// stopSandbox ends a unit or container, as the user who started it.
func stopSandbox(ctx context.Context, s *sandbox.Spec, u *syscall.Credential) error {
	if u == nil {
		return s.Stop(ctx, os.Geteuid(), nil)
	}
	return s.Stop(ctx, int(u.Uid), func(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Credential: u} })
}

// box makes the box of an attempt. Where jobs run without a sandbox all its processes have the limits of a job.
func (r *runner) box(attempt string) (*box, error) {
	b := &box{what: &sandbox.Spec{Kind: sandbox.None}, user: r.machine.user}
	name := "job-" + filepath.Base(attempt)
	if t := r.machine.tree; t != nil {
		if err := b.groups(t, name, r.Sandbox, r.machine.spec.Kind == sandbox.None); err != nil {
			return nil, errors.Join(err, b.end(context.Background()))
		}
		if u := r.machine.user; u != nil {
			if err := b.group.Give(int(u.Uid), int(u.Gid)); err != nil {
				return nil, errors.Join(fmt.Errorf("runner: control group: %w", err), b.end(context.Background()))
			}
		}
	}
	if r.machine.spec.Kind == sandbox.None {
		return b, nil
	}
	s := *r.machine.spec
	s.Etc, s.Name = filepath.Join(attempt, "etc"), sandboxName(attempt)
	if b.inner != nil {
		s.Cgroup = b.inner.Dir
	}
	b.what, b.spec = &s, filepath.Join(attempt, "sandbox.json")
	if err := errors.Join(sandbox.WriteEtc(s.Etc), s.Store(b.spec)); err != nil {
		return nil, errors.Join(err, b.end(context.Background()))
	}
	return b, nil
}

func (b *box) groups(t *sandbox.Tree, name string, s Sandbox, open bool) (err error) {
	limits := sandbox.Limits{Memory: s.Memory, Pids: s.Pids, CPUs: s.CPUs}
	if b.group, err = t.New(name); err != nil {
		return err
	}
	if open {
		b.outer, err = b.group.New("job", limits)
		return err
	}
	if b.outer, err = b.group.New("check", sandbox.Limits{Memory: scanMemory, Pids: scanPids}); err != nil {
		return err
	}
	b.inner, err = b.group.New("step", limits)
	return err
}

// enter makes a child start inside the outer group, so that there is no moment in which it is not.
func (b *box) enter(attr *syscall.SysProcAttr) (leave func(), err error) {
	if b == nil || b.outer == nil {
		return func() {}, nil
	}
	f, err := os.Open(b.outer.Dir)
	if err != nil {
		return nil, fmt.Errorf("runner: control group: %w", err)
	}
	startIn(attr, f)
	return func() { _ = f.Close() }, nil
}

// remark says which limits the job has run into.
func (b *box) remark() string {
	if b == nil {
		return ""
	}
	var hit []string
	for _, g := range []*sandbox.Group{b.outer, b.inner} {
		if g == nil {
			continue
		}
		if g.Event("memory.events", "oom_kill") > 0 {
			hit = append(hit, "it reached its limit of memory")
		}
		if g.Event("pids.events", "max") > 0 {
			hit = append(hit, "it reached its limit of processes")
		}
	}
	return strings.Join(hit, "; ")
}

// end kills everything in the box, whatever session, parent or name it gave itself.
func (b *box) end(ctx context.Context) error {
	if b == nil {
		return nil
	}
	err := stopSandbox(ctx, b.what, b.user)
	if b.group != nil {
		err = errors.Join(err, b.group.Kill())
	}
	return err
}

// give makes the attempt the job user's own.
func (r *runner) give(attempt string) error {
	u := r.machine.user
	if u == nil {
		return nil
	}
	err := filepath.WalkDir(attempt, func(p string, _ fs.DirEntry, err error) error {
		if err == nil {
			err = os.Lchown(p, int(u.Uid), int(u.Gid))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("runner: attempt: %w", err)
	}
	return nil
}
