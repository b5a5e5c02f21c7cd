package webhook

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/gatebot/gatebot/webhook/github"
	"github.com/gatebot/gatebot/webhook/standin"
)

// visitor is a browser whose cookies are for TLS, on a server that has none.
type visitor struct {
	*testing.T
	root    string
	cookies map[string]string
}

// get follows no redirect.
func (v *visitor) get(address string) (int, string, string) { return v.do("GET", address, nil) }

func (v *visitor) do(method, address string, form url.Values) (status int, body, location string) {
	v.Helper()
	address = strings.Replace(address, "https://gate.example", v.root, 1)
	r, err := http.NewRequestWithContext(v.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		v.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if strings.HasPrefix(address, v.root) {
		for name, value := range v.cookies {
			r.AddCookie(&http.Cookie{Name: name, Value: value})
		}
	}
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := c.Do(r)
	if err != nil {
		v.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		v.Fatal(err)
	}
	for _, k := range res.Cookies() {
		if !k.Secure || !k.HttpOnly {
			v.Errorf("cookie %s: %+v", k.Name, k)
		}
		if v.cookies[k.Name] = k.Value; k.MaxAge < 0 {
			delete(v.cookies, k.Name)
		}
	}
	return res.StatusCode, string(data), res.Header.Get("Location")
}

// signIn goes the whole way as a person would, and gives where it ends.
func (v *visitor) signIn(to, login string) (end string) {
	v.Helper()
	_, _, there := v.get(v.root + "/login/github?to=" + url.QueryEscape(to))
	if status, page, _ := v.get(there); status != http.StatusOK || !strings.Contains(page, login) {
		v.Fatalf("GitHub's page: %d %s", status, page)
	}
	_, _, back := v.do("POST", there, url.Values{"login": {login}})
	if !strings.HasPrefix(back, "https://gate.example/callback?") {
		v.Fatalf("sent back to %q", back)
	}
	status, body, end := v.get(back)
	if status != http.StatusSeeOther {
		v.Fatalf("callback: %d %s", status, body)
	}
	return end
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestSignInAtGitHub: who may read the repository sees its pages after signing in, and nobody else; the link behind Details
// leads there by way of GitHub.
func TestSignInAtGitHub(t *testing.T) {
	m := newMachine(t)
	m.stop()
	const secret = "the-client-secret-of-this-test"
	m.github.SetSignIn(standin.SignIn{ClientID: "Iv1.abc", ClientSecret: secret, Callbacks: []string{"https://gate.example/callback"}})
	by, err := github.NewSignIn(github.SignInOptions{ClientID: "Iv1.abc", ClientSecret: secret, BaseURL: m.github.URL() + "/api/v3/"})
	if err != nil {
		t.Fatal(err)
	}
	var log lockedBuffer
	m.opts.SignIn, m.opts.PublicURL, m.opts.WebURL, m.opts.Log = SignInBy(by), "https://gate.example", m.github.URL(), slog.New(slog.NewTextHandler(&log, nil))
	m.start()
	m.github.AddUser("mallory", "mallory-token")
	m.repo.SetPermission("mallory", "none")
	m.github.AddUser("grace", "grace-token")
	m.repo.SetPermission("grace", "read")
	m.commit("main", "a.py", clean)
	head := m.commit("topic", "a.py", dirty)
	m.open("topic")
	details, root := strings.TrimPrefix(m.completed(head).DetailsURL, "https://gate.example"), strings.TrimSuffix(m.hook, "/webhook")
	m.recorded()
	onBoard := "/board/jobs/" + strings.Split(details, "/")[2]

	visit := func() *visitor { return &visitor{t, root, map[string]string{}} }
	nobody := visit()
	for _, path := range []string{"/board", details, details + "/results.json", details + "/events", details + "/log.txt", onBoard, onBoard + "/results.sarif", "/board/jobs/" + strings.Repeat("0", 32)} {
		status, body, to := nobody.get(root + path)
		if status != http.StatusSeeOther || to != "/login?to="+url.QueryEscape(path) || strings.Contains(body, "a.py") {
			t.Errorf("nobody at %s: %d to %q", path, status, to)
		}
	}
	if status, _, _ := nobody.get(root + "/jobs/" + strings.Repeat("0", 32) + "/x"); status != http.StatusNotFound {
		t.Errorf("a wrong code: %d", status)
	}

	grace := visit()
	if end := grace.signIn(details, "grace"); end != details {
		t.Errorf("after signing in: %q, want %q", end, details)
	}
	for path, want := range map[string]string{details: "a.py:2", onBoard: "a.py:2", "/board": ">grace<", "/board/fixlog": "log is empty", "/board/runners": "No runner is configured", "/board/search?q=a.py": "GB101"} {
		if status, body, _ := grace.get(root + path); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("grace at %s: %d, no %q in %.1500s", path, status, want, body)
		}
	}
	// A restart signs nobody out: what the cookies are sealed with is in the store.
	m.stop()
	m.start()
	root = strings.TrimSuffix(m.hook, "/webhook")
	grace.root, nobody.root = root, root
	if status, body, _ := grace.get(root + details); status != http.StatusOK || !strings.Contains(body, "a.py:2") {
		t.Errorf("after a restart: %d", status)
	}
	if status, _, _ := nobody.get(root + details); status != http.StatusSeeOther {
		t.Errorf("nobody after a restart: %d", status)
	}
	copied := map[string]string{}
	for k, v := range grace.cookies {
		copied[k] = v
	}
	if status, _, to := grace.do("POST", root+"/logout", url.Values{}); status != http.StatusSeeOther || to != "/login" {
		t.Errorf("logout: %d to %q", status, to)
	}
	// The token is revoked at GitHub: neither grace nor who has copied her cookie sees anything.
	for name, v := range map[string]*visitor{"grace": grace, "a copy": {t, root, copied}} {
		if status, body, to := v.get(root + details); status != http.StatusSeeOther || !strings.HasPrefix(to, "/login?") || strings.Contains(body, "a.py") {
			t.Errorf("%s after the logout: %d to %q", name, status, to)
		}
	}

	mallory := visit()
	mallory.signIn("/board", "mallory")
	for path, want := range map[string]int{"/board": 403, "/board/fixlog": 403, "/board/search?q=a.py": 403, "/board/runners": 403, details: 404, onBoard: 404, onBoard + "/events": 404, "/board/jobs/" + strings.Repeat("0", 32): 404} {
		if status, body, _ := mallory.get(root + path); status != want || strings.Contains(body, "a.py:") || strings.Contains(body, "o/r") {
			t.Errorf("mallory at %s: %d %.300s", path, status, body)
		}
	}
	if _, _, to := mallory.do("POST", root+"/logout", url.Values{}); to != "/login" {
		t.Error(to)
	}
	for _, s := range []string{secret, "ghu_", "code=", "state=", details} {
		if strings.Contains(log.String(), s) {
			t.Errorf("%q is in the log:\n%s", s, log.String())
		}
	}
}
