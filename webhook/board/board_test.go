package board

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/fixlog"
	"github.com/gatebot/gatebot/webhook/board/signin"
)

func options(s Source) Options {
	return Options{Source: s, Token: token, Secret: []byte(strings.Repeat("k", signin.KeySize)), Web: "https://github.com", Classes: classes,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: nowIs}
}

func serve(t *testing.T, o Options) *httptest.Server {
	t.Helper()
	b, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	if err := b.Routes(mux); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(mux)
	t.Cleanup(func() { b.Close(); srv.Close() })
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

var everything = []string{"/board", "/board?q=acme", "/board/runners", "/board/trends", "/board/fixlog", "/board/readiness", "/board/search?q=moe"}

func TestNothingWithoutTheToken(t *testing.T) {
	srv := serve(t, options(some()))
	for _, path := range everything {
		for bearer, want := range map[string]int{"": http.StatusSeeOther, "wrong": http.StatusUnauthorized, token + "x": http.StatusUnauthorized} {
			code, body, h := get(t, srv.URL+path, bearer)
			if code != want || bearer == "" && !strings.HasPrefix(h.Get("Location"), "/login?to=%2Fboard") || strings.Contains(body, "acme/dsv4") {
				t.Errorf("%s with %q: %d, to %q: %s", path, bearer, code, h.Get("Location"), body)
			}
		}
	}
	for _, name := range []string{"page.html", "uplot.LICENSE", "nothing.css", "..%2fboard.go"} {
		if code, _, _ := get(t, srv.URL+"/board/assets/"+name, token); code != http.StatusNotFound {
			t.Errorf("%s is served: %d", name, code)
		}
	}
	o := options(some())
	o.Token = "short"
	if _, err := New(o); err == nil {
		t.Error("a short token is accepted")
	}
}

// Without any way in there are no pages, but what pages of single jobs need.
func TestNoWayIn(t *testing.T) {
	o := options(some())
	o.Token = ""
	srv := serve(t, o)
	for _, path := range append([]string{"/login", "/callback"}, everything...) {
		if code, _, _ := get(t, srv.URL+path, ""); code != http.StatusNotFound {
			t.Errorf("%s: %d", path, code)
		}
	}
	if code, _, _ := get(t, srv.URL+"/board/assets/board.css", ""); code != http.StatusOK {
		t.Errorf("style: %d", code)
	}
}

func TestPages(t *testing.T) {
	srv := serve(t, options(some()))
	for path, want := range map[string][]string{
		"/board":                          {"121 found · 1 waiting · 1 running", "place 1 of 1", `rel="next"`, `href="/board/jobs/k1"`, "acme/other", "1 h ago", "needs approval"},
		"/board?from=50":                  {`rel="prev"`, `from=100`},
		"/board?q=ada+failure":            {"30 found", "GB101"},
		"/board?q=%235+ada":               {"1 found"}, // and not #53
		"/board?repo=acme%2Fother":        {"30 found"},
		"/board?q=nothing+like+that":      {"0 found", "Nothing found."},
		"/board?from=nonsense":            {"121 found"},
		"/board/runners":                  {"Xid 79", "quarantined", "silent", "never", "default, nightly", "--end", "178 of 179 GiB", "An operator set it", `href="/board/jobs/k1000"`, "<b>1</b> waiting"},
		"/board/trends?repo=acme%2Fdsv4":  {`"captured":59`, `"captured":62`, `"regions":62`, `"replay_us":`, "59 of 62"},
		"/board/trends?repo=acme%2Fnone":  {"No verdict"},
		"/board/fixlog":                   {"70 found", "36 fixed", "regressed in", "the file was deleted", `https://github.com/acme/dsv4/commit/` + head(500), `acme/dsv4/pull/101`, `rel="next"`},
		"/board/fixlog?state=regressed":   {"12 found"},
		"/board/fixlog?q=GB301+grouped":   {"23 found"},
		"/board/fixlog?q=%23101":          {"1 found"},
		"/board/fixlog?repo=acme%2Fother": {"0 found", "The log is empty"},
		"/board/readiness":                {"Detector results", "NVIDIA B200", "Checklist", "Host reads of device values", "Scale factor read back", "regressed: ", "62 of 62", "2026-09-30", "Over time"},
		"/board/search?q=moe.py":          {"Commits and pull requests", "GB101", "MoE.forward", "dsv4/moe.py:12", "/blob/", "All 30", "Fix log"},
		"/board/search?q=%2341":           {"#41"},
		"/board/search":                   {"Every word has to be found"},
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

// One search reads no more results files than it says, and none twice.
func TestSearchIsBounded(t *testing.T) {
	f := some()
	for i := range f.jobs {
		f.jobs[i].Ref = f.jobs[i].Key // a branch each
	}
	srv := serve(t, options(f))
	for range 3 {
		if _, body, _ := get(t, srv.URL+"/board/search?q=item", token); !strings.Contains(body, "Older verdicts were not looked at") {
			t.Error(body)
		}
	}
	if f.asked != maxLooked {
		t.Errorf("%d results files were read, want %d", f.asked, maxLooked)
	}
}

func TestAStoreThatFails(t *testing.T) {
	srv := serve(t, options(&fake{err: errors.New("disk of secret-host is full")}))
	for _, path := range everything {
		code, body, _ := get(t, srv.URL+path, token)
		if code != http.StatusServiceUnavailable || strings.Contains(body, "secret-host") {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
}

// What people name things must stay text.
func TestHostileNames(t *testing.T) {
	const evil = `"><script>alert(1)</script>`
	f := some()
	f.jobs = []Job{{Repo: signin.Repo{ID: 1, Owner: evil, Name: evil}, Head: evil, Ref: evil, Author: evil, Title: evil, State: evil, Conclusion: evil, Runner: evil, Key: "javascript:alert(1)", Updated: now},
		{Key: "k2", Repo: signin.Repo{ID: 1, Owner: evil, Name: evil}, Head: evil, State: "done", Mainline: true, HasResults: true, Updated: now}}
	f.ledger = &fixlog.Ledger{Records: []fixlog.Record{{ID: evil, State: fixlog.State(evil), Commit: "javascript:alert(1)", Author: evil, Rule: evil, Path: evil, Symbol: evil, Description: evil + "`" + evil, Doubt: evil, RegressedIn: evil}}}
	srv := serve(t, options(f))
	for _, path := range everything {
		_, body, _ := get(t, srv.URL+path+"%22%3E%3Cscript%3Ealert(1)%3C/script%3E", token)
		_, plain, _ := get(t, srv.URL+path, token)
		for _, b := range []string{body, plain} {
			if strings.Contains(b, "<script>alert") || strings.Contains(b, `href="javascript:`) {
				t.Errorf("%s: %s", path, b)
			}
		}
	}
}

// A form of another site signs nobody in or out, and a page of this one stands in no frame and loads nothing from elsewhere.
func TestOtherSites(t *testing.T) {
	srv := serve(t, options(some()))
	for site, want := range map[string]int{"cross-site": http.StatusForbidden, "same-site": http.StatusForbidden, "same-origin": http.StatusSeeOther} {
		for _, path := range []string{"/logout", "/login/token"} {
			r, err := http.NewRequestWithContext(t.Context(), "POST", srv.URL+path, strings.NewReader("token="+token))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Sec-Fetch-Site", site)
			res, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			if res.StatusCode != want || len(res.Cookies()) > 0 != (want != http.StatusForbidden) {
				t.Errorf("%s from %s: %d, %d cookies", path, site, res.StatusCode, len(res.Cookies()))
			}
		}
	}
	_, body, h := get(t, srv.URL+"/login?to=/board/fixlog", "")
	if csp := h.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'none'") || !strings.Contains(csp, "form-action 'self'") || !strings.Contains(body, `name="to" value="/board/fixlog"`) {
		t.Errorf("%s\n%s", csp, body)
	}
	if strings.Contains(body, "http://") || strings.Contains(body, "https://") {
		t.Errorf("the page names another host: %s", body)
	}
}
