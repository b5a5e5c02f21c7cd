package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/webhook/github"
)

const longApp = `Makes the GitHub App in two clicks. A page on this machine sends you to GitHub with the permissions and events that
gatebot uses already filled in; GitHub sends you back, and app.pem, webhook.secret, client.secret and serve.yaml are written into
--dir. The last secret lets people sign in to the server's pages at GitHub; it is there when --url is https.
Then install the App on your repositories and start gatebot serve --config DIR/serve.yaml.`

type appOptions struct{ dir, name, org, url, host, apiURL string }

func newApp(s streams) *cobra.Command {
	c := &cobra.Command{Use: "app", Short: "Make the GitHub App", Args: cobra.NoArgs}
	o := &appOptions{}
	create := &cobra.Command{
		Use: "create", Short: "Make the GitHub App with the right permissions, events and secret", Long: longApp, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return createApp(c.Context(), o, s) },
	}
	f := create.Flags()
	f.StringVar(&o.dir, "dir", ".", "`directory` for app.pem, webhook.secret and serve.yaml")
	f.StringVar(&o.name, "name", "gatebot", "`name` of the App; GitHub wants it to be unique")
	f.StringVar(&o.org, "org", "", "`organization` that will own it (default: you)")
	f.StringVar(&o.url, "url", "", "public `URL` of the server, such as https://gatebot.example.com (empty: it will poll)")
	f.StringVar(&o.host, "host", "https://github.com", "GitHub's pages; a GitHub Enterprise `URL`")
	f.StringVar(&o.apiURL, "api-url", "", "GitHub's REST `URL` (default: derived from --host)")
	c.AddCommand(create)
	return c
}

var appPage = template.Must(template.New("app").Parse(`<!doctype html><title>gatebot</title>
<form action="{{.Action}}" method="post"><input type="hidden" name="manifest" value="{{.Manifest}}">
<p>This goes to {{.Action}}<p><button>Make the GitHub App</button></form>`))

// createApp serves the page until GitHub has sent the person back.
func createApp(ctx context.Context, o *appOptions, s streams) error {
	for _, name := range []string{"app.pem", "webhook.secret", "client.secret", "serve.yaml"} {
		if _, err := os.Stat(filepath.Join(o.dir, name)); err == nil {
			return usagef("app create: %s is there already (use another --dir, or remove it)", filepath.Join(o.dir, name))
		}
	}
	if o.apiURL == "" && o.host != "https://github.com" {
		o.apiURL = strings.TrimSuffix(o.host, "/") + "/api/v3/"
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	here, state := "http://"+l.Addr().String(), rand.Text()
	hook, home, callback := "", "https://github.com/gatebot/gatebot", ""
	if o.url != "" {
		home = strings.TrimSuffix(o.url, "/")
		hook = home + "/webhook"
		if strings.HasPrefix(home, "https://") { // cookies and codes pass there
			callback = home + "/callback"
		}
	}
	manifest, err := github.Manifest(o.name, home, hook, here+"/made", callback)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	action := strings.TrimSuffix(o.host, "/") + "/settings/apps/new?state=" + state
	if o.org != "" {
		action = strings.TrimSuffix(o.host, "/") + "/organizations/" + o.org + "/settings/apps/new?state=" + state
	}
	done := make(chan error, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		_ = appPage.Execute(w, map[string]string{"Action": action, "Manifest": string(manifest)}) // the reader may be gone
	})
	mux.HandleFunc("GET /made", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("state") != state {
			http.Error(w, "gatebot: not the page that I sent you to", http.StatusForbidden)
			return
		}
		app, err := github.CompleteManifest(r.Context(), o.apiURL, r.URL.Query().Get("code"))
		if err == nil {
			err = writeApp(o, app)
		}
		if err != nil {
			http.Error(w, "gatebot: "+err.Error(), http.StatusBadGateway)
		} else {
			_, _ = fmt.Fprintf(w, "The App %s is made. Install it: %s/installations/new\n", app.Slug, app.HTML)
			_, _ = fmt.Fprintf(s.out, "made %s; install it at %s/installations/new, then: gatebot serve --config %s\n", app.Slug, app.HTML, filepath.Join(o.dir, "serve.yaml"))
		}
		select {
		case done <- err:
		default:
		}
	})
	h := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = h.Serve(l) }() // ends with Shutdown
	_, _ = fmt.Fprintf(s.out, "open %s\n", here)
	select {
	case err = <-done:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	return errors.Join(err, h.Shutdown(stop))
}

// writeApp writes what GitHub shows only once, the key first.
func writeApp(o *appOptions, app github.NewApp) error {
	if app.ID == 0 || app.PEM == "" {
		return errors.New("GitHub answered without an App")
	}
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "app: {id: %d, private_key_file: app.pem}\n", app.ID)
	var about []string
	if o.apiURL != "" {
		about = append(about, fmt.Sprintf("api_url: %q", o.apiURL))
	}
	if o.url == "" {
		about = append(about, "poll: 45s")
	}
	if about != nil {
		fmt.Fprintf(&b, "github: {%s}\n", strings.Join(about, ", "))
	}
	if o.url != "" {
		fmt.Fprintf(&b, "webhook: {secret_file: webhook.secret}\nlisten: {http: \"127.0.0.1:8080\", queue: \"0.0.0.0:4222\", public_url: %q}\n", o.url)
	}
	files := []struct{ name, text string }{{"app.pem", app.PEM}, {"webhook.secret", app.Secret + "\n"}}
	if strings.HasPrefix(o.url, "https://") && app.ClientID != "" && app.ClientSecret != "" {
		fmt.Fprintf(&b, "sign_in: {client_id: %q, client_secret_file: client.secret}\n", app.ClientID)
		files = append(files, struct{ name, text string }{"client.secret", app.ClientSecret + "\n"})
	}
	b.WriteString("data: data\nrunners: []   # gatebot runner keygen\n")
	for _, f := range append(files, struct{ name, text string }{"serve.yaml", b.String()}) {
		if err := os.WriteFile(filepath.Join(o.dir, f.name), []byte(f.text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
