package main

import (
	"context"
	"errors"
	"strings"

	"github.com/gatebot/gatebot/internal/doctor"
	"github.com/gatebot/gatebot/webhook"
	"github.com/gatebot/gatebot/webhook/github"
)

// checkSignIn asks GitHub whether people can come in by it. The callback URL of the App cannot be asked for: it is said.
func (o *doctorOptions) checkSignIn(ctx context.Context) doctor.Outcome {
	if o.serve == "" {
		return doctor.None("name the server's configuration with --serve FILE")
	}
	c, err := webhook.LoadConfig(o.serve)
	if err != nil {
		return doctor.Failed("see gatebot serve --help", "%v", err)
	}
	s, err := c.SignInAtGitHub()
	if err != nil {
		return doctor.Failed("make a client secret on the App's settings page", "%v", err)
	}
	if s == nil {
		return doctor.None("no sign_in in the configuration: the pages are for who has the token, if there is one")
	}
	err = s.Check(ctx)
	switch {
	case errors.Is(err, github.ErrDenied):
		return doctor.Failed("both are on the App's settings page; make a new client secret there", "GitHub does not know this client id with this secret: %v", err)
	case err != nil:
		return doctor.Broken("is GitHub reachable?", "%v", err)
	}
	good := doctor.Good("GitHub knows client %s and its secret", c.SignIn.ClientID)
	good.More = []string{"the App's settings page must list " + strings.TrimSuffix(c.Listen.PublicURL, "/") + "/callback as a callback URL"}
	return good
}
