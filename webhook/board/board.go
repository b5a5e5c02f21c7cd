package board

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gatebot/gatebot/internal/readiness"
	"github.com/gatebot/gatebot/webhook/board/signin"
)

// timeout of one page: the store is local, and a reader does not wait longer.
const timeout = 20 * time.Second

//go:embed assets/*
var assets embed.FS

// Options are the parts of the pages.
type Options struct {
	Source Source
	// Token opens everything; Provider lets people sign in at GitHub. With neither there are no pages but those of jobs.
	Token     string
	Provider  signin.Provider
	Level     string // see signin.Options
	Secret    []byte // behind the cookies
	PublicURL string
	Web       string            // root of GitHub's pages, for links to commits; "" for none
	Classes   []readiness.Class // of the checklist
	Log       *slog.Logger
	Now       func() time.Time
	Tick      time.Duration // between looks of a live page at its job; 0: one second
	Beat      time.Duration // of silence on a live page before it says that it is there; 0: 15 s, proxies cut after a minute
}

// Board is the pages. Safe for concurrent use.
type Board struct {
	Options
	door    *signin.Door // nil: nobody can come in
	digests digests
	streams atomic.Int32
	stop    context.CancelFunc
	stopped context.Context
}

// New makes the pages. A token that is too short is an error.
func New(o Options) (*Board, error) {
	if o.Source == nil {
		return nil, errors.New("board: no source")
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Tick == 0 {
		o.Tick = time.Second
	}
	if o.Beat == 0 {
		o.Beat = 15 * time.Second
	}
	o.Web = strings.TrimSuffix(o.Web, "/")
	b := &Board{Options: o}
	b.stopped, b.stop = context.WithCancel(context.Background())
	if o.Token == "" && o.Provider == nil {
		return b, nil
	}
	var err error
	b.door, err = signin.New(signin.Options{Token: o.Token, Provider: o.Provider, Level: o.Level, Secret: o.Secret, PublicURL: o.PublicURL, Home: "/board",
		Page: b.loginPage, Log: o.Log, Now: o.Now})
	if err != nil {
		return nil, fmt.Errorf("board: %w", err)
	}
	return b, nil
}

// Close ends live pages, so that a server can stop.
func (b *Board) Close() { b.stop() }

// Open reports whether there is a way in: without one only pages of single jobs are served.
func (b *Board) Open() bool { return b.door != nil }

// Routes adds the pages below /board, and the ways in.
func (b *Board) Routes(outer *http.ServeMux) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /board/assets/{name}", b.asset)
	outer.Handle("/board/assets/", b.headers(mux))
	if b.door == nil {
		return nil
	}
	mux.HandleFunc("GET /board", b.guarded(b.jobs))
	mux.HandleFunc("GET /board/runners", b.guarded(b.runners))
	mux.HandleFunc("GET /board/fixlog", b.guarded(b.fixlog))
	mux.HandleFunc("GET /board/readiness", b.guarded(b.readiness))
	mux.HandleFunc("GET /board/trends", b.guarded(b.trends))
	mux.HandleFunc("GET /board/search", b.guarded(b.search))
	mux.HandleFunc("GET /board/login", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusSeeOther) })
	b.door.Routes(mux)
	// A form of another site must not sign anybody in or out.
	same := http.NewCrossOriginProtection()
	if origin, err := originOf(b.PublicURL); err == nil && origin != "" {
		if err := same.AddTrustedOrigin(origin); err != nil {
			return fmt.Errorf("board: %w", err)
		}
	}
	h := b.headers(same.Handler(mux))
	for _, path := range []string{"/board", "/board/", "/login", "/login/", "/callback", "/logout"} {
		outer.Handle(path, h)
	}
	return nil
}

// policy lets pages load nothing but their own assets and send forms nowhere else.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// headers keeps pages out of frames, caches and search engines.
func (b *Board) headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header())
		next.ServeHTTP(w, r)
	})
}

func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Robots-Tag", "noindex")
}

func (b *Board) asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	data, err := assets.ReadFile("assets/" + name)
	switch {
	case err != nil:
		http.NotFound(w, r)
		return
	case strings.HasSuffix(name, ".css"):
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
	case strings.HasSuffix(name, ".js"):
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	default:
		http.NotFound(w, r) // templates and licences are no pages
		return
	}
	w.Header().Set("Cache-Control", "private, max-age=86400") // its address changes with it
	_, _ = w.Write(data)                                      // the asker may be gone
}

// assetURL is the address of an asset of this version: a browser must not show new pages with an old style.
func assetURL(name string) (string, error) {
	data, err := assets.ReadFile("assets/" + name)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return "/board/assets/" + name + "?v=" + hex.EncodeToString(sum[:6]), nil
}
