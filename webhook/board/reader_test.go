package board

import (
	"context"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gatebot/gatebot/webhook/board/signin"
)

// reader is a GitHub that lets everybody in and lets them read one repository.
type reader struct{ nobody }

func (reader) Exchange(context.Context, string, string, string) (string, time.Duration, error) {
	return "ghu_reader", time.Hour, nil
}
func (reader) Person(context.Context, string) (string, error) { return "grace", nil }
func (reader) Permission(_ context.Context, _ string, r signin.Repo) (string, error) {
	if r == dsv4 {
		return signin.LevelRead, nil
	}
	return "none", nil
}

// TestOtherRepositories: who may read one repository sees nothing of the others, wherever they look.
func TestOtherRepositories(t *testing.T) {
	f := some()
	f.jobs = append(f.jobs, Job{Key: "k2000", Repo: other, Check: "gatebot", Head: head(2000), Ref: "secret-branch", State: "running", Title: "running on b200-4", Runner: "b200-4", Pool: "nightly", Updated: now})
	o := options(f)
	o.Token, o.Provider, o.PublicURL = "", reader{}, "http://gate.example"
	srv := serve(t, o)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	do := func(path string) (*http.Response, string) {
		t.Helper()
		r := httptest.NewRecorder()
		req := httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
		root, err := url.Parse(srv.URL)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range c.Jar.Cookies(root) {
			req.AddCookie(k)
		}
		srv.Config.Handler.ServeHTTP(r, req)
		res := r.Result()
		c.Jar.SetCookies(root, res.Cookies())
		return res, r.Body.String()
	}
	res, _ := do("/login/github")
	to, err := url.Parse(res.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	if res, body := do("/callback?code=x&state=" + to.Query().Get("state")); res.StatusCode != http.StatusSeeOther {
		t.Fatalf("callback: %d %s", res.StatusCode, body)
	}
	for _, path := range append([]string{"/board?q=other", "/board?repo=acme%2Fother", "/board/fixlog?repo=acme%2Fother", "/board/readiness?repo=acme%2Fother", "/board/trends?repo=acme%2Fother", "/board/search?q=secret"}, everything...) {
		res, body := do(path)
		if res.StatusCode != http.StatusOK || !strings.Contains(body, ">grace<") {
			t.Errorf("%s: %d %.300s", path, res.StatusCode, body)
		}
		for _, secret := range []string{"acme/other", "secret-branch", "k2000", head(3), short(head(2000))} {
			if strings.Contains(body, secret) && !strings.Contains(path, "secret") {
				t.Errorf("%s shows %q", path, secret)
			}
		}
	}
	if _, body := do("/board"); !strings.Contains(body, "91 found") { // of 122
		t.Errorf("%.2000s", body)
	}
	if _, body := do("/board/runners"); !strings.Contains(body, "<b>1</b> running") {
		t.Error(body)
	}
}
