package hooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
)

// Uninstall takes the hook away and puts back what was there before, byte for byte. A hook that is not ours is left
// alone.
func Uninstall(ctx context.Context, dir string, w io.Writer) error {
	p, err := find(ctx, dir)
	if err != nil {
		return fmt.Errorf("hook uninstall: %w", err)
	}
	defer func() { _ = p.repo.Close() }()
	current, err := read(p.hook())
	if err != nil {
		return fmt.Errorf("hook uninstall: %w", err)
	}
	if current != nil && !ours(current) {
		_, err := fmt.Fprintf(w, "not installed: %s is another program's hook\n", p.hook())
		return err
	}
	if err := os.Rename(p.chained(), p.hook()); err == nil {
		_, err := fmt.Fprintf(w, "uninstalled: %s is the hook that was there before\n", p.hook())
		return err
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("hook uninstall: %w", err)
	}
	if current == nil {
		_, err := fmt.Fprintf(w, "not installed: there is no %s\n", p.hook())
		return err
	}
	if err := os.Remove(p.hook()); err != nil {
		return fmt.Errorf("hook uninstall: %w", err)
	}
	_, err = fmt.Fprintf(w, "uninstalled: %s\n", p.hook())
	return err
}

// State is what Status finds.
type State struct {
	Hook      string // path of the hook that git would run
	Installed bool   // it is ours
	Current   bool   // and written by this version
	Other     bool   // it is another program's
	Chained   string // path of the hook that runs after ours, or empty
	HooksPath string // core.hooksPath, or empty
	Program   string // what the installed hook would run; empty when it would find nothing
	Strict    bool   // gatebot.hook.strict
}

// Status looks at the hook of the repository that dir lies in. Binary is as for Install.
func Status(ctx context.Context, dir, binary string) (State, error) {
	p, err := find(ctx, dir)
	if err != nil {
		return State{}, fmt.Errorf("hook status: %w", err)
	}
	defer func() { _ = p.repo.Close() }()
	s := State{Hook: p.hook(), HooksPath: p.path}
	current, err := read(p.hook())
	if err != nil {
		return s, fmt.Errorf("hook status: %w", err)
	}
	s.Installed = ours(current)
	s.Other = current != nil && !s.Installed
	s.Current = s.Installed && string(current) == string(shim(binary))
	if chained, err := read(p.chained()); err == nil && chained != nil {
		s.Chained = p.chained()
	}
	if s.Strict, err = p.repo.Flag(ctx, settingStrict); err != nil {
		return s, fmt.Errorf("hook status: %w", err)
	}
	s.Program, err = program(ctx, p, binary)
	if err != nil {
		return s, fmt.Errorf("hook status: %w", err)
	}
	return s, nil
}

// program looks where the script looks, in the same order.
func program(ctx context.Context, p *place, binary string) (string, error) {
	set, ok, err := p.repo.Setting(ctx, settingBinary)
	if err != nil {
		return "", err
	}
	if !ok {
		set = "gatebot"
	}
	if path, err := exec.LookPath(set); err == nil {
		return path, nil
	}
	if ok {
		return "", nil
	}
	if path, err := exec.LookPath(binary); err == nil {
		return path, nil
	}
	return "", nil
}
