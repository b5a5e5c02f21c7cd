package signin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	staticToken = "a-static-token-of-the-test"
	userToken   = "ghu_aTokenOfAdaThatNobodyMaySee"
	userCode    = "acodethatgithubgaveout"
)

// github is GitHub's side as plain values.
type github struct {
	mu        sync.Mutex
	challenge string
	levels    map[int64]string
	err       error // of every question
	asked     int
	revoked   []string
}

func (g *github) AuthorizeURL(state, challenge, redirect string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.challenge = challenge
	return "https://github.example/authorize?" + url.Values{"state": {state}, "redirect_uri": {redirect}}.Encode()
}

func (g *github) Exchange(_ context.Context, code, verifier, _ string) (string, time.Duration, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if code != userCode || challenge(verifier) != g.challenge {
		return "", 0, fmt.Errorf("%w: bad code", ErrRefused)
	}
	return userToken, 8 * time.Hour, g.err
}

func (g *github) Person(_ context.Context, token string) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if token != userToken {
		return "", ErrRefused
	}
	return "ada", g.err
}

func (g *github) Permission(_ context.Context, token string, r Repo) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked++
	if token != userToken || len(g.revoked) > 0 {
		return "", ErrRefused
	}
	return g.levels[r.ID], g.err
}

func (g *github) Revoke(_ context.Context, token string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.revoked = append(g.revoked, token)
	return nil
}

func (g *github) set(do func(*github)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	do(g)
}

// house is a server with a door: /board shows who is in, /board/repo/N whether they may see repository N.
type house struct {
	*testing.T
	gh   *github
	door *Door
	srv  *httptest.Server
	log  bytes.Buffer
	mu   sync.Mutex
	at   time.Time
}

func (h *house) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.log.Write(p)
}

func (h *house) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

func (h *house) later(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = h.at.Add(d)
}

func newHouse(t *testing.T, change func(*Options)) *house {
	h := &house{T: t, gh: &github{levels: map[int64]string{1: "read", 2: "none", 3: "write"}}, at: time.Now()}
	mux := http.NewServeMux()
	h.srv = httptest.NewServer(mux)
	t.Cleanup(h.srv.Close)
	o := Options{Token: staticToken, Provider: h.gh, Secret: []byte(strings.Repeat("s", KeySize)), PublicURL: h.srv.URL, Home: "/board",
		Page: func(w http.ResponseWriter, _ *http.Request, problem string) {
			_, _ = io.WriteString(w, "the ways in: "+problem)
		},
		Log: slog.New(slog.NewTextHandler(h, nil)), Now: h.now}
	if change != nil {
		change(&o)
	}
	var err error
	if h.door, err = New(o); err != nil {
		t.Fatal(err)
	}
	h.door.Routes(mux)
	mux.HandleFunc("GET /board", func(w http.ResponseWriter, r *http.Request) {
		v := h.door.Visitor(r)
		if v == nil {
			h.door.Ask(w, r)
			return
		}
		_, _ = fmt.Fprintf(w, "in: %q all=%v", v.Login, v.All())
	})
	mux.HandleFunc("GET /board/repo/{id}", func(w http.ResponseWriter, r *http.Request) {
		v := h.door.Visitor(r)
		if v == nil {
			h.door.Ask(w, r)
			return
		}
		var id int64
		_, _ = fmt.Sscan(r.PathValue("id"), &id)
		ok, err := v.May(r.Context(), Repo{ID: id, Owner: "o", Name: "n"})
		_, _ = fmt.Fprintf(w, "%v refused=%v unknown=%v", ok, errors.Is(err, ErrRefused), errors.Is(err, ErrUnknown))
	})
	return h
}

// browser keeps cookies and follows no redirect.
type browser struct {
	*house
	c *http.Client
}

func (h *house) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		h.Fatal(err)
	}
	return &browser{h, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

func (b *browser) do(method, path string, form url.Values) (int, string, *http.Response) {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), method, b.srv.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := b.c.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.Fatal(err)
	}
	return res.StatusCode, string(body), res
}

func (b *browser) get(path string) (int, string) {
	b.Helper()
	status, body, _ := b.do("GET", path, nil)
	return status, body
}

// begin starts a sign-in and gives the state that GitHub would send back.
func (b *browser) begin(to string) string {
	b.Helper()
	status, _, res := b.do("GET", "/login/github?"+url.Values{"to": {to}}.Encode(), nil)
	u, err := url.Parse(res.Header.Get("Location"))
	if status != http.StatusSeeOther || err != nil || u.Host != "github.example" || u.Query().Get("redirect_uri") != b.srv.URL+"/callback" {
		b.Fatalf("login: %d to %q", status, res.Header.Get("Location"))
	}
	return u.Query().Get("state")
}

func callbackOf(state, code string) string {
	return "/callback?" + url.Values{"state": {state}, "code": {code}}.Encode()
}

// in signs ada in.
func (b *browser) in() {
	b.Helper()
	status, body, _ := b.do("GET", callbackOf(b.begin("/board"), userCode), nil)
	if status != http.StatusSeeOther {
		b.Fatalf("callback: %d %s", status, body)
	}
}
