package hooks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gatebot/gatebot/internal/git"
)

// place is where the hook of one repository lives.
type place struct {
	repo *git.CLI
	dir  string // the directory that git looks in
	path string // core.hooksPath when that is why, else empty
}

func (p *place) hook(name string) string    { return filepath.Join(p.dir, name) }
func (p *place) chained(name string) string { return p.hook(name) + chainedSuffix }

// find asks git, which knows about worktrees and core.hooksPath. There are no hooks without a git binary.
func find(ctx context.Context, dir string) (*place, error) {
	repo, err := git.OpenCLI(ctx, dir)
	if err != nil {
		return nil, err
	}
	p := &place{repo: repo}
	if p.dir, err = repo.HooksDir(ctx); err != nil {
		return nil, err
	}
	p.path, _, err = repo.Setting(ctx, "core.hooksPath")
	return p, err
}

// ForeignDirError says that the hooks directory is not this repository's own.
type ForeignDirError struct {
	Dir     string
	Setting string // core.hooksPath
	Husky   bool
}

func (e *ForeignDirError) Error() string {
	if e.Husky {
		return fmt.Sprintf("hook install: %s belongs to husky, which rewrites it (add the line below to .husky/pre-push instead)\n"+
			"    gatebot hook pre-push \"$@\"", e.Dir)
	}
	return fmt.Sprintf("hook install: core.hooksPath is %s, which is outside this repository: every repository that uses it would be gated (choose one)\n"+
		"  1. add this line to %s yourself:  gatebot hook pre-push \"$@\"\n"+
		"  2. give this repository hooks of its own:  git config --local core.hooksPath \"$(git rev-parse --git-common-dir)/hooks\"  and install again\n"+
		"  3. write there all the same:  gatebot hook install --force", e.Setting, filepath.Join(e.Dir, prePush))
}

// own reports whether the directory belongs to this repository alone.
func (p *place) own() error {
	if filepath.Base(p.dir) == "_" && filepath.Base(filepath.Dir(p.dir)) == ".husky" {
		return &ForeignDirError{Dir: p.dir, Setting: p.path, Husky: true}
	}
	for _, top := range []string{p.repo.CommonDir(), p.repo.Root()} {
		if top != "" && inside(top, p.dir) {
			return nil
		}
	}
	return &ForeignDirError{Dir: p.dir, Setting: p.path}
}

// inside follows symbolic links as far as the directory exists: a link out of the repository is outside.
func inside(top, dir string) bool {
	top, dir = real(top), real(dir)
	rel, err := filepath.Rel(top, dir)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func real(dir string) string {
	if r, err := filepath.EvalSymlinks(dir); err == nil {
		return r
	}
	if parent := filepath.Dir(dir); parent != dir {
		return filepath.Join(real(parent), filepath.Base(dir))
	}
	return dir
}

// read gives a file's content; nil and no error when there is none.
func read(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		// A link to nothing is something all the same.
		if _, lerr := os.Lstat(path); lerr == nil {
			return nil, fmt.Errorf("%s is a link to nothing (remove it)", path)
		}
		return nil, nil
	}
	if err == nil && data == nil {
		data = []byte{}
	}
	return data, err
}
