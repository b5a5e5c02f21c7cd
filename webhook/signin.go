package webhook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gatebot/gatebot/webhook/board/signin"
	"github.com/gatebot/gatebot/webhook/github"
)

// SignInBy is GitHub's side of the sign-in as the pages want it.
func SignInBy(s *github.SignIn) signin.Provider { return provider{s} }

type provider struct{ s *github.SignIn }

func (p provider) AuthorizeURL(state, challenge, redirect string) string {
	return p.s.AuthorizeURL(state, challenge, redirect)
}

func (p provider) Exchange(ctx context.Context, code, verifier, redirect string) (string, time.Duration, error) {
	token, life, err := p.s.Exchange(ctx, code, verifier, redirect)
	return token, life, refused(err)
}

func (p provider) Person(ctx context.Context, token string) (string, error) {
	login, err := p.s.Person(ctx, token)
	return login, refused(err)
}

func (p provider) Permission(ctx context.Context, token string, r signin.Repo) (string, error) {
	level, err := p.s.Permission(ctx, token, github.Repo{ID: r.ID, Owner: r.Owner, Name: r.Name})
	return level, refused(err)
}

func (p provider) Revoke(ctx context.Context, token string) error { return p.s.Revoke(ctx, token) }

// refused marks what GitHub refused for good.
func refused(err error) error {
	if errors.Is(err, github.ErrDenied) {
		return fmt.Errorf("%w: %w", signin.ErrRefused, err)
	}
	return err
}
