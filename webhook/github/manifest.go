package github

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	gh "github.com/google/go-github/v60/github"
)

// Manifest describes an App to GitHub's page that makes one (docs: registering a GitHub App from a manifest). It has the
// permissions and events that gatebot uses, so that nobody clicks them together. callback is where people who sign in to the
// server's pages are sent back to, "" where nobody can.
func Manifest(name, home, hook, redirect, callback string) ([]byte, error) {
	permissions := map[string]string{}
	for _, p := range append(append([]Permission(nil), Needed...), Optional...) {
		if !Covers(permissions[p.Name], p.Level) {
			permissions[p.Name] = p.Level
		}
	}
	m := map[string]any{
		"name": name, "url": home, "redirect_url": redirect, "public": false, "default_permissions": permissions, "default_events": NeededEvents,
		"hook_attributes": map[string]any{"url": hook, "active": hook != ""},
	}
	if callback != "" {
		m["callback_urls"] = []string{callback}
	}
	if hook == "" {
		delete(m, "hook_attributes")
	}
	return json.Marshal(m)
}

// NewApp is what GitHub hands out once when an App was made.
type NewApp struct {
	ID                     int64
	Slug, HTML             string
	PEM, Secret            string
	ClientID, ClientSecret string // for signing in
}

// CompleteManifest exchanges the code that GitHub's page came back with. It needs no credentials.
func CompleteManifest(ctx context.Context, baseURL, code string) (NewApp, error) {
	c := gh.NewClient(&http.Client{})
	if baseURL != "" {
		var err error
		if c, err = c.WithEnterpriseURLs(baseURL, baseURL); err != nil {
			return NewApp{}, fmt.Errorf("github base URL %q: %w", baseURL, err)
		}
	}
	app, _, err := c.Apps.CompleteAppManifest(ctx, code)
	if err != nil {
		return NewApp{}, classify("complete the App", err)
	}
	return NewApp{ID: app.GetID(), Slug: app.GetSlug(), HTML: app.GetHTMLURL(), PEM: app.GetPEM(), Secret: app.GetWebhookSecret(),
		ClientID: app.GetClientID(), ClientSecret: app.GetClientSecret()}, nil
}
