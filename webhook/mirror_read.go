package webhook

import (
	"context"
	"errors"

	"github.com/gatebot/gatebot/internal/git"
)

// Resolve implements Mirrors.
func (m *GitMirrors) Resolve(ctx context.Context, dir, rev string) (id string, err error) {
	err = reading(ctx, dir, func(r git.Repository) error {
		id, err = r.Resolve(ctx, rev)
		return err
	})
	return id, err
}

// Tree implements Mirrors.
func (m *GitMirrors) Tree(ctx context.Context, dir, commit string) (tree string, err error) {
	err = reading(ctx, dir, func(r git.Repository) error {
		c, err := r.Commit(ctx, commit)
		tree = c.Tree
		return err
	})
	return tree, err
}

// MergeBase implements Mirrors.
func (m *GitMirrors) MergeBase(ctx context.Context, dir, a, b string) (base string, err error) {
	err = reading(ctx, dir, func(r git.Repository) error {
		base, err = r.MergeBase(ctx, a, b)
		if errors.Is(err, git.ErrNotFound) {
			base, err = "", nil
		}
		return err
	})
	return base, err
}

// ReadFile implements Mirrors.
func (m *GitMirrors) ReadFile(ctx context.Context, dir, commit, path string) (data []byte, found bool, err error) {
	err = reading(ctx, dir, func(r git.Repository) error {
		data, err = git.ReadFile(ctx, r, commit, path)
		if errors.Is(err, git.ErrNotFound) {
			return nil
		}
		found = err == nil
		return err
	})
	return data, found, err
}

// Changed implements Mirrors.
func (m *GitMirrors) Changed(ctx context.Context, dir, a, b string) (paths []string, err error) {
	err = reading(ctx, dir, func(r git.Repository) error {
		changes, err := r.Diff(ctx, a, b, false)
		for _, c := range changes {
			paths = append(paths, c.Path)
		}
		return err
	})
	return paths, err
}

// reading opens the mirror for one question: a fetch in between may have added what an open one does not see.
func reading(ctx context.Context, dir string, f func(git.Repository) error) error {
	r, err := git.Open(ctx, dir)
	if err != nil {
		return err
	}
	return errors.Join(f(r), r.Close())
}
