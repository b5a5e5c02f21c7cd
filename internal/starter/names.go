package starter

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxNames bounds the walk: more files than any repository of source has.
const maxNames = 200_000

// Names lists the files below a folder, relative and with '/', without hidden folders, environments and what package
// managers put there. Symbolic links are not followed.
func Names(ctx context.Context, root string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			if p == root {
				return err
			}
			return fs.SkipDir // a folder that cannot be read gives no guesses
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if d.IsDir() {
			if p != root && skipped(p, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		if out = append(out, filepath.ToSlash(rel)); len(out) >= maxNames {
			return fs.SkipAll
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("init: %w", err)
	}
	return out, nil
}

func skipped(p, name string) bool {
	if strings.HasPrefix(name, ".") || name == "node_modules" || name == "__pycache__" {
		return true
	}
	_, err := os.Stat(filepath.Join(p, "pyvenv.cfg")) // a virtual environment, whatever it is called
	return err == nil
}

// Environment is the interpreter of a virtual environment that lies in the repository, nil when there is none.
func Environment(root string) *Guess {
	for _, name := range []string{".venv", "venv", "env"} {
		rel := name + "/bin/python"
		if info, err := os.Stat(filepath.Join(root, filepath.FromSlash(rel))); err == nil && !info.IsDir() {
			return &Guess{rel, "a virtual environment lies here"}
		}
	}
	return nil
}
