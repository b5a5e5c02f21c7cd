package webhook

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// checkGitHub refuses settings about GitHub that cannot work together.
func (c *Config) checkGitHub() error {
	g := &c.GitHub
	token := g.TokenFile != ""
	switch {
	case token && (c.App.ID != 0 || c.App.PrivateKeyFile != ""):
		return errors.New("github.token_file: an App is configured too (use one of the two)")
	case token && len(g.Repositories) == 0:
		return errors.New("github.repositories: missing (a token does not say which repositories it is for)")
	case !token && len(g.Repositories) > 0:
		return errors.New("github.repositories: only with token_file (an App knows where it is installed)")
	case !token && c.App.ID <= 0:
		return errors.New("app.id: missing (it is on the App's settings page)")
	case !token && c.App.PrivateKeyFile == "":
		return errors.New("app.private_key_file: missing (download a key on the App's settings page)")
	case g.Poll == 0 && c.Webhook.SecretFile == "" && c.Webhook.SecretEnv == "":
		return errors.New("webhook: needs secret_file or secret_env (or github.poll, for a server that webhooks cannot reach)")
	case g.Poll != 0 && g.Poll < 10*time.Second:
		return errors.New("github.poll: at least 10s (GitHub counts requests)")
	case g.ContentPerMinute < 0 || g.ContentPerHour < 0:
		return errors.New("github: content_per_minute and content_per_hour must not be negative")
	}
	for i, r := range g.Repositories {
		owner, name, _ := strings.Cut(r, "/")
		if !plainName(owner) || !plainName(name) {
			return fmt.Errorf("github.repositories[%d]: %q is not owner/name", i, r)
		}
	}
	for name, s := range map[string]string{"github.api_url": g.APIURL, "github.graphql_url": g.GraphQLURL, "github.web_url": g.WebURL, "listen.public_url": c.Listen.PublicURL} {
		if u, err := url.Parse(s); s != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
			return fmt.Errorf("%s: %q is not an http(s) URL", name, s)
		}
	}
	return nil
}
