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
	// ErrUnsupported is what a backend says about a repository it would read wrongly (see UnsupportedError).
	ErrUnsupported = errors.New("repository format not supported")
	// ErrTooLarge stands for the data of a blob of more than MaxBlob bytes.
	ErrTooLarge = errors.New("blob too large")
	// ErrNoBinary means that there is no git binary, or one older than MinVersion.
	ErrNoBinary = errors.New("no usable git binary")
)

// MaxBlob is the largest blob, in bytes, whose data Blobs hands out. No source file comes near it, and a repository
// with model weights in it must not take the memory of the machine that looks at it.
const MaxBlob = 64 << 20

// Repository reads one repository. Ids are full hexadecimal object ids of either hash. Implementations are safe for
// concurrent use.
type Repository interface {
	// Close ends the child processes that the repository keeps; it may be used again afterwards.
	Close() error
	// Dir is the git directory, CommonDir the directory shared by linked worktrees, Root the work tree (empty when bare).
	Dir() string
	CommonDir() string
	Root() string
	// Resolve peels rev to a commit id, or says ErrNotFound. A rev that starts with '-' is ErrNotFound.
	Resolve(ctx context.Context, rev string) (string, error)
	Commit(ctx context.Context, id string) (Commit, error)
	// Tree lists every file of a commit's or tree's tree in path order.
	Tree(ctx context.Context, rev string) ([]Entry, error)
	// Diff lists the files that differ between two commits or trees; renames are paired when renames is set.
	// An empty a means the empty tree.
	Diff(ctx context.Context, a, b string, renames bool) ([]Change, error)
	// Blobs calls f for each id in order; data is f's to keep, and not to change. A missing blob gives f an ErrNotFound
	// instead of data (partial clone), one over MaxBlob an ErrTooLarge. An error of f ends the call and is returned as it is.
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

// Commit is the part of a commit that gatebot uses. Author is "Name <email>", When the committer's date, Subject the
// first paragraph of the message on one line. Parents are those written in the commit, whether or not a shallow clone
// has them; replacement objects and grafts are not looked at, because what is pushed is the real object. Picked are the
// commits that "(cherry picked from commit …)" lines of the message name (git cherry-pick -x).
type Commit struct {
	ID, Tree, Subject, Author string
	Parents, Picked           []string
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

// IsSource reports whether the entry is a regular file, not a symbolic link or a submodule.
func (e Entry) IsSource() bool { return e.Mode == ModeFile || e.Mode == ModeExec }

// Change is one difference. Status is A, D, M, R or T; OldPath differs from Path for renames only.
type Change struct {
	Status           byte
	OldPath, Path    string
	OldBlob, Blob    string
	OldMode, NewMode uint32
}
