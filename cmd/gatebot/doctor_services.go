package main

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/gatebot/gatebot/gpu/runner"
	"github.com/gatebot/gatebot/internal/doctor"
	"github.com/gatebot/gatebot/webhook"
)

// services are the checks of a server and of a runner, whose configurations are named on the command line.
func (o *doctorOptions) services() doctor.Registry {
	return doctor.Registry{
		{Name: "server", About: "configuration, key and secret of gatebot serve", Run: o.checkServe},
		{Name: "github-app", About: "the App's permissions, events, webhook and the clock, asked of GitHub", Needs: []string{"server"}, Timeout: time.Minute, Run: o.checkApp},
		{Name: "sign-in", About: "the App's client id and secret, by which people come to the pages", Needs: []string{"server"}, Timeout: time.Minute, Run: o.checkSignIn},
		{Name: "github-deliveries", About: "webhooks of the last day that did not arrive", Needs: []string{"server"}, Timeout: time.Minute, Run: o.checkDeliveries},
		{Name: "required-check", About: "the check is required and pinned to the App, in every repository", Needs: []string{"server"}, Timeout: 2 * time.Minute, Run: o.checkRequired},
		{Name: "server-live", About: "the server answers and its queue takes writes", Needs: []string{"server"}, Timeout: 20 * time.Second, Run: o.checkLive},
		{Name: "runner", About: "configuration and key of gatebot runner, and its queue", Timeout: 30 * time.Second, Run: o.checkRunner},
		{Name: "sandbox", About: "a job of this runner would be confined, looked at from inside, and its device is well", Timeout: 3 * time.Minute, Run: o.checkSandbox},
	}
}

func (o *doctorOptions) checkServe(context.Context) doctor.Outcome {
	if o.serve == "" {
		return doctor.None("name its configuration with --serve FILE")
	}
	c, err := webhook.LoadConfig(o.serve)
	if err != nil {
		return doctor.Failed("see gatebot serve --help", "%v", err)
	}
	if c.GitHub.TokenFile != "" {
		if _, err := c.Adapter(); err != nil {
			return doctor.Failed("write the token into it", "%v", err)
		}
		return doctor.Warned("install an App where you can", "a person's token: commit statuses instead of check runs, no buttons")
	}
	if err := appKey(c.App.PrivateKeyFile); err != nil {
		return doctor.Failed("download a private key on the settings page of the App", "app.private_key_file: %v", err)
	}
	if c.Webhook.SecretFile != "" {
		if text, err := os.ReadFile(c.Webhook.SecretFile); err != nil || len(strings.TrimSpace(string(text))) < 8 {
			return doctor.Failed("write the secret of the webhook into it, at least 8 random characters", "webhook.secret_file %s: missing or too short", c.Webhook.SecretFile)
		}
	} else if c.GitHub.Poll == 0 && os.Getenv(c.Webhook.SecretEnv) == "" {
		return doctor.Failed("set it", "webhook.secret_env: %s is not set here", c.Webhook.SecretEnv)
	}
	return doctor.Good("App %d, %d runners may connect", c.App.ID, len(c.Runners))
}

// appKey reads the private key of an App as GitHub gives it out.
func appKey(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return fmt.Errorf("%s: no PEM", file)
	}
	if _, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return nil
	}
	if _, err := x509.ParsePKCS8PrivateKey(block.Bytes); err != nil {
		return fmt.Errorf("%s: no RSA key: %w", file, err)
	}
	return nil
}

func (o *doctorOptions) checkRunner(ctx context.Context) doctor.Outcome {
	if o.runner == "" {
		return doctor.None("name its configuration with --runner FILE")
	}
	c, err := runner.LoadConfig(o.runner)
	if err != nil {
		return doctor.Failed("see gatebot runner --help", "%v", err)
	}
	if info, err := os.Stat(c.SeedFile); err != nil {
		return doctor.Failed("gatebot runner keygen FILE", "nkey_file: %v", err)
	} else if info.Mode().Perm()&0o077 != 0 {
		return doctor.Failed("chmod 600 "+c.SeedFile, "nkey_file %s can be read by others", c.SeedFile)
	}
	if err := os.MkdirAll(c.WorkDir, 0o755); err != nil {
		return doctor.Failed("let the runner's user write there", "dir: %v", err)
	}
	for address := range strings.SplitSeq(c.URL, ",") {
		if err := reach(ctx, strings.TrimSpace(address)); err != nil {
			return doctor.Broken("is gatebot serve running, and may this machine reach its queue?", "queue: %v", err)
		}
	}
	return doctor.Good("%s, pools %s; its queue is reached", c.Name, strings.Join(c.Pools, ", "))
}

// reach opens and closes a connection.
func reach(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), "4222")
	}
	conn, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(ctx, "tcp", host)
	if err != nil {
		return err
	}
	return conn.Close()
}
