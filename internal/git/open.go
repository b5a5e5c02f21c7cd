package git

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gatebot/gatebot/internal/lru"
)

// Option changes how a repository is opened.
type Option func(*options)

type options struct {
	keepEnv   []string
	readsSoon bool
}

// HookEnv makes git honor GIT_DIR and its companions: right inside a hook, where git exports them for a linked
// worktree and for `git --git-dir`, and wrong everywhere else. Only the git binary knows how to; go-git finds the
// repository by its directory.
func HookEnv() Option { return func(o *options) { o.keepEnv = hookEnv } }

// ReadsSoon starts the child that contents are read through while the repository is opened.
func ReadsSoon() Option { return func(o *options) { o.readsSoon = true } }

// Open opens the repository that dir lies in: through the git binary when there is a usable one, else through go-git.
func Open(ctx context.Context, dir string, opts ...Option) (Repository, error) {
	cli, err := OpenCLI(ctx, dir, opts...)
	if errors.Is(err, ErrNoBinary) {
		return OpenGoGit(dir)
	}
	if err != nil {
		return nil, err
	}
	return cli, nil
}

// OpenCLI opens the repository that dir lies in through the git binary.
func OpenCLI(ctx context.Context, dir string, opts ...Option) (*CLI, error) {
	var o options
	for _, f := range opts {
		f(&o)
	}
	binary, err := findBinary()
	if err != nil {
		return nil, err
	}
	abs, err := realDir(dir)
	if err != nil {
		return nil, fmt.Errorf("open repository %q: %w", dir, err)
	}
	r := &CLI{commander: newCommander(binary, abs, o.keepEnv), kept: lru.New[string, []byte](0, nil)}
	if err := r.open(ctx, o.readsSoon); err != nil {
		_ = r.Close() // of children that have read nothing
		return nil, err
	}
	return r, nil
}

// open asks git for its version and for the repository at the same time: each takes as long as half of what a hook may.
func (r *CLI) open(ctx context.Context, readsSoon bool) error {
	var others sync.WaitGroup
	defer others.Wait()
	if readsSoon {
		others.Go(func() {
			if b, err := r.startBatch("--batch"); err == nil { // else whoever reads is told
				r.contents.give(b)
			}
		})
	}
	var old error
	version := make(chan struct{})
	others.Go(func() {
		defer close(version)
		old = usable(ctx, r.binary)
	})
	out, err := r.run(ctx, nil, "rev-parse", "--is-bare-repository", "--is-shallow-repository", "--git-dir",
		"--git-common-dir", "--show-cdup")
	if <-version; old != nil {
		return old
	}
	var ce *CommandError
	if errors.As(err, &ce) && strings.Contains(ce.Stderr, "not a git repository") {
		return fmt.Errorf("open repository %q: %w (run it inside a clone)", r.dir, ErrNotRepository)
	}
	if err == nil {
		err = r.place(string(out))
	}
	if err != nil {
		return fmt.Errorf("open repository %q: %w", r.dir, err)
	}
	return nil
}

// realDir is dir without symbolic links: "../" from inside a linked directory leads elsewhere than in its text.
func realDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// place reads the lines of the rev-parse above: two booleans, two directories and, with a work tree, the way up to it.
func (r *CLI) place(out string) error {
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) == 4 {
		lines = append(lines, "")
	}
	if len(lines) != 5 {
		return fmt.Errorf("git rev-parse gave %d lines instead of 5 (does the path have a line break?)", len(lines))
	}
	under := func(p string) string {
		if filepath.IsAbs(p) {
			return filepath.Clean(p)
		}
		return filepath.Join(r.dir, p)
	}
	r.shallow = lines[1] == "true"
	r.gitDir, r.commonDir = under(lines[2]), under(lines[3])
	if lines[0] != "true" {
		r.root = under(lines[4])
	}
	return nil
}
