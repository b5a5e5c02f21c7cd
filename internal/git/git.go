// Package git reads repositories: one small interface over git's own plumbing (the hook, the scan, the runner) and
// over go-git (repositories that are gatebot's own, and machines without a git binary). It is the only importer of
// go-git. Environment variables that point at a repository (git rev-parse --local-env-vars) never leak into a child.
package git

import (
	"context"
	"errors"
	"time"
)

// Errors that callers tell apart.
var (
	ErrNotRepository = errors.New("not a git repository")
	ErrNotFound      = errors.New("no such object")
)

// Repository reads one repository. Ids are full hexadecimal object ids of either hash. Implementations are safe for
// concurrent use.
type Repository interface {
	// Dir is the git directory, CommonDir the directory shared by linked worktrees, Root the work tree (empty when bare).
	Dir() string
	CommonDir() string
	Root() string
	// Resolve peels rev to a commit id, or says ErrNotFound.
	Resolve(ctx context.Context, rev string) (string, error)
	Commit(ctx context.Context, id string) (Commit, error)
	// Tree lists every file of a commit's or tree's tree in path order.
	Tree(ctx context.Context, rev string) ([]Entry, error)
	// Diff lists the files that differ between two commits or trees; renames are paired when renames is set.
	// An empty a means the empty tree.
	Diff(ctx context.Context, a, b string, renames bool) ([]Change, error)
	// Blobs calls f for each id in order. A missing blob gives f an ErrNotFound instead of data (partial clone).
	Blobs(ctx context.Context, ids []string, f func(id string, data []byte, err error) error) error
	// Commits lists what is reachable from include and not from exclude, newest first. An exclude of "--remotes=NAME"
	// stands for all remote-tracking branches of that remote. FirstParent follows first parents only.
	Commits(ctx context.Context, include, exclude []string, firstParent bool) ([]string, error)
	// MergeBase is ErrNotFound when there is none.
	MergeBase(ctx context.Context, a, b string) (string, error)
	// Has reports whether the object is in the local store (nothing is fetched).
	Has(ctx context.Context, id string) bool
	// Shallow reports whether history is cut off.
	Shallow() bool
}

// Commit is the part of a commit that gatebot uses.
type Commit struct {
	ID, Tree, Subject, Author string
	Parents                   []string
	When                      time.Time
}

// Mode bits of an entry.
const (
	ModeFile      = 0o100644
	ModeExec      = 0o100755
	ModeSymlink   = 0o120000
	ModeSubmodule = 0o160000
)

// Entry is one file of a tree.
type Entry struct {
	Path string
	Mode uint32
	Blob string
	Size int64 // -1 when not asked for
}

// Change is one difference. Status is A, D, M, R or T; OldPath differs from Path for renames only.
type Change struct {
	Status           byte
	OldPath, Path    string
	OldBlob, Blob    string
	OldMode, NewMode uint32
}
