package tree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/gatebot/gatebot/internal/git"
)

// Export writes the files of a commit into dir, which is empty: as they are stored, without the filters of a checkout
// (large files stay the pointers that they are). Submodules are empty folders. Nothing is written outside of dir,
// whatever the links of the commit say.
func Export(ctx context.Context, repo git.Repository, commit, dir string) (err error) {
	entries, err := repo.Tree(ctx, commit)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	ids, at := make([]string, 0, len(entries)), make([]git.Entry, 0, len(entries))
	for _, e := range entries {
		parent := path.Dir(e.Path)
		if e.Mode == git.ModeSubmodule {
			parent = e.Path
		}
		if err := root.MkdirAll(filepath.FromSlash(parent), 0o755); err != nil {
			return fmt.Errorf("export %.12s: %w", commit, err)
		}
		if e.Mode != git.ModeSubmodule {
			ids, at = append(ids, e.Blob), append(at, e)
		}
	}
	n := 0
	return repo.Blobs(ctx, ids, func(_ string, data []byte, err error) error {
		e := at[n]
		n++
		if err == nil {
			err = write(root, e, data)
		}
		if err != nil {
			return fmt.Errorf("export %.12s: %s: %w", commit, e.Path, err)
		}
		return nil
	})
}

func write(root *os.Root, e git.Entry, data []byte) error {
	name := filepath.FromSlash(e.Path)
	if e.Mode == git.ModeSymlink {
		return root.Symlink(string(data), name)
	}
	mode := os.FileMode(0o644)
	if e.Mode == git.ModeExec {
		mode = 0o755
	}
	return root.WriteFile(name, data, mode)
}
