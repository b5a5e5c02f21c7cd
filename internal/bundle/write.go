package bundle

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage"

	"github.com/gatebot/gatebot/internal/git"
)

// DefaultMaxBytes limits what the objects of a bundle may come to, uncompressed.
const DefaultMaxBytes = 4 << 30

// Writer writes bundles. The zero value has the default limit.
type Writer struct {
	MaxBytes int64 // of all objects, uncompressed; default DefaultMaxBytes
}

// Write writes head, and base when it is not empty, from the bare repository in dir, with the default limit.
func Write(ctx context.Context, dir, head, base string, w io.Writer) error {
	return Writer{}.Write(ctx, dir, head, base, w)
}

// Write streams: at no time is more than one file in memory. A commit's parents, and submodules' commits, are left out.
func (b Writer) Write(ctx context.Context, dir, head, base string, w io.Writer) error {
	if b.MaxBytes <= 0 {
		b.MaxBytes = DefaultMaxBytes
	}
	for _, id := range []string{head, base} {
		if len(id) == 64 {
			return fmt.Errorf("bundle: %w: %s is a SHA-256 id", ErrUnsupported, id)
		}
		if !isID(id) && (id == head || id != "") {
			return fmt.Errorf("bundle: %q is no full object id", id)
		}
	}
	m, err := git.OpenMirror(dir)
	if errors.Is(err, git.ErrUnsupported) {
		return fmt.Errorf("bundle: %w: %w", ErrUnsupported, err)
	}
	if err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	err = m.WithStorer(func(s storage.Storer) error { return b.write(ctx, s, head, base, w) })
	if cerr := m.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("bundle of %.12s: %w", head, err)
	}
	return nil
}

func (b Writer) write(ctx context.Context, s storer.EncodedObjectStorer, head, base string, w io.Writer) error {
	c := collector{s: s, seen: map[plumbing.Hash]bool{}, max: b.MaxBytes}
	for _, id := range []string{head, base} {
		if id == "" {
			continue
		}
		files, err := c.commit(ctx, plumbing.NewHash(id))
		if err != nil {
			return err
		}
		if files == 0 && id == head {
			return fmt.Errorf("%w (it is empty, or holds nothing but submodules)", ErrNoFiles)
		}
	}
	if _, err := io.WriteString(w, header(head, base)); err != nil {
		return err
	}
	return writePack(ctx, s, c.order, w)
}

// collector lists the objects of a tree in the order in which git likes to read them: commits, trees, then files.
type collector struct {
	s     storer.EncodedObjectStorer
	seen  map[plumbing.Hash]bool
	order []plumbing.Hash
	size  int64
	max   int64
}

// add notes an object; false means that it was there already.
func (c *collector) add(h plumbing.Hash, path string) (bool, error) {
	if c.seen[h] {
		return false, nil
	}
	size, err := c.s.EncodedObjectSize(h)
	if err != nil {
		return false, missing(h, path, err)
	}
	if c.size += size; c.size > c.max {
		return false, fmt.Errorf("%w: more than %d bytes, reached at %s (raise the limit, or keep large files elsewhere)",
			ErrTooLarge, c.max, path)
	}
	c.seen[h] = true
	c.order = append(c.order, h)
	return true, nil
}

func missing(h plumbing.Hash, path string, err error) error {
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return fmt.Errorf("%w: %s (%s)", ErrMissing, h, path)
	}
	return fmt.Errorf("object %s (%s): %w", h, path, err)
}

func (c *collector) commit(ctx context.Context, h plumbing.Hash) (files int, err error) {
	o, err := object.GetCommit(c.s, h)
	if err != nil {
		return 0, missing(h, "the commit", err)
	}
	if _, err := c.add(h, "the commit"); err != nil {
		return 0, err
	}
	return c.tree(ctx, o.TreeHash, "", 0)
}

// maxDepth of folders is more than any path limit allows.
const maxDepth = 512

// tree returns the number of files below, also when they were noted before.
func (c *collector) tree(ctx context.Context, h plumbing.Hash, path string, depth int) (files int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if depth > maxDepth {
		return 0, fmt.Errorf("%w: folders nested more than %d deep", ErrUnsupported, maxDepth)
	}
	fresh, err := c.add(h, "folder "+path)
	if err != nil {
		return 0, err
	}
	if !fresh {
		return 1, nil // a folder that two places share; git has no empty ones
	}
	t, err := object.GetTree(c.s, h)
	if err != nil {
		return 0, missing(h, "folder "+path, err)
	}
	for _, e := range t.Entries {
		name := path + e.Name
		switch e.Mode {
		case filemode.Submodule:
			continue
		case filemode.Dir:
			n, err := c.tree(ctx, e.Hash, name+"/", depth+1)
			if err != nil {
				return 0, err
			}
			files += n
		default:
			files++
			if _, err := c.add(e.Hash, name); err != nil {
				return 0, err
			}
		}
	}
	return files, nil
}
