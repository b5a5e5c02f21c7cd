// Command remote pushes through the hook with --gpu=remote: a server, a runner and a developer of this machine, and two
// commits of a step module. The good one has to pass, the one with a wait that no scan can see has to be refused.
// test/gpu/acceptance.sh starts it on a machine with a card.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gatebot/gatebot/internal/rig"
	"github.com/gatebot/gatebot/webhook/standin"
)

const (
	good = "import torch\n\n\ndef build(device):\n    return {\"x\": torch.zeros(64, device=device)}\n\n\n" +
		"def step(state, i):\n    return state[\"x\"].add_(1)\n"
	// The scan does not know what is called here.
	wait = "\n\ndef step(state, i):\n    getattr(state[\"x\"][0], \"it\" + \"em\")()\n    return state[\"x\"].add_(1)\n"
)

func main() {
	exe := flag.String("gatebot", "bin/gatebot", "`program`, with gatebot-gpu and gatebot-probe.so beside it")
	python := flag.String("python", "python3", "`interpreter` that has torch")
	dry := flag.Bool("dry", false, "there is no card: both pushes have to be refused, since what did not run is no pass")
	flag.Parse()
	if err := run(context.Background(), *exe, *python, *dry); err != nil {
		fmt.Fprintln(os.Stderr, "remote:", err)
		os.Exit(1)
	}
	fmt.Println("remote: as it should be")
}

func run(ctx context.Context, exe, python string, dry bool) (err error) {
	if exe, err = filepath.Abs(exe); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "gatebot-remote-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	r, err := rig.New(ctx, rig.Options{Dir: dir, Exe: exe, Standin: standin.Options{}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if _, err := r.StartServer(); err != nil {
		return err
	}
	for !r.Healthy(ctx) {
		time.Sleep(50 * time.Millisecond)
	}
	if _, err := r.StartRunner(); err != nil {
		return err
	}
	d := desk{dir: filepath.Join(dir, "desk"), exe: exe, client: r.File("client.yaml")}
	if err := errors.Join(os.Mkdir(d.dir, 0o755), d.git(ctx, "init", "-q"), d.git(ctx, "config", "gatebot.hook.strict", "true"),
		d.put(".gatebot.yaml", fmt.Sprintf("step: {entry: gate_step.py, python: %s, timeout: 4m}\n", python)), d.put("gate_step.py", good)); err != nil {
		return err
	}
	if err := d.push(ctx, "good", !dry, ""); err != nil {
		return err
	}
	if err := d.put("gate_step.py", good+wait); err != nil {
		return err
	}
	says := "gate_step.py"
	if dry {
		says = ""
	}
	return d.push(ctx, "a wait", false, says)
}

// desk is a developer's clone.
type desk struct{ dir, exe, client string }

func (d desk) put(name, text string) error {
	return os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600)
}

func (d desk) git(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", d.dir, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %v: %w: %s", args, err, out)
	}
	return nil
}

// push commits what there is and asks the hook, which has to accept it, or to refuse it and to say why.
func (d desk) push(ctx context.Context, subject string, accepted bool, says string) error {
	if err := errors.Join(d.git(ctx, "add", "-A"), d.git(ctx, "commit", "-q", "-m", subject)); err != nil {
		return err
	}
	head, err := exec.CommandContext(ctx, "git", "-C", d.dir, "rev-parse", "HEAD").Output()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, d.exe, "hook", "pre-push", "--gpu=remote", "origin", "/nowhere")
	cmd.Dir, cmd.Env = d.dir, append(os.Environ(), "GATEBOT_CLIENT_CONFIG="+d.client)
	cmd.Stdin = strings.NewReader("refs/heads/main " + strings.TrimSpace(string(head)) + " refs/heads/main " + strings.Repeat("0", 40) + "\n")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	began := time.Now()
	err = cmd.Run()
	fmt.Printf("push of %q: %v after %s\n%s\n", subject, err, time.Since(began).Round(time.Second), said.String())
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		return err
	case accepted != (err == nil):
		return fmt.Errorf("push of %q: accepted %v, want %v", subject, err == nil, accepted)
	case !strings.Contains(said.String(), says):
		return fmt.Errorf("push of %q: the reason does not name %s", subject, says)
	}
	return nil
}
