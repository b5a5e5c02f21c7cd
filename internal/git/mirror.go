package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/http"
	"github.com/go-git/go-git/v5/storage"
)

// Mirror is a bare repository of gatebot's own that follows one on a server. It needs no git binary. One process at a
// time may fetch into a mirror.
type Mirror struct{ repo *GoGit }

// ErrFetch marks what went wrong between us and the remote, as against a damaged mirror; ErrAuth is the remote's
// refusal of the token, which trying again does not mend.
var (
	ErrFetch = errors.New("fetch failed")
	ErrAuth  = errors.New("the remote refuses the credentials")
)

// OpenMirror opens the bare repository at dir and makes it when dir is missing or empty.
func OpenMirror(dir string) (*Mirror, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("mirror %q: %w", dir, err)
	}
	entries, err := os.ReadDir(abs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("mirror %s: %w", abs, err)
	}
	if !isGitDir(abs) {
		// A crash while it was made leaves some of these; anything else is not ours to write into.
		for _, e := range entries {
			switch e.Name() {
			case "HEAD", "config", "objects", "refs", "description", "info", "hooks", "branches":
			default:
				return nil, fmt.Errorf("mirror %s: the directory holds other files (name an empty one)", abs)
			}
		}
		if err := initBare(abs); err != nil {
			return nil, fmt.Errorf("mirror %s: %w", abs, err)
		}
	}
	repo, err := openGoGit(place{gitDir: abs, commonDir: abs})
	if err != nil {
		return nil, err
	}
	return &Mirror{repo: repo}, nil
}

// initBare lays out an empty bare repository. HEAD comes last, so that a crash before it is seen by isGitDir.
func initBare(dir string) error {
	for _, d := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return err
		}
	}
	conf := "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n"
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(conf), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/main\n"), 0o644)
}

// Fetch brings what the refspecs name ("+refs/heads/*:refs/heads/*", or "<full id>:refs/gatebot/x") from url. A token,
// when there is one, goes as basic authentication in GitHub's form and never into a file, a URL or an error.
// A history that the remote rewrote is taken over. Nothing new is no error.
func (m *Mirror) Fetch(ctx context.Context, url, token string, refspecs []string) error {
	o := &gogit.FetchOptions{RemoteName: "mirror", Tags: gogit.NoTags, Force: true}
	for _, s := range refspecs {
		spec := config.RefSpec(s)
		if err := spec.Validate(); err != nil {
			return fmt.Errorf("fetch %s: refspec %q: %w", url, s, err)
		}
		o.RefSpecs = append(o.RefSpecs, spec)
	}
	if len(o.RefSpecs) == 0 {
		return fmt.Errorf("fetch %s: no refspec (say what to fetch)", url)
	}
	if token != "" {
		if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") {
			return fmt.Errorf("fetch %s: a token goes over HTTP only", url)
		}
		o.Auth = &http.BasicAuth{Username: "x-access-token", Password: token}
	}
	m.repo.mu.Lock()
	defer m.repo.mu.Unlock()
	remote := gogit.NewRemote(m.repo.store, &config.RemoteConfig{Name: o.RemoteName, URLs: []string{url}, Fetch: o.RefSpecs})
	err := remote.FetchContext(ctx, o)
	// The pack index is read once; what has just come in is found only after this, also when the fetch failed late.
	m.repo.store.Reindex()
	switch {
	case err == nil, errors.Is(err, gogit.NoErrAlreadyUpToDate):
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("fetch %s: %w", url, context.Cause(ctx))
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed):
		return fmt.Errorf("fetch %s: %w: %w: %w", url, ErrFetch, ErrAuth, err)
	}
	return fmt.Errorf("fetch %s: %w: %w", url, ErrFetch, err)
}

// Repository reads the mirror.
func (m *Mirror) Repository() Repository { return m.repo }

// Close lets go of open pack files.
func (m *Mirror) Close() error { return m.repo.Close() }

// WithStorer runs f on go-git's storage, alone: it is not made for several goroutines. f must not use the mirror or
// its Repository.
func (m *Mirror) WithStorer(f func(storage.Storer) error) error {
	m.repo.mu.Lock()
	defer m.repo.mu.Unlock()
	return f(m.repo.store)
}
