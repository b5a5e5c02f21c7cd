package queue

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// dialFor bounds one attempt to connect and sign in.
const dialFor = 5 * time.Second

func (c *Conn) natsOptions() ([]nats.Option, error) {
	o := &c.opts
	log := o.Log
	opts := []nats.Option{
		nats.Name(o.Name), nats.Timeout(min(o.Timeout, dialFor)), nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort(),
		nats.ReconnectBufSize(-1), // a write while disconnected is an error at once, not a promise
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2),
		nats.CustomReconnectDelay(func(int) time.Duration { return backoff(c.attempts.Load()) }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) {
			wait := backoff(c.attempts.Add(1))
			log.Warn(fmt.Sprintf("queue: cannot reach %s: %v (trying again in %s)", o.URL, err, wait))
		}),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn(fmt.Sprintf("queue: connection to %s lost: %v (trying again)", o.URL, err))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			c.attempts.Store(0)
			c.restartPulls()
			log.Info("queue: connection is back", "url", o.URL)
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			log.Error(fmt.Sprintf("queue: %v", err))
		}),
	}
	if o.inProcess != nil {
		opts = append(opts, nats.InProcessServer(o.inProcess))
	}
	cfg, err := o.TLS.config(false)
	if err != nil {
		return nil, err
	}
	if cfg != nil {
		opts = append(opts, nats.Secure(cfg))
	}
	if err := c.credentials(&opts); err != nil {
		return nil, err
	}
	return opts, nil
}

// credentials signs in with the nkey and takes an inbox of its own: a runner may listen nowhere else.
func (c *Conn) credentials(opts *[]nats.Option) error {
	seed := c.opts.Seed
	if len(seed) == 0 && c.opts.SeedFile != "" {
		data, err := os.ReadFile(c.opts.SeedFile)
		if err != nil {
			return fmt.Errorf("queue: nkey seed: %w", err)
		}
		seed = data
	}
	if len(seed) == 0 {
		return nil // an external server may take anyone
	}
	key, err := nkeys.FromSeed([]byte(strings.TrimSpace(string(seed))))
	if err != nil {
		return fmt.Errorf("queue: nkey seed: %w (expected one line that begins with SU)", err)
	}
	pub, err := key.PublicKey()
	if err != nil {
		return fmt.Errorf("queue: nkey seed: %w", err)
	}
	*opts = append(*opts, nats.Nkey(pub, key.Sign), nats.CustomInboxPrefix(inboxPrefix(pub)))
	return nil
}

func inboxPrefix(pub string) string { return "_INBOX." + pub }
