package gate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/scancache"
	"github.com/gatebot/gatebot/internal/tree"
)

// target is the tree that a request names.
type target struct {
	root   string         // of the working tree, empty in a bare repository
	repo   git.Repository // nil outside any repository
	rev    string         // commit id, empty for a working tree or index
	commit string
	tree   string
	source checks.Source
	cache  *scancache.Store
	memory *checks.Memory // made or loaded for the first scan that needs it
}

func open(ctx context.Context, r Request) (*target, error) {
	dir, err := filepath.Abs(r.Dir)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // git reports its root without symbolic links
	}
	// GIT_DIR counts here as it does for git itself: people scan bare mirrors that way.
	repo, err := git.Open(ctx, dir, git.HookEnv())
	if errors.Is(err, git.ErrNotRepository) {
		if r.Rev != "" || r.Staged || r.Base != "" {
			return nil, &UsageError{fmt.Sprintf("%v", err)}
		}
		return plain(dir, r)
	}
	if err != nil {
		return nil, err
	}
	t := &target{root: repo.Root(), repo: repo, cache: openCache(r, repo)}
	if err := t.pick(ctx, r); err != nil {
		return nil, err
	}
	if r.Base != "" && t.cache == nil {
		t.memory = checks.NewMemory()
	}
	base := t.root
	if base == "" {
		base = dir
	}
	paths, err := relative(base, dir, r.Paths)
	if err != nil {
		if r.Rev == "" && !r.Staged && r.Base == "" {
			// Somebody else's tree, named from inside a repository: it is scanned by itself.
			return plain(dir, r)
		}
		return nil, err
	}
	if len(paths) > 0 {
		t.source = below{t.source, paths}
	}
	return t, nil
}

// pick chooses the source inside a repository.
func (t *target) pick(ctx context.Context, r Request) error {
	switch {
	case r.Rev != "":
		id, err := t.repo.Resolve(ctx, r.Rev)
		if err != nil {
			return notFound(r.Rev, err)
		}
		c, err := t.repo.Commit(ctx, id)
		if err != nil {
			return err
		}
		t.rev, t.commit, t.tree = id, id, c.Tree
		t.source = tree.NewCommit(t.repo, id)
	case t.root == "":
		return &UsageError{"a bare repository has no working tree (name a commit with --rev)"}
	case r.Staged:
		t.source = tree.NewIndex(t.repo)
	default:
		t.source = tree.NewWorktree(t.root)
	}
	return nil
}

func notFound(rev string, err error) error {
	if errors.Is(err, git.ErrNotFound) {
		return &UsageError{fmt.Sprintf("%s: no such commit here (fetch it, or check the name)", rev)}
	}
	return err
}

// plain is a target outside any repository.
func plain(dir string, r Request) (*target, error) {
	root, err := commonDir(dir, r.Paths)
	if err != nil {
		return nil, err
	}
	t := &target{root: root, source: tree.NewWorktree(root), cache: openCache(r, nil)}
	paths, err := relative(root, dir, r.Paths)
	if err != nil {
		return nil, err
	}
	if len(paths) > 0 {
		t.source = below{t.source, paths}
	}
	return t, nil
}

// named turns a path as typed in dir into one of the tree.
func (t *target) named(dir, name string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	root := t.root
	if root == "" {
		root = abs // bare: paths are those of the tree
	}
	paths, err := relative(root, abs, []string{name})
	if err != nil {
		return "", err
	}
	return paths[0], nil
}

// read gives the source of one file of the scanned tree.
func (t *target) read(path string) ([]byte, error) {
	if t.rev != "" {
		return tree.ReadFile(context.Background(), t.repo, t.rev, path)
	}
	return os.ReadFile(filepath.Join(t.root, filepath.FromSlash(path)))
}

// known scans the base and gives what it has. The configuration is the one of the scan, so that a change of
// configuration alone makes nothing new. The whole base is scanned even when paths were given: findings are compared
// by fingerprint, and more known ones do no harm.
func (t *target) known(ctx context.Context, rev string, cfg *config.Config, all bool) ([]finding.Finding, error) {
	id, err := t.repo.Resolve(ctx, rev)
	if err != nil {
		return nil, notFound(rev, err)
	}
	rep, err := t.scan(ctx, tree.NewCommit(t.repo, id), scanOptions(cfg, all))
	if err != nil {
		return nil, fmt.Errorf("base %s: %w", rev, err)
	}
	return rep.Findings, nil
}
