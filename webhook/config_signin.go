package webhook

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/gatebot/gatebot/webhook/board/signin"
	"github.com/gatebot/gatebot/webhook/github"
)

// SignInConfig lets people into the pages by their account at GitHub: the App's own sign-in. The App's settings page has the
// client id, makes the secret, and must list PUBLIC_URL/callback as a callback URL.
type SignInConfig struct {
	ClientID         string `yaml:"client_id"`
	ClientSecretFile string `yaml:"client_secret_file"`
	ClientSecretEnv  string `yaml:"client_secret_env"`
	// Permission is what somebody must be able to do in a repository to see its pages: read (default) or write. A public
	// repository can be read by everybody with an account.
	Permission string `yaml:"permission"`
}

// checkSignIn refuses what cannot work.
func (c *Config) checkSignIn() error {
	s := &c.SignIn
	if s.ClientID == "" {
		if *s != (SignInConfig{}) {
			return errors.New("sign_in.client_id: missing (it is on the App's settings page)")
		}
		return nil
	}
	u, err := url.Parse(c.Listen.PublicURL)
	switch {
	case s.ClientSecretFile == "" && s.ClientSecretEnv == "":
		return errors.New("sign_in: needs client_secret_file or client_secret_env (make a client secret on the App's settings page)")
	case s.Permission != "" && s.Permission != signin.LevelRead && s.Permission != signin.LevelWrite:
		return fmt.Errorf("sign_in.permission: %q is none of %s, %s", s.Permission, signin.LevelRead, signin.LevelWrite)
	case c.Listen.PublicURL == "":
		return errors.New("sign_in: needs listen.public_url (GitHub sends people back there)")
	case err != nil || u.Scheme != "https" && !loopback(u.Hostname()):
		return fmt.Errorf("listen.public_url: %q must be https for sign_in (cookies and codes pass there)", c.Listen.PublicURL)
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (c *Config) provider() (signin.Provider, error) {
	s, err := c.SignInAtGitHub()
	if s == nil || err != nil {
		return nil, err
	}
	return SignInBy(s), nil
}

// SignInAtGitHub is the App's sign-in that a configuration describes, nil where none is configured. Errors name where the
// secret should be and never what it is.
func (c *Config) SignInAtGitHub() (*github.SignIn, error) {
	if c.SignIn.ClientID == "" {
		return nil, nil
	}
	secret, err := readSecret("sign_in: client secret", c.SignIn.ClientSecretFile, c.SignIn.ClientSecretEnv)
	if err != nil {
		return nil, err
	}
	return github.NewSignIn(github.SignInOptions{ClientID: c.SignIn.ClientID, ClientSecret: strings.TrimSpace(secret), BaseURL: c.GitHub.APIURL, WebURL: c.GitHub.webURL()})
}

// webURL is where people see this GitHub, without a final slash.
func (g *GitHubConfig) webURL() string {
	if g.WebURL != "" {
		return strings.TrimSuffix(g.WebURL, "/")
	}
	return github.WebURLOf(g.APIURL)
}

// boardToken reads the token that opens the pages, "" where none is configured.
func (c *Config) boardToken() (string, error) {
	token, err := readSecret("listen.board_token_file", c.Listen.BoardTokenFile, "")
	return strings.TrimSpace(token), err
}
