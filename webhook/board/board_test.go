package board

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
)

const token = "0123456789abcdef-token"

var now = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// fake is a source of made-up data.
type fake struct {
	jobs []Job
	err  error
}

func (f *fake) Jobs(context.Context) ([]Job, error) { return f.jobs, f.err }

func (f *fake) Runners(context.Context) ([]Runner, error) {
	return []Runner{{Name: "b200-1", State: "quarantined", Reason: "Xid 79: GPU has fallen off the bus", Device: "NVIDIA B200", Pools: []string{"default"}, Seen: now.Add(-time.Minute)},
		{Name: "b200-0", State: "busy", Job: "abc.a1", Device: "NVIDIA B200", Pools: []string{"default", "nightly"}, Seen: now}, {Name: "b200-2", State: "silent"}}, f.err
}

func (f *fake) Results(_ context.Context, key string) (*finding.Results, error) {
	var n int
	if _, err := fmt.Sscanf(key, "k%d", &n); err != nil {
		return nil, err
	}
	if n%7 == 3 {
		return nil, nil // its results are gone by now
	}
	r := &finding.Results{Verdict: finding.VerdictPass, Checks: []finding.CheckResult{
		{Name: finding.CheckCapture, Regions: []finding.RegionResult{{Name: "a", Status: finding.StatusPass}, {Name: "b", Status: finding.StatusFail}}},
		{Name: finding.CheckSpeed, Metrics: map[string]float64{"eager_us": 900 + float64(n), "replay_us": 400}}}}
	for i := range n % 5 {
		f := finding.Finding{Severity: finding.Error, Confidence: finding.Likely, Line: i}
		if i == 1 {
			f.Suppressed = &finding.Suppression{By: "inline"}
		}
		if i == 2 {
			f.Suppressed = &finding.Suppression{By: "baseline"}
		}
		r.Findings = append(r.Findings, f)
	}
	return r, nil
}

func some() *fake {
	f := &fake{}
	for i := range 120 {
		j := Job{Key: fmt.Sprintf("k%d", i), Repo: "acme/dsv4", Check: "gatebot", Head: fmt.Sprintf("%08x%032x", 0x51f00000+i*7919, i), Ref: "main", State: "done", Conclusion: "success",
			Title: "no capture hazards", Runner: "b200-0", URL: "/jobs/x/y", Created: now.Add(-time.Duration(i) * time.Hour), Updated: now.Add(-time.Duration(i) * time.Hour)}
		switch i % 4 {
		case 1:
			j.PR, j.Author, j.Conclusion, j.Title = i, "ada", "failure", "2 capture hazards: GB101 tensor-item in moe.py:12"
		case 2:
			j.Mainline = true
		case 3:
			j.Mainline, j.Repo = true, "acme/other"
		}
		if i == 0 {
			j.State, j.Conclusion, j.Title = "waiting", "", "2nd in the queue"
		}
		f.jobs = append(f.jobs, j)
	}
	return f
}

