package git

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// Diff compares two trees, walking only the directories that differ.
func (r *GoGit) Diff(ctx context.Context, a, b string, renames bool) ([]Change, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	idA, err := r.treeID(a)
	if err != nil {
		return nil, err
	}
	idB, err := r.treeID(b)
	if err != nil {
		return nil, err
	}
	var changes []Change
	if err := r.diff(ctx, idA, idB, "", &changes); err != nil {
		return nil, err
	}
	if renames {
		if changes, err = r.pairRenames(changes); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(changes, func(x, y Change) int { return cmp.Compare(x.Path, y.Path) })
	return changes, nil
}

func (r *GoGit) diff(ctx context.Context, a, b, prefix string, out *[]Change) error {
	if a == b {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	old, err := r.nodes(a)
	if err != nil {
		return err
	}
	now, err := r.nodes(b)
	if err != nil {
		return err
	}
	rest := make(map[string]node, len(now))
	for _, n := range now {
		rest[n.name] = n
	}
	for _, o := range old {
		n, both := rest[o.name]
		delete(rest, o.name)
		if both && n == o {
			continue
		}
		if err := r.pair(ctx, o, n, prefix, out); err != nil {
			return err
		}
	}
	for _, n := range now {
		if _, left := rest[n.name]; left {
			if err := r.pair(ctx, node{}, n, prefix, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// pair reports what became of one name. A node without a name is not there.
func (r *GoGit) pair(ctx context.Context, o, n node, prefix string, out *[]Change) error {
	path := prefix + cmp.Or(n.name, o.name)
	subtree := func(x node) string {
		if x.mode == modeDir {
			return x.id
		}
		return ""
	}
	if o.mode == modeDir || n.mode == modeDir {
		if err := r.diff(ctx, subtree(o), subtree(n), path+"/", out); err != nil {
			return err
		}
	}
	c := Change{OldPath: path, Path: path}
	if o.name != "" && o.mode != modeDir {
		c.Status, c.OldBlob, c.OldMode = 'D', o.id, o.mode
	}
	if n.name != "" && n.mode != modeDir {
		switch {
		case c.Status == 0:
			c.Status = 'A'
		case o.mode&0o170000 != n.mode&0o170000:
			c.Status = 'T'
		default:
			c.Status = 'M'
		}
		c.Blob, c.NewMode = n.id, n.mode
	}
	if c.Status != 0 {
		*out = append(*out, c)
	}
	return nil
}

// pairRenames joins deletions and additions of at least half equal content, as git's default does.
func (r *GoGit) pairRenames(changes []Change) ([]Change, error) {
	tree, err := object.DecodeTree(r.store, emptyTreeObject(r.store.NewEncodedObject()))
	if err != nil {
		return nil, fmt.Errorf("renames: %w", err)
	}
	var candidates object.Changes
	var out []Change
	byPath := map[string]Change{}
	for _, c := range changes {
		byPath[string(c.Status)+c.Path] = c
		switch {
		case c.Status == 'A' && c.NewMode != ModeSubmodule:
			candidates = append(candidates, &object.Change{To: changeEntry(tree, c.Path, c.NewMode, c.Blob)})
		case c.Status == 'D' && c.OldMode != ModeSubmodule:
			candidates = append(candidates, &object.Change{From: changeEntry(tree, c.Path, c.OldMode, c.OldBlob)})
		default:
			out = append(out, c)
		}
	}
	detected, err := object.DetectRenames(candidates, &object.DiffTreeOptions{RenameScore: 50, RenameLimit: 1000})
	if err != nil {
		return nil, fmt.Errorf("renames: %w", err)
	}
	for _, d := range detected {
		from, to := byPath["D"+d.From.Name], byPath["A"+d.To.Name]
		switch {
		case d.From.Name == "":
			out = append(out, to)
		case d.To.Name == "":
			out = append(out, from)
		default:
			out = append(out, Change{Status: 'R', OldPath: from.Path, Path: to.Path, OldBlob: from.OldBlob, Blob: to.Blob,
				OldMode: from.OldMode, NewMode: to.NewMode})
		}
	}
	return out, nil
}

func emptyTreeObject(o plumbing.EncodedObject) plumbing.EncodedObject {
	o.SetType(plumbing.TreeObject)
	return o
}

func changeEntry(tree *object.Tree, path string, mode uint32, blob string) object.ChangeEntry {
	return object.ChangeEntry{Name: path, Tree: tree,
		TreeEntry: object.TreeEntry{Name: path, Mode: filemode.FileMode(mode), Hash: plumbing.NewHash(blob)}}
}
