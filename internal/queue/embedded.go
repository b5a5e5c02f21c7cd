package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

// EmbeddedOptions describe a queue inside this process.
type EmbeddedOptions struct {
	Dir      string        // of the store; made when missing
	Listen   string        // host:port for runners; empty: this process only; port 0 picks one
	TLS      TLS           // of the listener
	Runners  []Runner      // who may connect
	Clients  []Client      // who may send jobs of their own
	Pools    []string      // pools to keep a job consumer for, beside those of Runners
	JobLease time.Duration // of jobs, default JobLease; runners must be told the same
	MaxBytes int64         // size of the whole store; default DefaultMaxBytes
	Start    time.Duration // limit for start-up, default 30 s; a store with much in it takes seconds
	Timeout  time.Duration // for every single request; default 5 s
	Log      *slog.Logger  // default: discard
}

// Server is a queue inside this process and a connection to it with all rights.
type Server struct {
	*Conn
	ns     *natsserver.Server
	js     natsserver.JetStreamConfig // to start JetStream again with
	broken chan struct{}
	lock   *os.File
	stop   context.CancelFunc
	closed chan struct{}
}

// OpenEmbedded starts a queue whose messages are on disk before a Publish returns: with JetStream's default, an fsync
// every two minutes, a power cut would lose acknowledged events. It fails when the directory is in use (ErrLocked).
func OpenEmbedded(ctx context.Context, o EmbeddedOptions) (_ *Server, err error) {
	if o.Dir == "" {
		return nil, errors.New("queue: no store directory given")
	}
	if o.Start <= 0 {
		o.Start = 30 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.MaxBytes < MinMaxBytes {
		return nil, fmt.Errorf("queue: a store of %d bytes is too small (give it at least %d)", o.MaxBytes, MinMaxBytes)
	}
	s := &Server{closed: make(chan struct{}), broken: make(chan struct{}, 1)}
	if s.lock, err = lockDir(o.Dir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.shutdown())
		}
	}()
	seed, opts, err := serverOptions(&o)
	if err != nil {
		return nil, err
	}
	if s.ns, err = natsserver.NewServer(opts); err != nil {
		return nil, fmt.Errorf("queue: start: %w", err)
	}
	s.js = natsserver.JetStreamConfig{StoreDir: opts.StoreDir, MaxStore: opts.JetStreamMaxStore,
		MaxMemory: opts.JetStreamMaxMemory, SyncAlways: true, Strict: true}
	s.ns.SetLoggerV2(&serverLog{log: o.Log, broken: s.broken}, false, false, false)
	s.ns.Start()
	if !s.ns.ReadyForConnections(o.Start) {
		return nil, fmt.Errorf("queue: not ready after %s (is %s on a slow or broken disk, or %q taken?)",
			o.Start, o.Dir, o.Listen)
	}
	if !s.ns.JetStreamEnabled() {
		return nil, fmt.Errorf("queue: JetStream did not start in %s (see the log lines above)", o.Dir)
	}
	ctx, cancel := context.WithTimeout(ctx, o.Start)
	defer cancel()
	s.Conn, err = Connect(ctx, Options{URL: "in-process", Name: "gatebot-serve", Seed: seed, Role: RoleServer,
		Timeout: o.Timeout, MaxBytes: o.MaxBytes, Log: o.Log, JobLease: o.JobLease, inProcess: s.ns})
	if err != nil {
		return nil, err
	}
	if err = s.Conn.EnsurePools(ctx, allPools(&o)...); err != nil {
		return nil, err
	}
	if err = s.Conn.EnsureRunners(ctx, o.Runners...); err != nil {
		return nil, err
	}
	var watch context.Context
	watch, s.stop = context.WithCancel(context.Background())
	go s.revive(watch)
	return s, nil
}

// serverOptions also returns the seed of the all-powerful user, which lives in memory only.
func serverOptions(o *EmbeddedOptions) ([]byte, *natsserver.Options, error) {
	key, err := nkeys.CreateUser()
	if err != nil {
		return nil, nil, fmt.Errorf("queue: key: %w", err)
	}
	seed, err := key.Seed()
	if err != nil {
		return nil, nil, fmt.Errorf("queue: key: %w", err)
	}
	pub, err := key.PublicKey()
	if err != nil {
		return nil, nil, fmt.Errorf("queue: key: %w", err)
	}
	if err := checkClients(o.Clients, o.Runners); err != nil {
		return nil, nil, err
	}
	opts := &natsserver.Options{}
	if err := opts.ProcessConfigString(accounts(pub, o.Runners, o.Clients)); err != nil {
		return nil, nil, fmt.Errorf("queue: accounts: %w", err)
	}
	opts.ServerName, opts.NoSigs, opts.DisableJetStreamBanner = "gatebot", true, true
	opts.JetStream, opts.StoreDir, opts.SyncAlways = true, o.Dir, true
	opts.JetStreamMaxStore, opts.JetStreamMaxMemory = o.MaxBytes, 64<<20
	opts.MaxPayload, opts.MaxPending = MaxPayload, 256<<20 // room for many messages on their way
	opts.DontListen = o.Listen == ""
	if o.Listen == "" {
		return seed, opts, nil
	}
	host, port, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, nil, fmt.Errorf("queue: listen %q: %w", o.Listen, err)
	}
	if opts.Port, err = strconv.Atoi(port); err != nil || opts.Port < 0 || opts.Port > 65535 {
		return nil, nil, fmt.Errorf("queue: listen %q: port is not a number from 0 to 65535", o.Listen)
	}
	if opts.Port == 0 {
		opts.Port = natsserver.RANDOM_PORT
	}
	opts.Host = host
	if opts.TLSConfig, err = o.TLS.config(true); err != nil {
		return nil, nil, err
	}
	opts.TLSTimeout = 5
	return seed, opts, nil
}

// URL is where runners connect, empty when the queue does not listen.
func (s *Server) URL() string {
	if s.ns.Addr() == nil {
		return ""
	}
	return s.ns.ClientURL()
}

// Close stops the queue and gives the directory free.
func (s *Server) Close() error {
	select {
	case <-s.closed:
		return nil
	default:
	}
	close(s.closed)
	s.stop()
	return errors.Join(s.Conn.Close(), s.shutdown())
}

func (s *Server) shutdown() error {
	if s.ns != nil {
		s.ns.Shutdown()
		s.ns.WaitForShutdown()
	}
	if s.lock == nil {
		return nil
	}
	return s.lock.Close()
}
