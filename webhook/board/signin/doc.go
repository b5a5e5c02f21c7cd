// Package signin decides who may look at the server's pages: whoever has the static token sees everything, and whoever
// signed in at GitHub sees the repositories that GitHub lets them read. Nobody else sees anything.
//
// A session is a cookie that only this server can read and write (AES-256-GCM under a key from the store, so that several
// servers and a restart share it); nothing about a person is kept on the server but what they may read, in memory and for
// minutes. Whatever cannot be decided is refused: GitHub out of reach is an error page and no access.
package signin

import (
	"context"
	"errors"
	"time"
)

// Repo is a repository as GitHub knows it. The id counts: a name can change hands.
type Repo struct {
	ID          int64
	Owner, Name string
}

// Provider is GitHub's side. All of its errors are opaque but ErrRefused.
type Provider interface {
	AuthorizeURL(state, challenge, redirect string) string
	// Exchange gives the person's token and how long it is good, 0 for as long as nobody revokes it.
	Exchange(ctx context.Context, code, verifier, redirect string) (token string, life time.Duration, err error)
	Person(ctx context.Context, token string) (login string, err error)
	// Permission is write, read or none.
	Permission(ctx context.Context, token string, r Repo) (string, error)
	Revoke(ctx context.Context, token string) error
}

// ErrRefused says that GitHub does not know the code or the token (any more).
var ErrRefused = errors.New("refused by GitHub")

// ErrUnknown says that GitHub could not be asked.
var ErrUnknown = errors.New("GitHub cannot be asked what you may read")

// Levels that Options.Level may ask for.
const (
	LevelRead  = "read"
	LevelWrite = "write"
)
