package queue

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Role says what a connection may do. A server creates what is missing; a runner only uses what it finds, as its
// permissions allow no more.
type Role int

// The roles.
const (
	RoleServer Role = iota
	RoleRunner
)

// Options describe a connection.
type Options struct {
	URL      string // nats://host:4222, tls://host:4222 or several separated by commas
	Name     string // shown by the NATS server; for logs only
	SeedFile string // file holding the nkey seed (SU…)
	Seed     []byte // the seed itself, instead of SeedFile
	TLS      TLS
	Role     Role
	Timeout  time.Duration // for every single request; default 5 s
	MaxBytes int64         // size of the whole store, RoleServer only; default DefaultMaxBytes
	JobLease time.Duration // that EnsurePools grants; default JobLease
	Replicas int           // of every stream, external cluster only; default 1
	// APIPrefix is where JetStream answers: by default where a Server has it for the role. For a runner of an external
	// cluster that has one account for everybody it is $JS.API.
	APIPrefix string
	Log       *slog.Logger // default: discard

	inProcess nats.InProcessConnProvider
}

// Conn is a connection to the queue. It implements Queue and Exhauster.
type Conn struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	opts    Options
	buckets map[string]jetstream.KeyValue

	mu        sync.Mutex
	consumers map[string]jetstream.Consumer
	up        context.Context // ends when the connection was lost and is back: pull requests die with it
	upEnd     context.CancelFunc

	store    storeState
	trimming sync.Mutex
	trimmed  map[Stream]time.Time
	attempts atomic.Int64
}

var (
	_ Queue     = (*Conn)(nil)
	_ Exhauster = (*Conn)(nil)
)

// Connect connects to a queue by URL. It tries until it succeeds or ctx ends, and says so on every try; afterwards
// the connection comes back by itself for ever. Only what cannot get better by waiting is an error: a bad URL, an
// unreadable seed or certificate, a store that cannot be set up (an external cluster has a minute to get ready for it).
func Connect(ctx context.Context, o Options) (*Conn, error) {
	o.fill()
	c := &Conn{opts: o, buckets: map[string]jetstream.KeyValue{}, consumers: map[string]jetstream.Consumer{},
		trimmed: map[Stream]time.Time{}}
	c.up, c.upEnd = context.WithCancel(context.Background())
	c.store.reset()
	opts, err := c.natsOptions()
	if err != nil {
		return nil, err
	}
	for n := int64(0); ; n++ {
		c.nc, err = nats.Connect(o.URL, opts...)
		if err == nil {
			break
		}
		wait := backoff(n)
		o.Log.Warn(fmt.Sprintf("queue: cannot reach %s: %v (trying again in %s)", o.URL, err, wait))
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("queue: cannot reach %s: %w (last try: %w)", o.URL, ctx.Err(), err)
		case <-time.After(wait):
		}
	}
	c.attempts.Store(0)
	c.js, err = jetstream.NewWithAPIPrefix(c.nc, o.APIPrefix, jetstream.WithDefaultTimeout(o.Timeout))
	if err == nil && o.Role == RoleServer {
		err = c.build(ctx)
	}
	if err != nil {
		c.nc.Close()
		return nil, err
	}
	return c, nil
}

func (o *Options) fill() {
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Second
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.APIPrefix == "" {
		o.APIPrefix = serverAPI
		if o.Role == RoleRunner {
			o.APIPrefix = runnerAPI
		}
	}
	if o.JobLease <= 0 {
		o.JobLease = JobLease
	}
	if o.Replicas <= 0 {
		o.Replicas = 1
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// backoff is the wait after n failures in a row: 0.5 s doubling to 30 s.
func backoff(n int64) time.Duration {
	if n > 6 {
		return 30 * time.Second
	}
	return min(time.Duration(1<<n)*500*time.Millisecond, 30*time.Second)
}

func (c *Conn) restartPulls() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.upEnd()
	c.up, c.upEnd = context.WithCancel(context.Background())
}

func (c *Conn) pulls() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.up
}

// Healthy makes one round trip to the store: nil means that a Publish would have been taken.
func (c *Conn) Healthy(ctx context.Context) error {
	if !c.nc.IsConnected() {
		return ErrUnavailable
	}
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	_, err := c.js.AccountInfo(ctx)
	return c.classify(err)
}

// Close implements Queue. Calls in progress end with ErrClosed.
func (c *Conn) Close() error {
	c.nc.Close()
	c.restartPulls()
	return nil
}
