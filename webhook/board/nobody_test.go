package board

import (
	"context"
	"time"

	"github.com/gatebot/gatebot/webhook/board/signin"
)

// nobody is a GitHub that lets nobody in.
type nobody struct{}

func (nobody) AuthorizeURL(state, challenge, redirect string) string {
	return "https://github.com/login/oauth/authorize?state=" + state
}

func (nobody) Exchange(context.Context, string, string, string) (string, time.Duration, error) {
	return "", 0, signin.ErrRefused
}
func (nobody) Person(context.Context, string) (string, error) { return "", signin.ErrRefused }
func (nobody) Permission(context.Context, string, signin.Repo) (string, error) {
	return "", signin.ErrRefused
}
func (nobody) Revoke(context.Context, string) error { return nil }
