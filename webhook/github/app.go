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

// Options say which App to be and where. With a Token instead of AppID and Key gatebot is a person or a machine account:
// statuses and one comment instead of check runs, no buttons.
type Options struct {
	AppID int64
	Key   *rsa.PrivateKey
	Token string
	// Repositories, as owner/name, are those that a Token is for. An App knows its own.
	Repositories []string
	// Pace is how much of GitHub's limits may be used, zero for the default.
	Pace Pace
	// Observe is told of every answer, for metrics; status 0 is none. It may be nil.
	Observe func(method string, status int, limited bool)
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
	pacers  map[int64]*pacer
	app     *gh.Client

	slugMu sync.Mutex
	slug   string
}

// New checks the options and makes no request.
func New(o Options) (*App, error) {
	switch {
	case o.Token != "":
		if err := CheckToken(o.Token); err != nil {
			return nil, err
		}
	case o.AppID <= 0:
		return nil, fmt.Errorf("github app id: %d is none (it is on the App's settings page)", o.AppID)
	case o.Key == nil:
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
	a := &App{opts: o, base: base, graphql: o.GraphQLURL, clients: map[int64]*gh.Client{}, pacers: map[int64]*pacer{}}
	if o.Token != "" {
		a.app = a.withToken(a.pacer(0))
		return a, nil
	}
	a.app = a.client(a.appsTransport(a.limits(0)))
	return a, nil
}

// limits is what every request of an installation passes; 0 stands for the App itself.
func (a *App) limits(installation int64) http.RoundTripper {
	return limited(a.pacer(installation).over(&rewind{a.opts.Transport}), a.opts.MaxSleep)
}

// pacer is one per installation, whoever makes the request.
func (a *App) pacer(installation int64) *pacer {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.pacers[installation]
	if p == nil {
		p = newPacer(a.opts.Pace, a.opts.MaxSleep, a.opts.Observe)
		a.pacers[installation] = p
	}
	return p
}

// Budget says how many content-creating requests were sent within the last hour and how many may be, of the
// installation that has used most.
func (a *App) Budget() (used, limit int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.pacers {
		u, l := p.budget()
		used, limit = max(used, u), l
	}
	return used, limit
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
	if a.opts.Token != "" {
		return a.app, nil
	}
	if id <= 0 {
		return nil, fmt.Errorf("installation id: %d is none (is the webhook the App's, not the repository's?)", id)
	}
	a.mu.Lock()
	c := a.clients[id]
	a.mu.Unlock()
	if c != nil {
		return c, nil
	}
	c = a.client(&queued{next: a.token(id, &gh.InstallationTokenOptions{}), turn: make(chan struct{}, 1)})
	a.mu.Lock()
	defer a.mu.Unlock()
	if have := a.clients[id]; have != nil { // made meanwhile
		return have, nil
	}
	a.clients[id] = c
	return c, nil
}

// token is a token source for an installation. Options are never nil: v2.10.0 would send the JSON value null.
func (a *App) token(id int64, o *gh.InstallationTokenOptions) *ghinstallation.Transport {
	t := ghinstallation.NewFromAppsTransport(a.appsTransport(remembering(a.limits(id))), id)
	t.InstallationTokenOptions = o
	return t
}

// GitToken mints a token that can read the contents of this one repository and nothing else, for one fetch.
func (a *App) GitToken(ctx context.Context, r Repo) (string, error) {
	return a.gitToken(ctx, r, "read")
}

// PushToken is GitToken for one push.
func (a *App) PushToken(ctx context.Context, r Repo) (string, error) {
	return a.gitToken(ctx, r, "write")
}

func (a *App) gitToken(ctx context.Context, r Repo, level string) (string, error) {
	if a.opts.Token != "" {
		return a.opts.Token, nil
	}
	if r.ID <= 0 || r.Installation <= 0 {
		return "", fmt.Errorf("token for %s: repository id %d and installation id %d must be known", r, r.ID, r.Installation)
	}
	t := a.token(r.Installation, &gh.InstallationTokenOptions{
		RepositoryIDs: []int64{r.ID},
		Permissions:   &gh.InstallationPermissions{Contents: gh.String(level)},
	})
	ctx, cancel := context.WithTimeout(ctx, a.opts.Timeout+a.opts.MaxSleep)
	defer cancel()
	s, err := t.Token(ctx)
	return s, classify("token for "+r.String(), err)
}

// Login is who commits and comments of ours are by: the App's bot, or the person of the token. Asked once.
func (a *App) Login(ctx context.Context) (string, error) {
	a.slugMu.Lock()
	defer a.slugMu.Unlock()
	if a.slug != "" {
		return a.slug, nil
	}
	if a.opts.Token != "" {
		me, _, err := a.app.Users.Get(ctx, "")
		if err != nil {
			return "", classify("read the token's user", err)
		}
		a.slug = me.GetLogin()
		return a.slug, nil
	}
	app, _, err := a.app.Apps.Get(ctx, "")
	if err != nil {
		return "", classify("read the App", err)
	}
	a.slug = app.GetSlug() + "[bot]"
	return a.slug, nil
}
