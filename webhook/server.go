package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gatebot/gatebot/internal/bundle"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/board"
	"github.com/gatebot/gatebot/webhook/board/signin"
)

// Options are the parts of a server. Queue, GitHub, Secrets and Data must be set (FromConfig sets all but the first); the
// rest has defaults. Tests put their own in everywhere.
type Options struct {
	Queue   queue.Queue
	GitHub  GitHub
	Secrets []string
	Data    string // directory for mirrors and temporary files
	Addr    string // to listen on; "127.0.0.1:0" picks a port, see Server.URL
	GitHost string // only host that gets tokens; empty: any

	// Admin is another address, for /metrics and /readyz; empty: they are served on Addr to this machine alone.
	Admin string
	// PublicURL is where people reach Addr; it becomes the address behind "Details". Empty: no details pages.
	PublicURL string
	Rules     []finding.RuleInfo // for the SARIF files of the pages
	// BoardToken opens the pages about everything, /board; SignIn lets people in by their account at GitHub, who can do
	// SignInLevel ("" for read) in a repository. With neither there are only pages of single jobs.
	BoardToken  string
	SignIn      signin.Provider
	SignInLevel string
	WebURL      string // of GitHub's pages, for links; "": none

	Bundle  Bundle  // nil: bundle.Write
	Inspect Inspect // of held commits, such as ChildInspect; nil: their source is not looked at
	Explain func(rule string) (text string, ok bool)
	Scan    Scan    // for the fix log, such as ChildScan; nil turns the fix log off
	Mirrors Mirrors // nil: GitMirrors under Data

	// AsToken: webhooks are a repository's own and name no installation.
	AsToken bool
	// Poll is the time between looks at what is open when no webhooks come; 0: webhooks come.
	Poll time.Duration
	// Shared: other servers work on the same queue. LeaseFor is how long one of them may be silent, 0 for the default.
	Shared   bool
	LeaseFor time.Duration

	// FireQueued is how many jobs one developer may have in one pool, waiting and running; 0: any number.
	FireQueued int

	Policy  *Policy             // nil: DefaultPolicy
	Pools   map[string][]string // runner → pools; nil: not checked
	Lease   time.Duration       // of one message in this process; 0: 10 s
	Sweep   time.Duration       // between sweeps; 0: one minute
	Recover time.Duration       // between looks for deliveries that were missed; 0: 5 minutes
	Present time.Duration       // between looks at what is open, whatever events came; 0: 10 minutes
	Drain   time.Duration       // how long handlers may go on after Run was told to stop; 0: 10 s
	Backoff func(deliveries int) time.Duration

	Metrics *Metrics // nil: of its own
	Log     *slog.Logger
	Now     func() time.Time
}

// Server is the whole of `gatebot serve` but the queue.
type Server struct {
	opts     Options
	planner  *planner
	fixlog   *fixLog
	intake   *intake
	board    *board.Board
	http     *http.Server
	listener net.Listener
	admin    net.Listener // nil: none
	stopping atomic.Bool
}

