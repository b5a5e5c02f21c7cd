package github

import (
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	gh "github.com/google/go-github/v60/github"
)

// DefaultBaseURL is github.com's REST root.
const DefaultBaseURL = "https://api.github.com/"

// Options say which App to be and where.
type Options struct {
	AppID int64
	Key   *rsa.PrivateKey
	// BaseURL is the REST root: empty for github.com, https://HOST/api/v3/ for GHES, any URL for a stand-in.
	BaseURL string
	// GraphQLURL is derived from BaseURL when empty: /api/v3/ becomes /api/graphql, else /graphql is appended.
	GraphQLURL string
	// Transport is beneath everything; nil means http.DefaultTransport with Timeout per request.
	Transport http.RoundTripper
	// MaxSleep bounds the wait for one secondary rate limit inside a call.
	MaxSleep time.Duration
	// Timeout bounds one call; 0 means 30 s.
	Timeout   time.Duration
	UserAgent string
}

// App is one GitHub App with a client per installation.
type App struct {
	opts    Options
	base    *url.URL
	graphql string

	mu      sync.Mutex
	clients map[int64]*gh.Client
	app     *gh.Client

	slugMu sync.Mutex
	slug   string
}

// New checks the options and makes no request.
func New(o Options) (*App, error) {
	if o.AppID <= 0 {
		return nil, fmt.Errorf("github app id: %d is none (it is on the App's settings page)", o.AppID)
	}
	if o.Key == nil {
		return nil, errors.New("github app private key: missing (use LoadKey)")
	}
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	if !strings.HasSuffix(o.BaseURL, "/") {
		o.BaseURL += "/"
	}
	base, err := url.Parse(o.BaseURL)
	if err != nil || base.Host == "" || (base.Scheme != "https" && base.Scheme != "http") {
		return nil, fmt.Errorf("github base URL %q: not an http(s) URL (GHES: https://HOST/api/v3/)", o.BaseURL)
	}
	if o.GraphQLURL == "" {
		root, ghes := strings.CutSuffix(o.BaseURL, "/api/v3/")
		if ghes {
			o.GraphQLURL = root + "/api/graphql"
		} else {
			o.GraphQLURL = o.BaseURL + "graphql"
		}
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.UserAgent == "" {
		o.UserAgent = "gatebot"
	}
	a := &App{opts: o, base: base, graphql: o.GraphQLURL, clients: map[int64]*gh.Client{}}
	a.app = a.client(a.appsTransport(limited(o.Transport, o.MaxSleep)))
	return a, nil
}

// ID is the App's id, which pins its check runs.
func (a *App) ID() int64 { return a.opts.AppID }

// appsTransport is one per use: ghinstallation v2.10.0 writes to it during a token refresh without a lock.
func (a *App) appsTransport(base http.RoundTripper) *ghinstallation.AppsTransport {
	t := ghinstallation.NewAppsTransportFromPrivateKey(base, a.opts.AppID, a.opts.Key)
	t.BaseURL = strings.TrimSuffix(a.opts.BaseURL, "/")
	return t
}

func (a *App) client(t http.RoundTripper) *gh.Client {
	// The client's own timeout covers sleeping for a rate limit too.
	c := gh.NewClient(&http.Client{Transport: t, Timeout: a.opts.Timeout + a.opts.MaxSleep})
	c.BaseURL, c.UserAgent = a.base, a.opts.UserAgent
	return c
}

// installation is the cached client that acts for one installation.
func (a *App) installation(id int64) (*gh.Client, error) {
	if id <= 0 {
		return nil, fmt.Errorf("installation id: %d is none (is the webhook the App's, not the repository's?)", id)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.clients[id]; c != nil {
		return c, nil
	}
	t := a.token(id, &gh.InstallationTokenOptions{})
	c := a.client(t)
	a.clients[id] = c
	return c, nil
}

// token is a token source for an installation. Options are never nil: v2.10.0 would send the JSON value null.
func (a *App) token(id int64, o *gh.InstallationTokenOptions) *ghinstallation.Transport {
	t := ghinstallation.NewFromAppsTransport(a.appsTransport(limited(a.opts.Transport, a.opts.MaxSleep)), id)
	t.InstallationTokenOptions = o
	return t
}

// GitToken mints a token that can read the contents of this one repository and nothing else, for one fetch.
func (a *App) GitToken(ctx context.Context, r Repo) (string, error) {
	if r.ID <= 0 || r.Installation <= 0 {
		return "", fmt.Errorf("token for %s: repository id %d and installation id %d must be known", r, r.ID, r.Installation)
	}
	t := a.token(r.Installation, &gh.InstallationTokenOptions{
		RepositoryIDs: []int64{r.ID},
		Permissions:   &gh.InstallationPermissions{Contents: gh.String("read")},
	})
	ctx, cancel := context.WithTimeout(ctx, a.opts.Timeout+a.opts.MaxSleep)
	defer cancel()
	s, err := t.Token(ctx)
	return s, classify("token for "+r.String(), err)
}

// Slug is the App's name in URLs; its commits and pull requests are by SLUG[bot]. Asked once.
func (a *App) Slug(ctx context.Context) (string, error) {
	a.slugMu.Lock()
	defer a.slugMu.Unlock()
	if a.slug != "" {
		return a.slug, nil
	}
	app, _, err := a.app.Apps.Get(ctx, "")
	if err != nil {
		return "", classify("read the App", err)
	}
	a.slug = app.GetSlug()
	return a.slug, nil
}
