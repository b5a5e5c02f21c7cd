package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// stopFor is how long a manager may take to end a unit or container.
const stopFor = 20 * time.Second

// Stop ends what outlives the process that started it: a unit of the system manager, a container. uid is the user that
// Enter ran as and prepare makes a command run as that user (nil: this one), since a rootless container is known to its
// own user alone. Nothing left to end is no error.
func (s *Spec) Stop(ctx context.Context, uid int, prepare func(*exec.Cmd)) error {
	if s.Name == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopFor)
	defer cancel()
	run := func(name string, args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Env, cmd.Dir = s.outside(uid, os.Environ()), "/"
		if prepare != nil {
			prepare(cmd)
		}
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			err = fmt.Errorf("sandbox: %s %s: %w: %s", name, args[0], err, last(errs.String()))
		}
		return strings.TrimSpace(string(out)), err
	}
	switch s.Kind {
	case Podman:
		_, err := run(s.Program, "rm", "--force", "--time=0", "--ignore", s.Name)
		return err
	case Systemd:
		_, _ = run("systemctl", "kill", "--signal=SIGKILL", s.Name) // what counts is asked below
		_, _ = run("systemctl", "stop", s.Name)
		state, err := run("systemctl", "show", "--property=ActiveState", "--value", s.Name)
		if err == nil && state != "inactive" && state != "failed" {
			err = fmt.Errorf("sandbox: unit %s is still %s", s.Name, state)
		}
		return err
	}
	return nil
}
