package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/webhook"
	"github.com/gatebot/gatebot/webhook/github"
)

// TestWriteApp: what app create writes is a configuration that the server takes, with sign-in where it can work.
func TestWriteApp(t *testing.T) {
	app := github.NewApp{ID: 7, Slug: "gatebot", PEM: "pem", Secret: "hook-secret", ClientID: "Iv1.abc", ClientSecret: "client-secret"}
	for url, signIn := range map[string]bool{"https://gate.example": true, "http://gate.example": false, "": false} {
		o := &appOptions{dir: filepath.Join(t.TempDir(), "gate"), url: url}
		if err := writeApp(o, app); err != nil {
			t.Fatal(err)
		}
		c, err := webhook.LoadConfig(filepath.Join(o.dir, "serve.yaml"))
		if err != nil {
			t.Fatalf("%q: %v", url, err)
		}
		if (c.SignIn.ClientID == "Iv1.abc") != signIn {
			t.Errorf("%q: sign_in %+v", url, c.SignIn)
		}
		secret, err := os.ReadFile(filepath.Join(o.dir, "client.secret"))
		if got := err == nil && strings.TrimSpace(string(secret)) == "client-secret"; got != signIn {
			t.Errorf("%q: client.secret %v", url, err)
		}
		info, err := os.Stat(filepath.Join(o.dir, "app.pem"))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%q: app.pem %v %v", url, info, err)
		}
	}
}
