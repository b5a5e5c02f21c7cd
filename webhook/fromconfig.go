package webhook

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/gatebot/gatebot/webhook/github"
)

// FromConfig makes the options that a configuration file decides: everything but Queue, Scan, Inspect and Log.
func FromConfig(c *Config) (Options, error) {
	secrets, err := c.Webhook.Secrets()
	if err != nil {
		return Options{}, err
	}
	m := NewMetrics()
	app, err := c.adapter(m)
	if err != nil {
		return Options{}, err
	}
	p := DefaultPolicy()
	p.Check, p.Pool, p.Timeout = c.Check.Name, c.Check.Pool, c.Check.Timeout
	p.QueueMax, p.QueueWarn, p.MaxBundle, p.Progress = c.Check.QueueMax, c.Check.Warn, c.Check.MaxBundle, c.Check.Progress
	p.Early, p.RerunsPerPull, p.RerunsPerUser = c.Check.Early, c.Check.RerunsPerPull, c.Check.RerunsPerUser
	p.RunForks, p.HoldGateChanges, p.Trusted = c.Check.Forks == "run", c.Check.GateChanges == "hold", c.Check.Trusted
	p.PassOnInfra, p.Retries = c.Check.OnInfra == "success", c.Check.Retries
	p.Families, p.Reuse, p.KeepRecord = c.Check.Families, c.Check.Reuse, c.Check.Keep
	if c.GitHub.TokenFile != "" {
		p.Families = false // a status each would only use up what a commit takes
	}
	pools := map[string][]string{}
	for _, r := range c.Runners {
		pools[r.Name] = r.Pools
	}
	token, err := c.boardToken()
	if err != nil {
		return Options{}, err
	}
	signIn, err := c.provider()
	if err != nil {
		return Options{}, err
	}
	return Options{
		BoardToken: token, SignIn: signIn, SignInLevel: c.SignIn.Permission, WebURL: c.GitHub.webURL(),
		GitHub: app, Secrets: secrets, Data: c.Data, Addr: c.Listen.HTTP, Admin: c.Listen.Admin, PublicURL: c.Listen.PublicURL,
		GitHost: c.GitHub.gitHost(), Policy: &p, Pools: pools, AsToken: c.GitHub.TokenFile != "", Poll: c.GitHub.Poll,
		Shared: c.Queue.URL != "", Metrics: m, FireQueued: c.Fire.Queued,
	}, nil
}

// Adapter is the connection to GitHub that a configuration describes, for commands that look at the set-up.
func (c *Config) Adapter() (*github.App, error) { return c.adapter(nil) }

func (c *Config) adapter(m *Metrics) (*github.App, error) {
	o := github.Options{
		AppID: c.App.ID, BaseURL: c.GitHub.APIURL, GraphQLURL: c.GitHub.GraphQLURL, MaxSleep: 20 * time.Second,
		Pace: github.Pace{PerMinute: c.GitHub.ContentPerMinute, PerHour: c.GitHub.ContentPerHour}, Repositories: c.GitHub.Repositories,
	}
	if m != nil {
		o.Observe = m.Request
	}
	if c.GitHub.TokenFile != "" {
		data, err := os.ReadFile(c.GitHub.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("github token: %w", err)
		}
		o.Token = strings.TrimSpace(string(data))
		if o.Token == "" {
			return nil, fmt.Errorf("github token: %s is empty", c.GitHub.TokenFile)
		}
		return github.New(o)
	}
	key, err := github.LoadKey(c.App.PrivateKeyFile)
	if err != nil {
		return nil, err
	}
	o.Key = key
	return github.New(o)
}

// gitHost is where clone URLs of this GitHub point.
func (g *GitHubConfig) gitHost() string {
	if g.GitHost != "" {
		return g.GitHost
	}
	if g.APIURL == "" {
		return "github.com"
	}
	u, err := url.Parse(g.APIURL)
	if err != nil {
		return "github.com"
	}
	if u.Host == "api.github.com" {
		return "github.com"
	}
	return u.Host
}
