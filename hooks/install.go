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
	// Options are flags that the installed hook gives to `gatebot hook pre-push`.
	Options []string
	// PostCommit also installs the hook that keeps provisional entries of the fix log.
	PostCommit bool
}

// Install puts the pre-push hook, and on demand the post-commit hook, into the directory that git uses here, the same for all linked worktrees. A hook
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
	names := []string{prePush}
	after, err := read(p.hook(postCommit))
	if err != nil {
		return fmt.Errorf("hook install: %w", err)
	}
	if o.PostCommit || ours(after) { // one that is there is renewed
		names = append(names, postCommit)
	}
	for _, name := range names {
		said, err := p.install(name, shim(name, o.Binary, o.Options))
		if err != nil {
			return fmt.Errorf("hook install: %w", err)
		}
		if _, err := fmt.Fprintln(w, said); err != nil {
			return err
		}
	}
	return warnLFS(p, w)
}

// install writes one hook and says what it did.
func (p *place) install(name string, want []byte) (said string, err error) {
	hook := p.hook(name)
	current, err := read(hook)
	if err != nil {
		return "", err
	}
	switch {
	case ours(current) && bytes.Equal(current, want):
		return "already installed: " + hook, nil
	case ours(current):
		said = "renewed: " + hook
	case current == nil:
		said = "installed: " + hook
	default:
		if err := p.keep(name, current); err != nil {
			return "", err
		}
		said = fmt.Sprintf("installed: %s\nthe hook that was there runs after it: %s", hook, p.chained(name))
	}
	if p.path != "" {
		said += fmt.Sprintf("\ncore.hooksPath is %s", p.path)
	}
	return said, replace(hook, want)
}

// keep gives the foreign hook a second name, so that at no moment it is without one: a crash between this and the
// write of ours leaves it in place.
func (p *place) keep(name string, current []byte) error {
	hook, chained := p.hook(name), p.chained(name)
	before, err := read(chained)
	if err != nil {
		return err
	}
	if bytes.Equal(before, current) && before != nil {
		return nil // an install that was broken off
	}
	if before != nil {
		return fmt.Errorf("%s was replaced by another hook, and %s still holds the one before (remove the one that is not needed)",
			hook, chained)
	}
	if err := os.Link(hook, chained); err == nil {
		return nil
	}
	return os.Rename(hook, chained) // a file system without hard links
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
	chained, err := read(p.chained(prePush))
	if err != nil || strings.Contains(string(chained), "lfs") {
		return err
	}
	_, err = fmt.Fprintln(w, "warning: this repository keeps files in Git LFS and has no git-lfs pre-push hook "+
		"(run: gatebot hook uninstall && git lfs install --local && gatebot hook install)")
	return err
}
