package standin

import (
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Options sets up a Server. Dir is required; an App needs AppID and AppKey.
type Options struct {
	Dir     string         // the bare repositories live here
	Addr    string         // listen address, default 127.0.0.1:0
	AppID   int64          // default 1
	AppSlug string         // default "gatebot"
	AppKey  *rsa.PublicKey // verifies the App's tokens

	Secret string // webhook secret; deliveries are signed with it

	VisibleAfter     time.Duration // how long a pushed commit stays unknown to the API, as happens at GitHub
	ContentPerMinute int           // content-creating requests, default GitHub's 80
	ContentPerHour   int           // default GitHub's 500

	// Around wraps the API (not git's smart HTTP), such as with the OpenAPI validator.
	Around func(http.Handler) http.Handler
}

// Server is the stand-in. Its methods are safe for concurrent use.
type Server struct {
	opt     Options
	git     gitCommand
	api     http.Handler
	http    *http.Server
	ln      net.Listener
	flight  atomic.Int64 // API requests being served
	started time.Time

	mu         sync.Mutex // guards everything below
	hookURL    string
	lastID     int64
	repos      []*Repository
	users      map[string]*User  // by login
	tokens     map[string]*token // of installations and of people who signed in, by value
	signIn     SignIn
	grants     map[string]grant // by code
	runs       []*CheckRun
	suites     map[suiteKey]int64
	faults     []*fault
	requests   []Request
	content    []time.Time // when content was created, for the secondary limit
	limited    int         // how often that limit was met
	deliveries []*Delivery
	holding    bool // Hold: events are kept in held
	held       []*Delivery

	outbox  chan *Delivery
	stop    context.CancelFunc
	running sync.WaitGroup
}

// New makes a Server that does not listen yet.
func New(opt Options) (*Server, error) {
	if opt.Dir == "" {
		return nil, errors.New("stand-in: no directory for its repositories (set Options.Dir)")
	}
	if opt.Addr == "" {
		opt.Addr = "127.0.0.1:0"
	}
	if opt.AppID == 0 {
		opt.AppID = 1
	}
	if opt.AppSlug == "" {
		opt.AppSlug = "gatebot"
	}
	if opt.ContentPerMinute == 0 {
		opt.ContentPerMinute = 80
	}
	if opt.ContentPerHour == 0 {
		opt.ContentPerHour = 500
	}
	git, err := findGit(opt.Dir)
	if err != nil {
		return nil, err
	}
	s := &Server{
		opt: opt, git: git, started: time.Now(), lastID: 1000,
		users: map[string]*User{}, tokens: map[string]*token{}, grants: map[string]grant{}, suites: map[suiteKey]int64{},
		outbox: make(chan *Delivery, 4096),
	}
	s.api = s.routes()
	if opt.Around != nil {
		s.api = opt.Around(s.api)
	}
	return s, nil
}

// Start listens and serves until Close.
func (s *Server) Start(ctx context.Context) error {
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.opt.Addr)
	if err != nil {
		return fmt.Errorf("stand-in: %w", err)
	}
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.ln = ln
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	s.running.Go(func() { s.deliverAll(ctx) })
	s.running.Go(func() {
		// Serve always ends with an error; after Close it is ErrServerClosed, and before it nobody could act on it.
		_ = s.http.Serve(ln)
	})
	return nil
}

// Close stops serving and delivering and waits for both.
func (s *Server) Close() error {
	if s.http == nil {
		return nil
	}
	err := s.http.Close()
	s.stop()
	s.running.Wait()
	return err
}

// URL is the root of the server, without a final slash: the base of clone URLs, and of the REST API. A server that does
// not listen, and is used through its ServeHTTP, has a name that leads nowhere.
func (s *Server) URL() string {
	if s.ln == nil {
		return "http://github.invalid"
	}
	return "http://" + s.ln.Addr().String()
}

// SetWebhook says where deliveries go. Until it is called events are recorded as failed deliveries.
func (s *Server) SetWebhook(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hookURL = url
}

// newID makes the next id; ids are unique over all kinds of things. The caller holds mu.
func (s *Server) newID() int64 {
	s.lastID++
	return s.lastID
}
