package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/gate"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/board"
)

// pages are those of single jobs. A job has two addresses: one for people who are in (below /board), and the one that
// GitHub shows behind "Details". That one holds a code that cannot be guessed: findings quote source, and GitHub shows the
// address only to those who may see the check run. Where people can sign in at GitHub the code alone opens nothing.
type pages struct {
	base  string // public URL of the server, without a final slash
	key   []byte
	rules []finding.RuleInfo // for SARIF
}

const pageKey = "page-key"

// serverSecret reads the secret behind addresses and cookies, or makes it: it lives in the store, so that both outlive a
// process and are the same for several servers.
//
// It is the first that a server asks of its store: one that is choosing itself a leader is asked again until ctx ends.
func serverSecret(ctx context.Context, s *store, log *slog.Logger) ([]byte, error) {
	for {
		secret, err := storedSecret(ctx, s)
		if !errors.Is(err, queue.ErrUnavailable) || ctx.Err() != nil {
			return secret, err
		}
		log.WarnContext(ctx, "store does not answer, trying again", "error", err)
		pause(ctx, time.Second)
	}
}

func storedSecret(ctx context.Context, s *store) ([]byte, error) {
	type record struct {
		Key []byte `json:"key"`
	}
	var secret []byte
	err := change(ctx, s, queue.BucketHeads, pageKey, func(v *record) bool {
		fresh := len(v.Key) == 0
		if fresh {
			v.Key = make([]byte, 32)
			_, _ = rand.Read(v.Key) // never fails (crypto/rand)
		}
		secret = v.Key
		return fresh
	})
	if err != nil {
		return nil, fmt.Errorf("server: pages: %w", err)
	}
	return secret, nil
}

// addPages makes what the routes need. Without a public URL jobs have no address that GitHub could show.
func (s *Server) addPages(ctx context.Context) error {
	o := &s.opts
	secret, err := serverSecret(ctx, &s.planner.store, o.Log)
	if err != nil {
		return err
	}
	s.planner.pages = &pages{base: strings.TrimSuffix(o.PublicURL, "/"), key: secret, rules: o.Rules}
	s.board, err = board.New(board.Options{Source: &overview{s: s}, Token: o.BoardToken, Provider: o.SignIn, Level: o.SignInLevel, Secret: secret,
		PublicURL: o.PublicURL, Web: o.WebURL, Classes: gate.Classes(), Log: o.Log, Now: o.Now})
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	return nil
}

func (g *pages) code(key string) string {
	mac := hmac.New(sha256.New, g.key)
	_, _ = io.WriteString(mac, key) // a hash never fails
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// path is the address of a job's page within the server, for who has the code.
func (g *pages) path(key string) string { return "/jobs/" + key + "/" + g.code(key) }

// details is the address of a record's page, empty when the server has no public URL.
func (p *planner) details(r *Record) string {
	if p.pages == nil || p.pages.base == "" {
		return ""
	}
	return p.pages.base + p.pages.path(r.Key)
}

// shower shows one of the pages of a job; base is the path of the first of them.
type shower func(w http.ResponseWriter, r *http.Request, rec *Record, base string) error

func (s *Server) pageRoutes(mux *http.ServeMux) {
	for tail, show := range map[string]shower{
		"": s.showJob, "/results.json": s.showResults, "/results.sarif": s.showSARIF, "/log.txt": s.showLog, "/events": s.showEvents,
	} {
		if s.planner.pages.base != "" {
			mux.HandleFunc("GET /jobs/{key}/{code}"+tail, s.byCode(show))
		}
		if s.board.Open() {
			mux.HandleFunc("GET /board/jobs/{key}"+tail, s.byVisitor(show))
		}
	}
}

// byCode checks the code in the address; what is wrong is 404, whatever it is.
func (s *Server) byCode(show shower) http.HandlerFunc {
	g := s.planner.pages
	return func(w http.ResponseWriter, r *http.Request) {
		key := r.PathValue("key")
		if !hmac.Equal([]byte(g.code(key)), []byte(r.PathValue("code"))) {
			http.NotFound(w, r)
			return
		}
		s.page(w, r, show, g.path(key), s.board.Strict())
	}
}

// byVisitor shows a job to whoever may read its repository.
func (s *Server) byVisitor(show shower) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.page(w, r, show, "/board/jobs/"+r.PathValue("key"), true)
	}
}

// page loads the record, asks who wants to see it where that is asked, and shows it.
func (s *Server) page(w http.ResponseWriter, r *http.Request, show shower, base string, ask bool) {
	ctx, cancel := context.WithTimeout(r.Context(), storeTimeout)
	rec, _, err := s.planner.load(ctx, r.PathValue("key"))
	cancel()
	missing := errors.Is(err, queue.ErrNotFound)
	if ask && (err == nil || missing) {
		// Who may not look learns not even whether the job is there.
		if rec == nil || missing {
			rec = &Record{}
		}
		if !s.board.Admit(w, r, signRepo(rec.Repo)) {
			return
		}
	}
	if err == nil {
		h := w.Header()
		h.Set("Cache-Control", "private, no-cache")
		h.Set("Referrer-Policy", "no-referrer") // the address may be the secret
		h.Set("X-Robots-Tag", "noindex")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		err = show(w, r, rec, base)
	}
	switch {
	case errors.Is(err, queue.ErrNotFound):
		http.NotFound(w, r)
	case err != nil:
		s.opts.Log.WarnContext(r.Context(), "page", "key", r.PathValue("key"), "error", err)
		http.Error(w, "gatebot: the store cannot be read", http.StatusServiceUnavailable)
	}
}

// showJob is the report of a job that has one, else how far it is and its log.
func (s *Server) showJob(w http.ResponseWriter, r *http.Request, rec *Record, base string) error {
	if rec.State == StateDone {
		ctx, cancel := context.WithTimeout(r.Context(), storeTimeout)
		defer cancel()
		res, err := s.planner.storedResults(ctx, resultsName(rec))
		if err != nil {
			return err
		}
		if res != nil {
			return s.showReport(w, r, rec, res, base)
		}
	}
	s.board.Job(w, r, s.feed(rec), base)
	return nil
}

func (s *Server) showLog(w http.ResponseWriter, r *http.Request, rec *Record, _ string) error {
	s.board.WholeLog(w, r, s.feed(rec))
	return nil
}

func (s *Server) showEvents(w http.ResponseWriter, r *http.Request, rec *Record, _ string) error {
	s.board.Stream(w, r, s.feed(rec))
	return nil
}

func (s *Server) showResults(w http.ResponseWriter, r *http.Request, rec *Record, _ string) error {
	ctx, cancel := context.WithTimeout(r.Context(), storeTimeout)
	defer cancel()
	b, err := s.opts.Queue.GetBlob(ctx, resultsName(rec))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, err = io.Copy(w, b)
	return errors.Join(err, b.Close())
}

func (s *Server) showSARIF(w http.ResponseWriter, r *http.Request, rec *Record, _ string) error {
	ctx, cancel := context.WithTimeout(r.Context(), storeTimeout)
	defer cancel()
	res, err := s.planner.storedResults(ctx, resultsName(rec))
	if err == nil && res == nil {
		err = queue.ErrNotFound
	}
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/sarif+json; charset=utf-8")
	return finding.WriteSARIF(w, res, s.planner.pages.rules)
}
