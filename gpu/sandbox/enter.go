package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// Enter replaces this process by argv inside the sandbox; it returns only when that fails. env is what the command is
// given beside Fixed and Spec.Env, which win.
func (s *Spec) Enter(env, argv []string) error {
	if len(argv) == 0 {
		return errors.New("sandbox: no command given")
	}
	if s.Cgroup != "" {
		if err := os.WriteFile(filepath.Join(s.Cgroup, "cgroup.procs"), []byte("0"), 0); err != nil {
			return fmt.Errorf("sandbox: join the job's control group: %w", err)
		}
	}
	inside := merge(env, Fixed(), s.Env)
	var args []string
	switch s.Kind {
	case Bubblewrap:
		if err := s.sees(argv[0]); err != nil {
			return err
		}
		fd, err := filterFile()
		if err != nil {
			return err
		}
		args, env = s.bubblewrap(fd, argv), inside
	case Podman:
		args, env = s.podman(s.profile(), inside, argv), s.outside(os.Getuid(), env)
	case Systemd:
		args, env = s.systemd(inside, argv), s.outside(os.Getuid(), env)
	default:
		return fmt.Errorf("sandbox: no kind %q", s.Kind)
	}
	if err := syscall.Exec(s.Program, args, env); err != nil {
		return fmt.Errorf("sandbox: %s: %w", s.Program, err)
	}
	return nil
}

// sees names what the operator has to do when the program itself is not visible, which the sandbox would report as a
// file that does not exist.
func (s *Spec) sees(program string) error {
	path, err := exec.LookPath(program)
	if err != nil {
		return nil //nolint:nilerr // the sandbox will say so
	}
	if path, err = filepath.Abs(path); err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	for _, p := range []string{path, real} {
		if !s.visible(p) {
			return fmt.Errorf("sandbox: %s cannot be seen inside (add %s to sandbox.see of the runner's configuration)", p, filepath.Dir(filepath.Dir(p)))
		}
	}
	return nil
}

// WriteEtc makes the few files of /etc that must not be the machine's own, and the filter of system calls as podman reads it.
func WriteEtc(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	profile, err := Profile()
	if err != nil {
		return err
	}
	for name, text := range map[string]string{
		profileName: string(profile),
		"passwd":    fmt.Sprintf("root:x:0:0:root:/:/usr/sbin/nologin\ngatebot:x:%d:%d:gatebot:%s:/bin/sh\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n", Inside, Inside, Home),
		"group":     fmt.Sprintf("root:x:0:\ngatebot:x:%d:\nnogroup:x:65534:\n", Inside),
		"hosts":     "127.0.0.1 localhost gatebot\n::1 localhost\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil { //nolint:gosec // public
			return fmt.Errorf("sandbox: %w", err)
		}
	}
	return nil
}
