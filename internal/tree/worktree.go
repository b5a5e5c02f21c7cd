package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/git"
)

// NewWorktree is the files below root as they are on disk: in a repository the tracked ones and the untracked ones
// that are not ignored, elsewhere all of them except in directories whose name starts with a dot.
func NewWorktree(root string) checks.Source { return &worktree{root: root} }

type worktree struct{ root string }

// Files lists the files, with their sizes. Symbolic links of a repository are left out, as in a commit; outside one
// they are followed, each directory once.
func (w *worktree) Files(ctx context.Context) ([]checks.File, error) {
	root, err := filepath.Abs(w.root)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return nil, fmt.Errorf("working tree %s: %w", w.root, err)
	}
	w.root = root
	repo, err := git.Open(ctx, root, git.HookEnv())
	if errors.Is(err, git.ErrNotRepository) {
		return w.walk(ctx)
	}
	if err != nil {
		return nil, err
	}
	files, err := w.listed(ctx, repo)
	return files, errors.Join(err, repo.Close())
}

// listed asks the repository. Root may be a directory inside it.
func (w *worktree) listed(ctx context.Context, repo git.Repository) ([]checks.File, error) {
	lister, ok := repo.(git.WorkLister)
	if !ok || repo.Root() == "" {
		return w.walk(ctx)
	}
	entries, err := lister.WorkFiles(ctx)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(repo.Root(), w.root)
	if err != nil {
		return nil, fmt.Errorf("working tree %s: %w", w.root, err)
	}
	prefix := ""
	if rel != "." {
		prefix = filepath.ToSlash(rel) + "/"
	}
	var files []checks.File
	for _, e := range entries {
		path, below := strings.CutPrefix(e.Path, prefix)
		if !below || !e.IsSource() {
			continue
		}
		info, err := os.Lstat(filepath.Join(w.root, filepath.FromSlash(path)))
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, and the deletion not staged
		}
		if err != nil {
			return nil, fmt.Errorf("working tree: %w", err)
		}
		if info.Mode().IsRegular() {
			f := checks.File{Path: path, ID: e.Blob, Size: info.Size()}
			if f.ID == "" {
				f.Stamp = stamp(info)
			}
			files = append(files, f)
		}
	}
	return files, nil
}

// Read reads one file from disk.
func (w *worktree) Read(ctx context.Context, f checks.File) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(w.root, filepath.FromSlash(f.Path)))
}
