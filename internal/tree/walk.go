package tree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/checks"
)

// walk lists what lies below the root, in path order.
func (w *worktree) walk(ctx context.Context) ([]checks.File, error) {
	v := &visit{ctx: ctx, root: w.root, seen: map[string]bool{}}
	v.links = [][2]string{{w.root, ""}}
	for len(v.links) > 0 {
		link := v.links[0]
		v.links = v.links[1:]
		if err := v.dir(link[0], link[1]); err != nil {
			return nil, fmt.Errorf("working tree: %w", err)
		}
	}
	slices.SortFunc(v.files, func(a, b checks.File) int { return strings.Compare(a.Path, b.Path) })
	return v.files, nil
}

type visit struct {
	ctx   context.Context
	root  string
	seen  map[string]bool // real paths of directories, so that a loop of links ends
	links [][2]string     // linked directories and their prefixes: last, so that what lies here keeps its own path
	files []checks.File
}

func (v *visit) dir(dir, prefix string) error {
	if err := v.ctx.Err(); err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	if v.seen[real] {
		return nil
	}
	v.seen[real] = true
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := v.entry(dir, prefix, e); err != nil {
			return err
		}
	}
	return nil
}

func (v *visit) entry(dir, prefix string, e os.DirEntry) error {
	full := filepath.Join(dir, e.Name())
	info, err := os.Stat(full)
	if err != nil {
		if e.Type()&os.ModeSymlink != 0 {
			return nil // a link to nothing, or in a circle
		}
		return err
	}
	switch {
	case info.IsDir():
		if strings.HasPrefix(e.Name(), ".") {
			return nil
		}
		if e.Type()&os.ModeSymlink != 0 {
			v.links = append(v.links, [2]string{full, prefix + e.Name() + "/"})
			return nil
		}
		return v.dir(full, prefix+e.Name()+"/")
	case info.Mode().IsRegular():
		v.files = append(v.files, checks.File{Path: prefix + e.Name(), Size: info.Size(), Stamp: stamp(info)})
	}
	return nil
}
