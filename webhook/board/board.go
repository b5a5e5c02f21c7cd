package board

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// timeout of one page: the store is local, and a reader does not wait longer.
const timeout = 20 * time.Second

//go:embed assets/*
var assets embed.FS

// Options are the parts of the pages.
type Options struct {
	Source Source
	Token  string // who has it may look; at least MinToken characters
	Secure bool   // people come by https: the cookie is sent over nothing else
	Log    *slog.Logger
	Now    func() time.Time
}

// MinToken is how long a token has to be: it is the only lock.
const MinToken = 16

type board struct {
	Options
	attempts limiter
}

// New makes the pages under /board. A token that is too short is an error.
func New(o Options) (http.Handler, error) {
	if len(o.Token) < MinToken {
		return nil, fmt.Errorf("board: the token has %d characters (make one of at least %d: openssl rand -hex 24)", len(o.Token), MinToken)
	}
	if o.Source == nil {
		return nil, errors.New("board: no source")
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	b := &board{Options: o}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /board", b.guarded(b.jobs))
	mux.HandleFunc("GET /board/runners", b.guarded(b.runners))
	mux.HandleFunc("GET /board/trends", b.guarded(b.trends))
	mux.HandleFunc("GET /board/login", b.loginPage)
	mux.HandleFunc("POST /board/login", b.login)
	mux.HandleFunc("POST /board/logout", b.logout)
	mux.HandleFunc("GET /board/assets/{name}", b.asset)
	return headers(mux), nil
}

// headers keeps pages out of frames, caches and search engines, and lets them load nothing but their own assets.
func headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("Cache-Control", "private, no-cache")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Robots-Tag", "noindex")
		next.ServeHTTP(w, r)
	})
}

// guarded shows a page to whoever has the token, and the way to the login to everybody else.
func (b *board) guarded(show func(ctx context.Context, r *http.Request) (page, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !b.allowed(r) {
			http.Redirect(w, r, "/board/login", http.StatusSeeOther)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), timeout)
		defer cancel()
		p, err := show(ctx, r)
		if err != nil {
			b.Log.WarnContext(ctx, "board", "path", r.URL.Path, "error", err)
			http.Error(w, "gatebot: the store cannot be read; try again", http.StatusServiceUnavailable)
			return
		}
		b.render(w, p)
	}
}

func (b *board) asset(w http.ResponseWriter, r *http.Request) {
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
	w.Header().Set("Cache-Control", "private, max-age=3600")
	_, _ = w.Write(data) // the asker may be gone
}