// New checks the options, makes the data directory and listens, so that a taken port is known at once. Run serves.
func New(o Options) (*Server, error) {
	v, err := newVerifier(o.Secrets)
	if err != nil && (o.Poll == 0 || len(o.Secrets) > 0) { // nobody sends webhooks to a server that polls
		return nil, err
	}
	switch {
	case o.Queue == nil:
		return nil, errors.New("server: no queue")
	case o.GitHub == nil:
		return nil, errors.New("server: no GitHub (use github.New)")
	case o.Data == "":
		return nil, errors.New("server: no data directory (set data, or --data DIR)")
	}
	o.fill()
	tmp := filepath.Join(o.Data, "tmp")
	if err := errors.Join(os.RemoveAll(tmp), os.MkdirAll(tmp, 0o700)); err != nil { // what a killed process left
		return nil, fmt.Errorf("server: %w", err)
	}
	if o.Mirrors == nil {
		o.Mirrors = &GitMirrors{
			Dir: filepath.Join(o.Data, "mirrors"), Host: o.GitHost,
			Token:     func(ctx context.Context, r queue.Repo) (string, error) { return o.GitHub.GitToken(ctx, ghRepo(r)) },
			PushToken: func(ctx context.Context, r queue.Repo) (string, error) { return o.GitHub.PushToken(ctx, ghRepo(r)) },
		}
	}
	trail, err := openAudit(filepath.Join(o.Data, "audit.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	s := &Server{opts: o, planner: &planner{
		store: store{q: o.Queue}, gh: o.GitHub, mirrors: o.Mirrors, bundle: o.Bundle, parse: config.Load,
		policy: *o.Policy, tmp: tmp, pools: o.Pools, log: o.Log, now: o.Now, inspect: o.Inspect, explain: o.Explain,
		scans: make(chan struct{}, 2), trail: trail, metrics: o.Metrics,
	}}
	if o.Shared {
		s.planner.shared = newLeases(o.Queue, o.LeaseFor, o.Log)
	}
	start, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.addPages(start); err != nil {
		return nil, errors.Join(err, trail.close())
	}
	if o.Scan != nil {
		s.fixlog = &fixLog{planner: s.planner, scan: o.Scan}
	}
	s.intake = newIntake(v, o.Queue, o.Log, o.Now)
	s.intake.metrics = o.Metrics
	s.gauges(o.Now())
	if err := s.listen(); err != nil {
		return nil, errors.Join(err, trail.close())
	}
	handler, err := s.handler()
	if err != nil {
		return nil, errors.Join(err, s.unlisten(), trail.close())
	}
	s.http = &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second, // 25 MB within GitHub's own limit of 10 s, and slower proxies
		WriteTimeout:      45 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn),
	}
	s.http.RegisterOnShutdown(s.board.Close) // live pages have no end of their own
	return s, nil
}

func (o *Options) fill() {
	if o.Policy == nil {
		p := DefaultPolicy()
		o.Policy = &p
	}
	if o.Metrics == nil {
		o.Metrics = newMetrics()
	}
	if o.Present == 0 {
		o.Present = 10 * time.Minute
	}
	if o.Addr == "" {
		o.Addr = "127.0.0.1:8080"
	}
	if o.Lease == 0 {
		o.Lease = 10 * time.Second
	}
	if o.Sweep == 0 {
		o.Sweep = time.Minute
	}
	if o.Recover == 0 {
		o.Recover = 5 * time.Minute
	}
	if o.Drain == 0 {
		o.Drain = 10 * time.Second
	}
	if o.Bundle == nil {
		o.Bundle = bundle.Write
	}
	if o.Backoff == nil {
		o.Backoff = DefaultBackoff
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	o.Log = slog.New(logHandler{o.Log.Handler()})
	if o.Now == nil {
		o.Now = time.Now
	}
}

// URL is where the server listens.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Run serves until ctx ends, lets what is in hand come to an end for Options.Drain, and returns nil then. What was cut
// off goes on after the next start.
func (s *Server) Run(ctx context.Context) error {
	work, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	ctx, stop := context.WithCancel(ctx)
	defer stop()

	var wg sync.WaitGroup
	for _, l := range s.lanes() {
		wg.Go(func() { l.run(ctx, work) })
	}
	wg.Go(func() { s.watching(ctx) })
	wg.Go(func() { s.foretelling(ctx) })
	for name, loop := range s.loops(work) {
		wg.Go(func() { s.alone(ctx, name, loop) })
	}
	if x, ok := s.opts.Queue.(queue.Exhauster); ok {
		wg.Go(func() { s.exhausted(ctx, x) })
	}
	if x, ok := s.opts.Queue.(queue.FireLimiter); ok && s.opts.FireQueued > 0 {
		wg.Go(func() { s.limiting(ctx, x) })
	}
	admin := s.serveAdmin()
	served := make(chan error, 1)
	go func() { served <- s.http.Serve(s.listener) }()

	var failure error
	select {
	case <-ctx.Done():
	case failure = <-served:
		stop()
	}
	s.stopping.Store(true)
	timer := time.AfterFunc(s.opts.Drain, cut)
	defer timer.Stop()
	if failure == nil {
		if err := s.http.Shutdown(work); err != nil { // drained no longer: close what is open
			_ = s.http.Close()
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			failure = err
		}
	}
	wg.Wait()
	failure = errors.Join(failure, admin(), s.planner.trail.close())
	if failure != nil {
		return fmt.Errorf("server: %w", failure)
	}
	return nil
}
