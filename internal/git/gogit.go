package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// GoGit is a repository read through go-git. Its storage is not made for several goroutines, so one lock covers it.
type GoGit struct {
	place
	shallow bool

	mu    sync.Mutex
	store *filesystem.Storage
	repo  *gogit.Repository
}

var _ Repository = (*GoGit)(nil)

// Dir is the git directory of this work tree.
func (r *GoGit) Dir() string { return r.gitDir }

// CommonDir is the git directory that linked worktrees share.
func (r *GoGit) CommonDir() string { return r.commonDir }

// Root is the top of the work tree, empty for a bare repository.
func (r *GoGit) Root() string { return r.root }

// Shallow reports whether history is cut off.
func (r *GoGit) Shallow() bool { return r.shallow }

// Close lets go of open pack files.
func (r *GoGit) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.store.Close()
}

// Has reports whether the object is in the local store.
func (r *GoGit) Has(_ context.Context, id string) bool {
	if len(id) != 40 || !isID(id) {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.store.HasEncodedObject(plumbing.NewHash(id)) == nil
}

// Resolve peels rev to a commit.
func (r *GoGit) Resolve(ctx context.Context, rev string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.resolve(rev)
}

func (r *GoGit) resolve(rev string) (string, error) {
	if err := plainRev(rev); err != nil {
		return "", err
	}
	id := rev
	if named, ok := r.reference(rev); ok {
		id = named // ResolveRevision gives up on a tag of a tag
	} else if !isID(rev) {
		h, err := r.repo.ResolveRevision(plumbing.Revision(strings.TrimSuffix(rev, "^{commit}")))
		if err != nil {
			return "", fmt.Errorf("revision %q: %w: %w", rev, ErrNotFound, err)
		}
		id = h.String()
	}
	for range 32 { // a chain of tags longer than this is a cycle or an attack
		o, err := r.object(id)
		if err != nil {
			return "", fmt.Errorf("revision %q: %w", rev, err)
		}
		switch o.Type() {
		case plumbing.CommitObject:
			return id, nil
		case plumbing.TagObject:
			tag, err := object.DecodeTag(r.store, o)
			if err != nil {
				return "", fmt.Errorf("revision %q: tag %s: %w", rev, id, err)
			}
			id = tag.Target.String()
		default:
			return "", fmt.Errorf("revision %q: it is a %s: %w", rev, o.Type(), ErrNotFound)
		}
	}
	return "", fmt.Errorf("revision %q: tags without end: %w", rev, ErrNotFound)
}

// reference looks a name up where git does.
func (r *GoGit) reference(rev string) (string, bool) {
	if isID(rev) {
		return "", false
	}
	for _, rule := range plumbing.RefRevParseRules {
		ref, err := storer.ResolveReference(r.store, plumbing.ReferenceName(fmt.Sprintf(rule, rev)))
		if err == nil {
			return ref.Hash().String(), true
		}
	}
	return "", false
}

func (r *GoGit) object(id string) (plumbing.EncodedObject, error) {
	if len(id) != 40 || !isID(id) {
		return nil, fmt.Errorf("object %q: %w", id, ErrNotFound)
	}
	o, err := r.store.EncodedObject(plumbing.AnyObject, plumbing.NewHash(id))
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return nil, fmt.Errorf("object %s: %w", id, ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("object %s: %w", id, err)
	}
	return o, nil
}

func readObject(o plumbing.EncodedObject) (data []byte, err error) {
	rd, err := o.Reader()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rd.Close()) }()
	return io.ReadAll(rd)
}

// Commit reads one commit by its id.
func (r *GoGit) Commit(ctx context.Context, id string) (Commit, error) {
	if err := ctx.Err(); err != nil {
		return Commit{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.commit(id)
}

func (r *GoGit) commit(id string) (Commit, error) {
	o, err := r.object(id)
	if err != nil {
		return Commit{}, fmt.Errorf("commit: %w", err)
	}
	if o.Type() != plumbing.CommitObject {
		return Commit{}, fmt.Errorf("commit %s: it is a %s: %w", id, o.Type(), ErrNotFound)
	}
	raw, err := readObject(o)
	if err != nil {
		return Commit{}, fmt.Errorf("commit %s: %w", id, err)
	}
	return parseCommit(id, raw)
}

// Blobs reads blobs in order. f runs without the lock.
func (r *GoGit) Blobs(ctx context.Context, ids []string, f func(id string, data []byte, err error) error) error {
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !isID(id) {
			return fmt.Errorf("blob %q: not a full object id", id)
		}
		data, err := r.blob(id)
		if err := f(id, data, err); err != nil {
			return err
		}
	}
	return nil
}

func (r *GoGit) blob(id string) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if size, err := r.store.EncodedObjectSize(plumbing.NewHash(id)); err == nil && size > MaxBlob {
		return nil, fmt.Errorf("blob %s: %d bytes: %w", id, size, ErrTooLarge)
	}
	o, err := r.object(id)
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	if o.Type() != plumbing.BlobObject {
		return nil, fmt.Errorf("blob %s: it is a %s: %w", id, o.Type(), ErrNotFound)
	}
	return readObject(o)
}
