package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// place is where a repository's parts are.
type place struct{ gitDir, commonDir, root string }

// OpenGoGit opens the repository that dir lies in with go-git, which needs no git binary. What go-git would read
// wrongly (SHA-256, worktreeConfig, alternates, partial clones, other extensions) is an *UnsupportedError.
func OpenGoGit(dir string) (*GoGit, error) {
	p, err := discover(dir)
	if err != nil {
		return nil, fmt.Errorf("open repository %q: %w", dir, err)
	}
	return openGoGit(p)
}

func openGoGit(p place) (*GoGit, error) {
	dot := osfs.New(p.gitDir)
	if p.commonDir != p.gitDir {
		dot = dotgit.NewRepositoryFilesystem(dot, osfs.New(p.commonDir))
	}
	store := filesystem.NewStorage(dot, cache.NewObjectLRUDefault())
	if err := supported(p, store); err != nil {
		return nil, err
	}
	repo, err := gogit.Open(store, nil)
	switch {
	case errors.Is(err, gogit.ErrUnknownExtension),
		errors.Is(err, gogit.ErrUnsupportedExtensionRepositoryFormatVersion),
		errors.Is(err, gogit.ErrUnsupportedRepositoryFormatVersion):
		return nil, &UnsupportedError{Dir: p.gitDir, Feature: err.Error()}
	case err != nil:
		return nil, fmt.Errorf("open repository %s: %w", p.gitDir, err)
	}
	shallow, err := store.Shallow()
	if err != nil {
		return nil, fmt.Errorf("open repository %s: shallow file: %w", p.gitDir, err)
	}
	return &GoGit{place: p, store: store, repo: repo, shallow: len(shallow) > 0}, nil
}

// supported looks for what go-git knows nothing of, or notices only when an object is missing.
func supported(p place, store *filesystem.Storage) error {
	refuse := func(feature string) error { return &UnsupportedError{Dir: p.gitDir, Feature: feature} }
	cfg, err := store.Config()
	if err != nil {
		return fmt.Errorf("repository %s: config: %w", p.gitDir, err)
	}
	if cfg.Raw.HasSection("extensions") {
		for _, o := range cfg.Raw.Section("extensions").Options {
			key, value := strings.ToLower(o.Key), strings.ToLower(o.Value)
			if key == "noop" || key == "noop-v1" || key == "objectformat" && value == "sha1" {
				continue
			}
			return refuse("extension " + key + "=" + value)
		}
	}
	if promisor(cfg) {
		return refuse("a partial clone")
	}
	alternates, err := os.ReadFile(filepath.Join(p.commonDir, "objects", "info", "alternates"))
	if err == nil && strings.TrimSpace(string(alternates)) != "" {
		return refuse("an object store with alternates")
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("repository %s: alternates: %w", p.gitDir, err)
	}
	return nil
}

// promisor reports whether a remote of the repository has promised objects that are not here.
func promisor(cfg *config.Config) bool {
	if !cfg.Raw.HasSection("remote") {
		return false
	}
	for _, s := range cfg.Raw.Section("remote").Subsections {
		if strings.EqualFold(s.Option("promisor"), "true") || s.Option("partialclonefilter") != "" {
			return true
		}
	}
	return false
}

// discover walks up from dir to a .git directory, a .git file or a bare repository.
func discover(dir string) (place, error) {
	abs, err := realDir(dir)
	if err != nil {
		return place{}, err
	}
	for at := abs; ; at = filepath.Dir(at) {
		dot := filepath.Join(at, ".git")
		if fi, err := os.Stat(dot); err == nil {
			if !fi.IsDir() {
				if dot, err = gitFile(dot); err != nil {
					return place{}, err
				}
			}
			return withCommon(place{gitDir: dot, root: at})
		}
		if isGitDir(at) {
			p := place{gitDir: at}
			if filepath.Base(at) == ".git" {
				p.root = filepath.Dir(at)
			}
			return withCommon(p)
		}
		if filepath.Dir(at) == at {
			return place{}, fmt.Errorf("%w (run it inside a clone)", ErrNotRepository)
		}
	}
}

func isGitDir(dir string) bool {
	for _, n := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(dir, n)); err != nil {
			return false
		}
	}
	return true
}

// gitFile follows a .git file ("gitdir: <path>") of a linked worktree or a submodule.
func gitFile(file string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	target, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
	if !ok {
		return "", fmt.Errorf("%s is no git directory and does not name one", file)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(file), target)
	}
	return filepath.Clean(target), nil
}

// withCommon adds the directory that a linked worktree shares with the others.
func withCommon(p place) (place, error) {
	p.commonDir = p.gitDir
	data, err := os.ReadFile(filepath.Join(p.gitDir, "commondir"))
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	common := strings.TrimRight(string(data), "\r\n")
	if !filepath.IsAbs(common) {
		common = filepath.Join(p.gitDir, common)
	}
	p.commonDir = filepath.Clean(common)
	return p, nil
}
