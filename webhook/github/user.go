package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"
)

// DefaultWebURL is where people see GitHub.
const DefaultWebURL = "https://github.com"

// SignInOptions are the App's own sign-in: its client id and secret, from the App's settings page.
type SignInOptions struct {
	ClientID, ClientSecret string
	BaseURL                string // REST root, as in Options
	WebURL                 string // root of the pages; empty: WebURLOf(BaseURL)
	Transport              http.RoundTripper
	Timeout                time.Duration // of one call; 0 means 10 s: somebody looks at a blank page meanwhile
}

// SignIn lets people prove who they are at GitHub (docs: generating a user access token for a GitHub App) and asks, as they,
// what they may read. Safe for concurrent use.
type SignIn struct {
	opts SignInOptions
	base *url.URL
	http *http.Client
}

// NewSignIn checks the options and makes no request.
func NewSignIn(o SignInOptions) (*SignIn, error) {
	if o.ClientID == "" || o.ClientSecret == "" {
		return nil, errors.New("github sign-in: needs the App's client id and a client secret (both are on the App's settings page)")
	}
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	if !strings.HasSuffix(o.BaseURL, "/") {
		o.BaseURL += "/"
	}
	base, err := url.Parse(o.BaseURL)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("github base URL %q: not an http(s) URL (GHES: https://HOST/api/v3/)", o.BaseURL)
	}
	if o.WebURL == "" {
		o.WebURL = WebURLOf(o.BaseURL)
	}
	o.WebURL = strings.TrimSuffix(o.WebURL, "/")
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	return &SignIn{opts: o, base: base, http: &http.Client{Transport: o.Transport, Timeout: o.Timeout}}, nil
}

// WebURLOf is where people see the GitHub whose REST root this is: without a final slash.
func WebURLOf(baseURL string) string {
	u, err := url.Parse(baseURL)
	if baseURL == "" || err != nil || u.Host == "" || u.Host == "api.github.com" {
		return DefaultWebURL
	}
	return u.Scheme + "://" + strings.TrimPrefix(u.Host, "api.")
}

// AuthorizeURL is where a person is sent. GitHub sends back state as it is, and the code of an exchange that only who knows
// the verifier behind challenge (S256, RFC 7636) can make. An Enterprise Server that does not know challenges leaves them out.
func (s *SignIn) AuthorizeURL(state, challenge, redirect string) string {
	q := url.Values{"client_id": {s.opts.ClientID}, "redirect_uri": {redirect}, "state": {state}, "code_challenge": {challenge}, "code_challenge_method": {"S256"}}
	return s.opts.WebURL + "/login/oauth/authorize?" + q.Encode()
}

// maxAnswer is far above any answer about a token, in bytes.
const maxAnswer = 64 << 10

// Exchange turns a code into the person's token, which is good for life (0: until somebody revokes it). A code that GitHub
// refuses is ErrDenied. No error holds the code, the token or the secret.
func (s *SignIn) Exchange(ctx context.Context, code, verifier, redirect string) (token string, life time.Duration, err error) {
	a, err := s.exchange(ctx, url.Values{"code": {code}, "code_verifier": {verifier}, "redirect_uri": {redirect}})
	if err != nil {
		return "", 0, err
	}
	if a.Token == "" {
		return "", 0, fmt.Errorf("github sign-in: %w: %.60q", ErrDenied, a.Error)
	}
	return a.Token, time.Duration(a.Life) * time.Second, nil
}

// Check asks GitHub whether it knows the client id and secret, by a code that cannot be one: the answer names what is wrong
// with the request. ErrDenied when it is the id or the secret.
func (s *SignIn) Check(ctx context.Context) error {
	a, err := s.exchange(ctx, url.Values{"code": {"0"}})
	switch {
	case err != nil:
		return err
	case a.Error == "bad_verification_code" || a.Error == "redirect_uri_mismatch":
		return nil
	}
	return fmt.Errorf("github sign-in: %w: %.60q", ErrDenied, a.Error)
}

// tokenAnswer is GitHub's answer about a code, its status 200 also when it refuses.
type tokenAnswer struct {
	Token string `json:"access_token"`
	Life  int64  `json:"expires_in"` // s
	Error string `json:"error"`
}

func (s *SignIn) exchange(ctx context.Context, form url.Values) (a tokenAnswer, err error) {
	form.Set("client_id", s.opts.ClientID)
	form.Set("client_secret", s.opts.ClientSecret)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.opts.WebURL+"/login/oauth/access_token", strings.NewReader(form.Encode()))
	if err != nil {
		return a, fmt.Errorf("github sign-in: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "gatebot")
	resp, err := s.http.Do(req)
	if err != nil {
		return a, fmt.Errorf("github sign-in: %w: %w", ErrTransient, err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err == nil && (resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests) {
		err = fmt.Errorf("status %d", resp.StatusCode)
	}
	if err != nil {
		return a, fmt.Errorf("github sign-in: %w: %w", ErrTransient, err)
	}
	if json.Unmarshal(data, &a) != nil {
		return a, fmt.Errorf("github sign-in: %w: status %d with no JSON", ErrDenied, resp.StatusCode)
	}
	return a, nil
}

// Person is the login of a token's owner. A token that was revoked or is too old is ErrDenied.
func (s *SignIn) Person(ctx context.Context, token string) (login string, err error) {
	u, _, err := s.as(token).Users.Get(ctx, "")
	if err != nil {
		return "", classify("who signed in", err)
	}
	return u.GetLogin(), nil
}

// Permission is what the owner of a token may do in a repository: write, read or none. It is none as well where the
// App is not installed, and where another repository goes by that name now.
func (s *SignIn) Permission(ctx context.Context, token string, r Repo) (string, error) {
	got, _, err := s.as(token).Repositories.Get(ctx, r.Owner, r.Name)
	code, h, message := answer(err)
	switch {
	case code == http.StatusNotFound, code == http.StatusForbidden && !isLimit(h, message):
		return "none", nil
	case err != nil:
		return "", classify("what somebody may read of "+r.String(), err)
	case got.GetID() != r.ID:
		return "none", nil
	case got.GetPermissions()["push"]:
		return "write", nil
	case got.GetPermissions()["pull"]:
		return "read", nil
	}
	return "none", nil
}

// Revoke ends a token. One that is not known any more is revoked already.
func (s *SignIn) Revoke(ctx context.Context, token string) error {
	t := &gh.BasicAuthTransport{Username: s.opts.ClientID, Password: s.opts.ClientSecret, Transport: s.opts.Transport}
	resp, err := s.client(t).Authorizations.Revoke(ctx, s.opts.ClientID, token)
	if resp != nil && (resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusUnprocessableEntity) {
		return nil
	}
	return classify("end of a sign-in", err)
}

func (s *SignIn) as(token string) *gh.Client {
	return s.client(s.opts.Transport).WithAuthToken(token)
}

func (s *SignIn) client(t http.RoundTripper) *gh.Client {
	c := gh.NewClient(&http.Client{Transport: t, Timeout: s.opts.Timeout})
	c.BaseURL, c.UserAgent = s.base, "gatebot"
	return c
}
