package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/gatebot/gatebot/internal/lru"
)

// CLI is a repository read through the git binary. Contents go through long-lived `cat-file` children, differences of trees
// that commits have named through a `diff-tree`; every other question is one short command.
type CLI struct {
	commander
	gitDir, commonDir, root string
	shallow                 bool

	contents, headers pool
	diffs             [2]pool // without renames, with them
	trees             knownTrees
	kept              *lru.Cache[string, []byte] // contents of blobs
	listed            listing

	mu        sync.Mutex
	emptyTree string
}

var _ Repository = (*CLI)(nil)

// Dir is the git directory of this work tree.
func (r *CLI) Dir() string { return r.gitDir }

// CommonDir is the git directory that linked worktrees share.
func (r *CLI) CommonDir() string { return r.commonDir }

// Root is the top of the work tree, empty for a bare repository.
func (r *CLI) Root() string { return r.root }

// Shallow reports whether history is cut off.
func (r *CLI) Shallow() bool { return r.shallow }

// Close ends the children that live on.
func (r *CLI) Close() error {
	r.contents.close()
	r.headers.close()
	r.diffs[0].close()
	r.diffs[1].close()
	return nil
}

// Resolve peels rev to a commit.
func (r *CLI) Resolve(ctx context.Context, rev string) (string, error) {
	if rev == "" || strings.HasPrefix(rev, "-") || strings.ContainsAny(rev, "\n\x00") {
		return "", fmt.Errorf("revision %q: %w", rev, ErrNotFound)
	}
	out, err := r.run(ctx, nil, "rev-parse", "--verify", "--quiet", rev+"^{commit}")
	if code := exitCode(err); code == 1 || code == 128 {
		return "", fmt.Errorf("revision %q: %w", rev, ErrNotFound)
	}
	if err != nil {
		return "", fmt.Errorf("revision %q: %w", rev, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Tree lists every file below rev.
func (r *CLI) Tree(ctx context.Context, rev string) ([]Entry, error) {
	if err := plainRev(rev); err != nil {
		return nil, err
	}
	tree := ""
	if r.keeps() && isID(rev) {
		if c, err := r.Commit(ctx, rev); err == nil {
			tree = c.Tree
		}
		if entries, ok := r.near(ctx, tree); ok {
			r.listed.keep(tree, entries)
			return entries, nil
		}
	}
	out, err := r.run(ctx, nil, "ls-tree", "-r", "-z", "--full-tree", rev)
	if err != nil {
		return nil, notFound(rev, err)
	}
	entries, err := parseTree(out)
	if err == nil && tree != "" {
		r.listed.keep(tree, entries)
	}
	return entries, err
}

// Diff compares two trees.
func (r *CLI) Diff(ctx context.Context, a, b string, renames bool) ([]Change, error) {
	if a == "" {
		var err error
		if a, err = r.empty(ctx); err != nil {
			return nil, err
		}
	}
	for _, rev := range []string{a, b} {
		if err := plainRev(rev); err != nil {
			return nil, err
		}
	}
	if r.trees.has(a) && r.trees.has(b) {
		if changes, err := r.diffed(ctx, a, b, renames); err == nil || ctx.Err() != nil {
			return changes, err
		}
	}
	out, err := r.run(ctx, nil, diffArgs(renames, a, b)...)
	if err != nil {
		return nil, notFound(a+".."+b, err)
	}
	return parseRawDiff(out)
}

// empty asks git for the id of the empty tree, which depends on the hash of the repository.
func (r *CLI) empty(ctx context.Context) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.emptyTree == "" {
		out, err := r.run(ctx, nil, "hash-object", "-t", "tree", "--stdin")
		if err != nil {
			return "", err
		}
		r.emptyTree = strings.TrimSpace(string(out))
	}
	return r.emptyTree, nil
}

// Commits lists commits, newest first. Revisions travel on stdin so that thousands of them fit.
func (r *CLI) Commits(ctx context.Context, include, exclude []string, firstParent bool) ([]string, error) {
	var stdin bytes.Buffer
	args := []string{"rev-list"}
	if firstParent {
		args = append(args, "--first-parent")
	}
	args = append(args, "--stdin")
	var remotes []string
	for _, rev := range include {
		if err := plainRev(rev); err != nil {
			return nil, err
		}
		fmt.Fprintln(&stdin, rev)
	}
	for _, rev := range exclude {
		if strings.HasPrefix(rev, remotesPrefix) {
			remotes = append(remotes, rev)
			continue
		}
		if err := plainRev(rev); err != nil {
			return nil, err
		}
		fmt.Fprintln(&stdin, "^"+rev)
	}
	if len(remotes) > 0 {
		args = append(append(args, "--not"), remotes...)
	}
	out, err := r.run(ctx, &stdin, args...)
	if err != nil {
		return nil, notFound(strings.Join(include, " "), err)
	}
	return strings.Fields(string(out)), nil
}

// remotesPrefix opens an exclude that stands for the remote-tracking branches of one remote.
const remotesPrefix = "--remotes="

// MergeBase is the best common ancestor.
func (r *CLI) MergeBase(ctx context.Context, a, b string) (string, error) {
	for _, rev := range []string{a, b} {
		if err := plainRev(rev); err != nil {
			return "", err
		}
	}
	out, err := r.run(ctx, nil, "merge-base", a, b)
	if exitCode(err) == 1 {
		return "", fmt.Errorf("merge base of %s and %s: %w", a, b, ErrNotFound)
	}
	if err != nil {
		return "", notFound(a+" "+b, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// plainRev keeps a revision from being read as an option or as a second line of input.
func plainRev(rev string) error {
	if rev == "" || rev[0] == '-' || rev[0] == '^' || strings.ContainsAny(rev, "\n\x00") {
		return fmt.Errorf("revision %q: %w", rev, ErrNotFound)
	}
	return nil
}

// notFound turns git's ways of saying that an object is not there into ErrNotFound.
func notFound(what string, err error) error {
	var ce *CommandError
	if errors.As(err, &ce) {
		for _, s := range []string{"Not a valid object name", "bad object", "bad revision", "not a tree object",
			"unknown revision", "ambiguous argument", "Not a valid commit name", "unable to read tree", "could not fetch",
			"Could not read"} {
			if strings.Contains(ce.Stderr, s) {
				return fmt.Errorf("%s: %w: %w", what, ErrNotFound, err)
			}
		}
	}
	return err
}
