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

// Uninstall takes the hooks away and puts back what was there before, byte for byte. A hook that is not ours is left
// alone.
func Uninstall(ctx context.Context, dir string, w io.Writer) error {
	p, err := find(ctx, dir)
	if err != nil {
		return fmt.Errorf("hook uninstall: %w", err)
	}
	defer func() { _ = p.repo.Close() }()
	for _, name := range []string{prePush, postCommit} {
		said, err := p.uninstall(name)
		if err != nil {
			return fmt.Errorf("hook uninstall: %w", err)
		}
		if said == "" {
			continue
		}
		if _, err := fmt.Fprintln(w, said); err != nil {
			return err
		}
	}
	return nil
}

// uninstall takes one hook away and says what it did; nothing of a post-commit hook that was not asked for.
func (p *place) uninstall(name string) (said string, err error) {
	hook := p.hook(name)
	current, err := read(hook)
	if err != nil {
		return "", err
	}
	switch {
	case current != nil && !ours(current):
		said = fmt.Sprintf("not installed: %s is another program's hook", hook)
	case current == nil && !exists(p.chained(name)):
		said = fmt.Sprintf("not installed: there is no %s", hook)
	}
	if said != "" {
		if name == postCommit {
			said = ""
		}
		return said, nil
	}
	if err := os.Rename(p.chained(name), hook); err == nil {
		return fmt.Sprintf("uninstalled: %s is the hook that was there before", hook), nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return "uninstalled: " + hook, os.Remove(hook)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
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

	Options    []string // what the installed hook gives to `gatebot hook pre-push`
	PostCommit bool     // the post-commit hook is ours
}

// Status looks at the hook of the repository that dir lies in. Binary is as for Install.
func Status(ctx context.Context, dir, binary string) (State, error) {
	p, err := find(ctx, dir)
	if err != nil {
		return State{}, fmt.Errorf("hook status: %w", err)
	}
	defer func() { _ = p.repo.Close() }()
	s := State{Hook: p.hook(prePush), HooksPath: p.path}
	current, err := read(s.Hook)
	if err != nil {
		return s, fmt.Errorf("hook status: %w", err)
	}
	s.Installed = ours(current)
	s.Other = current != nil && !s.Installed
	s.Options = options(current)
	s.Current = s.Installed && string(current) == string(shim(prePush, binary, s.Options))
	if chained, err := read(p.chained(prePush)); err == nil && chained != nil {
		s.Chained = p.chained(prePush)
	}
	if after, err := read(p.hook(postCommit)); err == nil {
		s.PostCommit = ours(after)
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
