package webhook

import (
	"net/url"
	"time"

	"github.com/gatebot/gatebot/webhook/github"
)

// FromConfig makes the options that a configuration file decides: everything but Queue, Scan and Log.
func FromConfig(c *Config) (Options, error) {
	secrets, err := c.Webhook.Secrets()
	if err != nil {
		return Options{}, err
	}
	key, err := github.LoadKey(c.App.PrivateKeyFile)
	if err != nil {
		return Options{}, err
	}
	app, err := github.New(github.Options{
		AppID: c.App.ID, Key: key, BaseURL: c.GitHub.APIURL, GraphQLURL: c.GitHub.GraphQLURL, MaxSleep: 20 * time.Second,
	})
	if err != nil {
		return Options{}, err
	}
	p := DefaultPolicy()
	p.Check, p.Pool, p.Timeout = c.Check.Name, c.Check.Pool, c.Check.Timeout
	p.QueueMax, p.MaxBundle = c.Check.QueueMax, c.Check.MaxBundle
	p.RunForks = c.Check.Forks == "run"
	pools := map[string][]string{}
	for _, r := range c.Runners {
		pools[r.Name] = r.Pools
	}
	return Options{
		GitHub: app, Secrets: secrets, Data: c.Data, Addr: c.Listen.HTTP, GitHost: c.GitHub.gitHost(), Policy: p, Pools: pools,
	}, nil
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
