package git

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// listing is the tree that was listed last. The next one of a walk differs from it in a few files, and what differs is known a
// hundred times sooner than all that is there.
type listing struct {
	mu      sync.Mutex
	tree    string
	entries []Entry
}

// near lists a tree by what it has other than the one that was listed last; false when that cannot be.
func (r *CLI) near(ctx context.Context, tree string) ([]Entry, bool) {
	l := &r.listed
	l.mu.Lock()
	was, entries := l.tree, l.entries
	l.mu.Unlock()
	if was == "" || !r.trees.has(was) || !r.trees.has(tree) {
		return nil, false
	}
	changes, err := r.diffed(ctx, was, tree, false)
	if err != nil {
		return nil, false // whoever lists all of it finds out why
	}
	return patched(entries, changes), true
}

func (l *listing) keep(tree string, entries []Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tree, l.entries = tree, slices.Clone(entries)
}

// patched is a list of files with changes of a diff without renames, in the order of paths.
func patched(entries []Entry, changes []Change) []Entry {
	changed := make(map[string]*Change, len(changes))
	for i := range changes {
		changed[changes[i].Path] = &changes[i]
	}
	out := make([]Entry, 0, len(entries)+len(changes))
	for _, e := range entries {
		if changed[e.Path] == nil {
			out = append(out, e)
		}
	}
	for _, c := range changes {
		if c.Status != 'D' {
			out = append(out, Entry{Path: c.Path, Mode: c.NewMode, Blob: c.Blob, Size: -1})
		}
	}
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Compare(a.Path, b.Path) })
	return out
}
