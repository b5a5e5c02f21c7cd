package gate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	if info, err := os.Stat(abs); err != nil || info.IsDir() {
		return "", fmt.Errorf("step module %s: no such file in the working tree (check step.entry)", name)
	}
	if rel, err := filepath.Rel(run.Root, abs); err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return "", fmt.Errorf("step module %s: outside of %s (start gatebot in the tree that holds it)", abs, run.Root)
	}
	return abs, nil
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
	return unchanged(ctx, run)
}

// unchanged refuses a working tree whose Python differs from the commit that the results will name.
func unchanged(ctx context.Context, run *Run) error {
	entries, err := run.repo.Tree(ctx, run.Results.Commit)
	if err != nil {
		return err
	}
	var ids, paths []string
	for _, e := range entries {
		if strings.HasSuffix(e.Path, ".py") && e.IsSource() {
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
			return fmt.Errorf("%s is changed in the working tree, and a step runs from there (commit or stash it)", path)
		}
		return nil
	})
}
