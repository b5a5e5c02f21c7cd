package demo

import (
	"context"
	"fmt"
	"os/exec"

	"github.com/gatebot/gatebot/internal/rig"
)

// start sets everything up and waits until the server answers.
func (s *scenario) start(ctx context.Context) error {
	r, err := rig.New(ctx, rig.Options{Dir: s.dir, Exe: s.Exe})
	if err != nil {
		return err
	}
	s.rig = r
	s.print.step("github", "stand-in at %s, App installed on %s", r.GitHub.URL(), r.Repo.FullName())
	server, err := r.StartServer()
	if err != nil {
		return err
	}
	if err := r.Children.Until(ctx, "gatebot serve answers", patience, func() bool { return r.Healthy(ctx) }); err != nil {
		return fmt.Errorf("%w: %s", err, server.Tail(3))
	}
	s.print.step("serve", "webhooks at http://%s/webhook, queue at %s", r.HTTP, r.Queue)
	if _, err := r.StartRunner(); err != nil {
		return err
	}
	s.print.step("runner", "connects to the queue; no GPU here, so the source check decides")
	return r.GitHub.Ping()
}

// installHook runs `gatebot hook install` in the clone, as its owner would.
func (s *scenario) installHook(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, s.Exe, "hook", "install")
	cmd.Dir, cmd.Env = s.clone.dir, s.clone.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("gatebot hook install: %w: %s", err, out)
	}
	s.print.step("hook", "installed in %s", s.clone.dir)
	s.print.under(string(out))
	return nil
}