func serve(t *testing.T, s Source) *httptest.Server {
	t.Helper()
	h, err := New(Options{Source: s, Token: token, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv
}

func get(t *testing.T, address, bearer string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if bearer != "" {
		r.Header.Set("Authorization", "Bearer "+bearer)
	}
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body), res.Header
}

func TestNothingWithoutTheToken(t *testing.T) {
	srv := serve(t, some())
	for _, path := range []string{"/board", "/board?q=acme", "/board/runners", "/board/trends"} {
		for _, bearer := range []string{"", "wrong", token + "x"} {
			code, body, h := get(t, srv.URL+path, bearer)
			if code != http.StatusSeeOther || h.Get("Location") != "/board/login" || strings.Contains(body, "acme") {
				t.Errorf("%s with %q: %d, to %q: %s", path, bearer, code, h.Get("Location"), body)
			}
		}
	}
	if code, _, _ := get(t, srv.URL+"/board/assets/board.html", token); code != http.StatusNotFound {
		t.Errorf("the template is served: %d", code)
	}
	if _, err := New(Options{Source: some(), Token: "short"}); err == nil {
		t.Error("a short token is accepted")
	}
}

func TestLogin(t *testing.T) {
	srv := serve(t, some())
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	post := func(value string) *http.Response {
		res, err := c.PostForm(srv.URL+"/board/login", url.Values{"token": {value}})
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res
	}
	res := post(token)
	if res.StatusCode != http.StatusSeeOther || len(res.Cookies()) != 1 {
		t.Fatalf("login: %d, %d cookies", res.StatusCode, len(res.Cookies()))
	}
	ck := res.Cookies()[0]
	if !ck.HttpOnly || ck.SameSite != http.SameSiteStrictMode || strings.Contains(ck.Value, token) {
		t.Errorf("cookie: %+v", ck)
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", srv.URL+"/board", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.AddCookie(ck)
	if res, err = c.Do(r); err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("with the cookie: %d", res.StatusCode)
	}
	for i := range maxWrong {
		if got := post("guess").StatusCode; got != http.StatusForbidden {
			t.Fatalf("guess %d: %d", i, got)
		}
	}
	if got := post("guess"); got.StatusCode != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" {
		t.Errorf("guessing goes on: %d", got.StatusCode)
	}
}

func TestPages(t *testing.T) {
	srv := serve(t, some())
	for path, want := range map[string][]string{
		"/board":                            {"120 found · 1 waiting · 0 running", "2nd in the queue", `rel="next"`, `href="/jobs/x/y"`, "acme/other", "1 h ago"},
		"/board?from=50":                    {`rel="prev"`, `from=100`},
		"/board?q=ada+failure":              {"30 found", "GB101"},
		"/board?q=%235+ada":                 {"1 found"}, // and not #53
		"/board?repo=acme%2Fother":          {"30 found"},
		"/board?q=nothing+like+that":        {"0 found", "Nothing found."},
		"/board?from=nonsense":              {"120 found"},
		"/board/runners":                    {"Xid 79", "quarantined", "silent", "never", "default, nightly"},
		"/board/trends?repo=acme%2Fdsv4":    {`"captured":1`, `"regions":2`, `"replay_us":400`, "1 of 2"},
		"/board/trends?repo=acme%2Fnowhere": {"No verdict"},
	} {
		code, body, h := get(t, srv.URL+path, token)
		if code != http.StatusOK || !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: %d, %v", path, code, h)
		}
		for _, w := range want {
			if !strings.Contains(body, w) {
				t.Errorf("%s: no %q in\n%s", path, w, body)
			}
		}
	}
}

func TestAStoreThatFails(t *testing.T) {
	srv := serve(t, &fake{err: errors.New("disk of secret-host is full")})
	for _, path := range []string{"/board", "/board/runners", "/board/trends"} {
		code, body, _ := get(t, srv.URL+path, token)
		if code != http.StatusServiceUnavailable || strings.Contains(body, "secret-host") {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
}

// What people name things must stay text.
func TestHostileNames(t *testing.T) {
	const evil = `"><script>alert(1)</script>`
	srv := serve(t, &fake{jobs: []Job{{Repo: evil, Head: evil, Ref: evil, Author: evil, Title: evil, State: evil, Conclusion: evil, Runner: evil, URL: "javascript:alert(1)", Updated: now}}})
	_, body, _ := get(t, srv.URL+"/board?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E", token)
	if strings.Contains(body, "<script>alert") || strings.Contains(body, `href="javascript:`) {
		t.Error(body)
	}
}

// TestServeForBrowser serves made-up pages for make browser-test, without the lock, until its input ends.
func TestServeForBrowser(t *testing.T) {
	address := os.Getenv("GATEBOT_BOARD_ADDR")
	if address == "" {
		t.Skip("for make browser-test")
	}
	b, err := New(Options{Source: some(), Token: token, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+token)
		b.ServeHTTP(w, r)
	})}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = srv.Close()
	}()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		t.Fatal(err)
	}
}
