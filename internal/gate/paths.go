package gate

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/gatebot/gatebot/checks"
)

// below limits a source to the files and folders of paths (relative to the source's root, with '/').
type below struct {
	checks.Source
	paths []string
}

// Files refuses a path that selects nothing: a typo must not look like a clean scan.
func (b below) Files(ctx context.Context) ([]checks.File, error) {
	all, err := b.Source.Files(ctx)
	if err != nil {
		return nil, err
	}
	var out []checks.File
	hit := make([]bool, len(b.paths))
	for _, f := range all {
		take := false
		for i, p := range b.paths {
			if p == "." || f.Path == p || strings.HasPrefix(f.Path, p+"/") {
				hit[i], take = true, true
			}
		}
		if take {
			out = append(out, f)
		}
	}
	for i, p := range b.paths {
		if !hit[i] {
			return nil, &UsageError{fmt.Sprintf("%s: no such file or folder in the tree that is scanned", p)}
		}
	}
	return out, nil
}

// relative turns paths as typed in dir into paths below root.
func relative(root, dir string, paths []string) ([]string, error) {
	var out []string
	for _, p := range paths {
		abs := p
		if !filepath.IsAbs(abs) {
			abs = filepath.Join(dir, p)
		}
		rel, err := filepath.Rel(root, abs)
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			// The typed path and the root may differ by a symbolic link only.
			if real, evalErr := filepath.EvalSymlinks(abs); evalErr == nil {
				rel, err = filepath.Rel(root, real)
			}
		}
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return nil, &UsageError{fmt.Sprintf("%s: outside of %s (start gatebot in the tree that holds it)", p, root)}
		}
		out = append(out, path.Clean(filepath.ToSlash(rel)))
	}
	return out, nil
}

// commonDir is the folder that holds every path: the root of a scan outside any repository.
func commonDir(dir string, paths []string) (string, error) {
	if len(paths) == 0 {
		return dir, nil
	}
	root := ""
	for _, p := range paths {
		if !filepath.IsAbs(p) {
			p = filepath.Join(dir, p)
		}
		info, err := os.Stat(p)
		if err != nil {
			return "", &UsageError{fmt.Sprintf("%v (check the spelling)", err)}
		}
		if !info.IsDir() {
			p = filepath.Dir(p)
		}
		if root == "" {
			root = filepath.Clean(p)
		}
		for root != p && !strings.HasPrefix(p, strings.TrimSuffix(root, "/")+"/") {
			root = filepath.Dir(root)
		}
	}
	// The folder where the command was started wins when it holds everything: paths then read as they were typed.
	if root == dir || strings.HasPrefix(root, strings.TrimSuffix(dir, "/")+"/") {
		return dir, nil
	}
	return root, nil
}
