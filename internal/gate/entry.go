package gate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ready gives the step module to run, or why none can be run.
func (r CheckRequest) ready(ctx context.Context, run *Run) (entry, why string) {
	entry, err := r.entry(run)
	if err == nil && entry == "" {
		return "", noEntry
	}
	if err == nil {
		err = r.here(ctx, run)
	}
	if err != nil {
		return "", err.Error()
	}
	return entry, ""
}

// entry is the step module: absolute, below the root of the tree. Empty when none is named.
func (r CheckRequest) entry(run *Run) (string, error) {
	name := run.Config.Step.Entry
	base := run.Root
	if r.Entry != "" {
		name, base = r.Entry, r.Dir
	}
	if name == "" {
		return "", nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(base, name)
	}
	abs, _, err := inTree(run.Root, name)
	if err != nil {
		return "", fmt.Errorf("step module %w (check step.entry)", err)
	}
	return abs, nil
}

// inTree gives the absolute path of a file of the working tree without links, and its path from the root.
func inTree(root, name string) (abs, rel string, err error) {
	if abs, err = filepath.Abs(name); err != nil {
		return "", "", err
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	if info, err := os.Stat(abs); err != nil || info.IsDir() {
		return "", "", fmt.Errorf("%s: no such file in the working tree", name)
	}
	if rel, err = filepath.Rel(root, abs); err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return "", "", fmt.Errorf("%s: outside of %s (start gatebot in the tree that holds it)", abs, root)
	}
	return abs, filepath.ToSlash(rel), nil
}

// here says why the working tree is not the tree that is checked; the step always runs from the working tree.
func (r CheckRequest) here(ctx context.Context, run *Run) error {
	if r.Staged {
		return errors.New("the index is checked and a step runs from the working tree (commit it, or leave --staged out)")
	}
	if run.Results.Commit == "" || run.repo == nil {
		return nil
	}
	head, err := run.repo.Resolve(ctx, "HEAD")
	if err != nil {
		return err
	}
	if head != run.Results.Commit {
		return fmt.Errorf("the working tree is at %.12s and not at %.12s, which is checked (check it out)", head, run.Results.Commit)
	}
	return unchanged(ctx, run, run.Results.Commit, ".py")
}

// errChanged is wrapped when the working tree is not the commit.
var errChanged = errors.New("changed in the working tree, and a step runs from there (commit or stash it)")

// unchanged refuses a working tree whose files with these extensions differ from a commit.
func unchanged(ctx context.Context, run *Run, commit string, extensions ...string) error {
	entries, err := run.repo.Tree(ctx, commit)
	if err != nil {
		return err
	}
	var ids, paths []string
	for _, e := range entries {
		if slices.Contains(extensions, filepath.Ext(e.Path)) && e.IsSource() {
			ids, paths = append(ids, e.Blob), append(paths, e.Path)
		}
	}
	n := 0
	return run.repo.Blobs(ctx, ids, func(_ string, data []byte, err error) error {
		path := paths[n]
		n++
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if now, err := os.ReadFile(filepath.Join(run.Root, filepath.FromSlash(path))); err != nil || !bytes.Equal(now, data) {
			return fmt.Errorf("%s is %w", path, errChanged)
		}
		return nil
	})
}
