// Package tree gives the source scan its files: those of a commit, of the index, or of a working tree. It lies between
// checks, which knows no git, and internal/git, which knows no scan.
package tree

import (
	"context"
	"errors"
	"fmt"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/git"
)

// BatchReader is a source that reads many files in one exchange, which costs a commit's tree far less than one Read
// for each. f is called in the order of files, one at a time; its error ends the call and is returned.
type BatchReader interface {
	ReadAll(ctx context.Context, files []checks.File, f func(file checks.File, data []byte, err error) error) error
}

// NewCommit is the tree of a commit, tag or tree as it is in the object store. Symbolic links and submodules are no
// files of it: what a link names is scanned under its own path, if it is in the tree.
func NewCommit(repo git.Repository, rev string) checks.Source {
	return &stored{repo: repo, list: func(ctx context.Context) ([]git.Entry, error) { return repo.Tree(ctx, rev) }}
}

// NewIndex is what is staged. Paths in conflict have no content and are left out.
func NewIndex(repo git.Repository) checks.Source {
	return &stored{repo: repo, list: func(ctx context.Context) ([]git.Entry, error) {
		indexer, ok := repo.(git.Indexer)
		if !ok {
			return nil, errors.New("index: this repository cannot list its index")
		}
		return indexer.Index(ctx)
	}}
}

// ReadFile gives one file of a commit; git.ErrNotFound when there is none.
func ReadFile(ctx context.Context, repo git.Repository, rev, path string) ([]byte, error) {
	return git.ReadFile(ctx, repo, rev, path)
}

// stored is a tree whose contents are blobs.
type stored struct {
	repo git.Repository
	list func(context.Context) ([]git.Entry, error)
}

// Files lists the regular files. Sizes are not known before they are read.
func (s *stored) Files(ctx context.Context) ([]checks.File, error) {
	entries, err := s.list(ctx)
	if err != nil {
		return nil, err
	}
	files := make([]checks.File, 0, len(entries))
	for _, e := range entries {
		if e.IsSource() {
			files = append(files, checks.File{Path: e.Path, ID: e.Blob, Size: e.Size})
		}
	}
	return files, nil
}

// Read reads one file.
func (s *stored) Read(ctx context.Context, f checks.File) ([]byte, error) {
	var content []byte
	err := s.repo.Blobs(ctx, []string{f.ID}, func(_ string, data []byte, err error) error {
		content = data
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return content, nil
}

// ReadAll reads many files in one exchange.
func (s *stored) ReadAll(ctx context.Context, files []checks.File,
	f func(checks.File, []byte, error) error) error {
	ids := make([]string, len(files))
	for i, file := range files {
		ids[i] = file.ID
	}
	next := 0
	return s.repo.Blobs(ctx, ids, func(_ string, data []byte, err error) error {
		file := files[next]
		next++
		return f(file, data, err)
	})
}
