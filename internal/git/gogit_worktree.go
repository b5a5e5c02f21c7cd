package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
	"github.com/go-git/go-git/v5/plumbing/format/index"
)

// Index lists what is staged.
func (r *GoGit) Index(ctx context.Context) ([]Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	entries, _, err := r.index()
	return entries, err
}

func (r *GoGit) index() (entries []Entry, conflicts []string, err error) {
	idx, err := r.store.Index()
	if err != nil {
		return nil, nil, fmt.Errorf("index: %w", err)
	}
	for _, e := range idx.Entries {
		switch {
		case e.Stage == index.Merged:
			entries = append(entries, Entry{Path: e.Name, Mode: canonical(uint32(e.Mode)), Blob: e.Hash.String(), Size: -1})
		case len(conflicts) == 0 || conflicts[len(conflicts)-1] != e.Name:
			conflicts = append(conflicts, e.Name)
		}
	}
	return entries, conflicts, nil
}

// WorkFiles lists the working tree. It compares nothing with the disk, so no entry names a blob.
func (r *GoGit) WorkFiles(ctx context.Context) ([]Entry, error) {
	if r.root == "" {
		return nil, errBare
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	entries, conflicts, err := r.index()
	if err != nil {
		return nil, err
	}
	tracked := map[string]bool{}
	for i := range entries {
		entries[i].Blob = ""
		tracked[entries[i].Path] = true
	}
	for _, path := range conflicts {
		tracked[path] = true
		entries = append(entries, Entry{Path: path, Mode: ModeFile, Size: -1})
	}
	patterns, err := gitignore.ReadPatterns(osfs.New(r.root), nil)
	if err != nil {
		return nil, fmt.Errorf("ignore files: %w", err)
	}
	ignored := gitignore.NewMatcher(patterns)
	err = filepath.WalkDir(r.root, func(path string, d fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil || path == r.root {
			return err
		}
		rel, err := filepath.Rel(r.root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir():
			if d.Name() == ".git" || ignored.Match(strings.Split(rel, "/"), true) || fileExists(filepath.Join(path, ".git")) {
				return fs.SkipDir
			}
		case d.Name() != ".git" && !tracked[rel] && !ignored.Match(strings.Split(rel, "/"), false):
			entries = append(entries, Entry{Path: rel, Mode: ModeFile, Size: -1})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("working tree: %w", err)
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Path, b.Path) })
	return entries, nil
}
