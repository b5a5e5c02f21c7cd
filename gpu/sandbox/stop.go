package sandbox

import (
	"context"
	"os/exec"
	"time"
)

// stopFor is how long a manager may take to end a unit or container.
const stopFor = 20 * time.Second

// Stop ends what outlives the process that started it: a unit of the system manager, a container. Its error is that of
// the last try and no more than a remark when there was nothing left to end.
func (s *Spec) Stop(ctx context.Context) error {
	if s.Name == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopFor)
	defer cancel()
	switch s.Kind {
	case Podman:
		return exec.CommandContext(ctx, s.Program, "rm", "--force", "--time=0", "--ignore", s.Name).Run()
	case Systemd:
		_ = exec.CommandContext(ctx, "systemctl", "kill", "--signal=SIGKILL", s.Name).Run() // stop says what matters
		return exec.CommandContext(ctx, "systemctl", "stop", s.Name).Run()
	}
	return nil
}
