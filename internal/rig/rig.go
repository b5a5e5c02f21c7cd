// Package rig sets gatebot up on one machine, as an administrator would: an App with a key and a webhook secret at the
// GitHub stand-in, a configuration for `gatebot serve`, one for `gatebot runner`, and both started as child processes.
// The demo and the end-to-end tests stand on it.
package rig

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/standin"
)

// Options of a Rig. Dir and Exe are required.
type Options struct {
	Dir     string // everything is below it; the caller removes it
	Exe     string // the gatebot executable
	Standin standin.Options

	MaxBundle int64 // the server's check.max_bundle in bytes, default 64 MiB
}

// Rig is one set-up. GitHub runs from the start; the children run when they are told to.
type Rig struct {
	Options
	GitHub   *standin.Server
	Repo     *standin.Repository
	User     *standin.User
	Children Group

	Secret string
	HTTP   string // address of the server's webhook
	Queue  string // address runners connect to
	keys   [3]key // of the two runners and of the developer ada
}

type key struct{ public, seed string }

// New starts the stand-in with the repository acme/tiny-moe and the user ada, and writes both configurations.
func New(ctx context.Context, o Options) (*Rig, error) {
	r := &Rig{Options: o, Secret: fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64())}
	appKey, pem, err := standin.NewAppKey()
	if err != nil {
		return nil, err
	}
	for i := range r.keys {
		public, seed, err := queue.NewRunnerKey()
		if err != nil {
			return nil, err
		}
		r.keys[i] = key{public, string(seed)}
	}
	if r.HTTP, err = freeAddress(); err != nil {
		return nil, err
	}
	if r.Queue, err = freeAddress(); err != nil {
		return nil, err
	}
	if r.MaxBundle == 0 {
		r.MaxBundle = 64 << 20
	}
	o.Standin.Dir, o.Standin.AppKey, o.Standin.Secret = filepath.Join(o.Dir, "github"), &appKey.PublicKey, r.Secret
	if err := os.MkdirAll(o.Standin.Dir, 0o755); err != nil {
		return nil, err
	}
	if r.GitHub, err = standin.New(o.Standin); err != nil {
		return nil, err
	}
	if err := r.GitHub.Start(ctx); err != nil {
		return nil, err
	}
	r.GitHub.SetWebhook(r.Webhook())
	r.User = r.GitHub.AddUser("ada", "ada-secret-token")
	if r.Repo, err = r.GitHub.CreateRepository(ctx, "acme", "tiny-moe"); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	if err := r.writeConfigs(pem); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Close stops the children and the stand-in. The directory stays.
func (r *Rig) Close() error {
	r.Children.Stop()
	return r.GitHub.Close()
}

// Webhook is where the server takes events.
func (r *Rig) Webhook() string { return "http://" + r.HTTP + "/webhook" }

// File is a path below the rig's directory.
func (r *Rig) File(name string) string { return filepath.Join(r.Dir, name) }

// StartServer starts `gatebot serve` with additional environment variables.
func (r *Rig) StartServer(env ...string) (*Child, error) {
	return r.start("serve", env, "serve", "--config", r.File("serve.yaml"), "--data", r.File("data"))
}

// StartRunner starts `gatebot runner`.
func (r *Rig) StartRunner(env ...string) (*Child, error) {
	return r.start("runner", env, "runner", "--config", r.File("runner.yaml"))
}

// StartSecond starts another runner of the same pool.
func (r *Rig) StartSecond(env ...string) (*Child, error) {
	return r.start("second", env, "runner", "--config", r.File("second.yaml"))
}

func (r *Rig) start(name string, env []string, args ...string) (*Child, error) {
	c, err := Start(r.Exe, name, r.Dir, env, args...)
	if err != nil {
		return nil, err
	}
	r.Children.Add(c)
	return c, nil
}

// Healthy reports whether the server answers that its queue works.
func (r *Rig) Healthy(ctx context.Context) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.HTTP+"/healthz", nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = resp.Body.Close() // its status is all there is to know
	return resp.StatusCode == http.StatusOK
}

// freeAddress picks an address that nobody else has: on Linux all of 127.0.0.0/8 is this machine, so that rigs of several
// tests and of several processes never meet, also not while a server that was killed is being started again. The port
// lies below the range that the system takes outgoing ports from. Elsewhere there is 127.0.0.1 alone.
func freeAddress() (string, error) {
	var last error
	for i := range 100 {
		host := fmt.Sprintf("127.%d.%d.%d", 1+rand.N(254), rand.N(256), 1+rand.N(254))
		if i%2 == 1 {
			host = "127.0.0.1"
		}
		addr := fmt.Sprintf("%s:%d", host, 20000+rand.N(12000))
		ln, err := net.Listen("tcp", addr)
		if err == nil {
			return addr, ln.Close()
		}
		last = err
	}
	return "", fmt.Errorf("no free port: %w", last)
}
