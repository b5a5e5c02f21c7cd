package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// InstallOptions say where to install.
type InstallOptions struct {
	Dir    string // inside the repository
	Binary string // absolute path of the program, used when it is in no PATH at the time of a push
	Force  bool   // write into a hooks directory that other repositories share
}

// Install puts the pre-push hook into the directory that git uses here, the same for all linked worktrees. A hook
// that is already there is kept beside it and runs after ours. Installing again renews ours and changes nothing else.
// What was done is told to w. A directory that is not this repository's own is a *ForeignDirError.
func Install(ctx context.Context, o InstallOptions, w io.Writer) error {
	p, err := find(ctx, o.Dir)
	if err != nil {
		return fmt.Errorf("hook install: %w", err)
	}
	defer func() { _ = p.repo.Close() }()
	if err := p.own(); err != nil {
		var foreign *ForeignDirError
		if !o.Force || errors.As(err, &foreign) && foreign.Husky {
			return err
		}
	}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return fmt.Errorf("hook install: %w", err)
	}
	current, err := read(p.hook())
	if err != nil {
		return fmt.Errorf("hook install: %w", err)
	}
	want := shim(o.Binary)
	var said string
	switch {
	case ours(current) && bytes.Equal(current, want):
		_, err = fmt.Fprintf(w, "already installed: %s\n", p.hook())
		return errors.Join(err, warnLFS(p, w))
	case ours(current):
		said = "renewed: " + p.hook()
	case current == nil:
		said = "installed: " + p.hook()
	default:
		if err := keep(p, current); err != nil {
			return fmt.Errorf("hook install: %w", err)
		}
		said = fmt.Sprintf("installed: %s\nthe hook that was there runs after it: %s", p.hook(), p.chained())
	}
	if err := replace(p.hook(), want); err != nil {
		return fmt.Errorf("hook install: %w", err)
	}
	if p.path != "" {
		said += fmt.Sprintf("\ncore.hooksPath is %s", p.path)
	}
	_, err = fmt.Fprintln(w, said)
	return errors.Join(err, warnLFS(p, w))
}

// keep gives the foreign hook a second name, so that at no moment it is without one: a crash between this and the
// write of ours leaves it in place.
func keep(p *place, current []byte) error {
	before, err := read(p.chained())
	if err != nil {
		return err
	}
	if bytes.Equal(before, current) && before != nil {
		return nil // an install that was broken off
	}
	if before != nil {
		return fmt.Errorf("%s was replaced by another hook, and %s still holds the one before (remove the one that is not needed)",
			p.hook(), p.chained())
	}
	if err := os.Link(p.hook(), p.chained()); err == nil {
		return nil
	}
	return os.Rename(p.hook(), p.chained()) // a file system without hard links
}

// replace writes an executable file in one step.
func replace(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".gatebot-hook-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(0o755), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// warnLFS tells of a repository with files in Git LFS whose upload hook is missing: a push then loses data.
func warnLFS(p *place, w io.Writer) error {
	attributes, err := os.ReadFile(filepath.Join(p.repo.Root(), ".gitattributes"))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !strings.Contains(string(attributes), "filter=lfs") {
		return nil
	}
	if err != nil {
		return err
	}
	chained, err := read(p.chained())
	if err != nil || strings.Contains(string(chained), "lfs") {
		return err
	}
	_, err = fmt.Fprintln(w, "warning: this repository keeps files in Git LFS and has no git-lfs pre-push hook "+
		"(run: gatebot hook uninstall && git lfs install --local && gatebot hook install)")
	return err
}
