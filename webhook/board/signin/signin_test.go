package signin

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestSignIn(t *testing.T) {
	h := newHouse(t, nil)
	b := h.browser()
	if status, _, res := b.do("GET", "/board?q=a", nil); status != http.StatusSeeOther || res.Header.Get("Location") != "/login?to=%2Fboard%3Fq%3Da" {
		t.Errorf("nobody: %d to %q", status, res.Header.Get("Location"))
	}
	state := b.begin("/board?q=a")
	status, _, res := b.do("GET", callbackOf(state, userCode), nil)
	if status != http.StatusSeeOther || res.Header.Get("Location") != "/board?q=a" || res.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("callback: %d %v", status, res.Header)
	}
	found := false
	for _, c := range res.Cookies() {
		if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" {
			t.Errorf("cookie %+v", c)
		}
		if c.Name == "gatebot-session" {
			found = true
			if strings.Contains(c.Value, "ada") || strings.Contains(c.Value, userToken) {
				t.Errorf("the cookie can be read: %s", c.Value)
			}
		}
	}
	if !found {
		t.Errorf("no session in %v", res.Cookies())
	}
	if status, body := b.get("/board"); status != 200 || body != `in: "ada" all=false` {
		t.Errorf("%d %s", status, body)
	}
	for path, want := range map[string]string{"/board/repo/1": "true", "/board/repo/2": "false", "/board/repo/3": "true", "/board/repo/9": "false"} {
		if _, body := b.get(path); !strings.HasPrefix(body, want) {
			t.Errorf("%s: %s, want %s", path, body, want)
		}
	}
}

func TestSecureCookies(t *testing.T) {
	h := newHouse(t, func(o *Options) { o.PublicURL = "https://gate.example" })
	_, _, res := h.browser().do("GET", "/login/github", nil)
	c := res.Cookies()[0]
	if !c.Secure || !strings.HasPrefix(c.Name, "__Host-") || c.Domain != "" {
		t.Errorf("%+v", c)
	}
	if to := res.Header.Get("Location"); !strings.Contains(to, url.QueryEscape("https://gate.example/callback")) {
		t.Error(to)
	}
}

// Nobody gets in by a callback that is not theirs, not fresh, or not the first.
func TestCallbackIsRefused(t *testing.T) {
	h := newHouse(t, nil)
	refused := func(name string, b *browser, path string, want int) {
		t.Helper()
		if status, body := b.get(path); status != want || !strings.HasPrefix(body, "the ways in: ") {
			t.Errorf("%s: %d %s", name, status, body)
		}
		if status, _ := b.get("/board"); status != http.StatusSeeOther {
			t.Errorf("%s: in all the same", name)
		}
	}
	b := h.browser()
	refused("not begun", b, callbackOf("x", userCode), 403)
	b.begin("/board")
	refused("another state", b, callbackOf("x", userCode), 403)
	b.begin("/board")
	refused("no state", b, "/callback?code="+userCode, 403)
	victim, attacker := h.browser(), h.browser()
	victim.begin("/board")
	refused("somebody else's state", victim, callbackOf(attacker.begin("/board"), userCode), 403)
	refused("wrong code", b, callbackOf(b.begin("/board"), "another"), 403)
	refused("declined", b, "/callback?error=access_denied&state="+b.begin("/board"), 403)
	state := b.begin("/board")
	h.later(loginFor + time.Second)
	refused("too late", b, callbackOf(state, userCode), 403)
	h.gh.set(func(g *github) { g.err = errors.New("the dog ate it") })
	refused("GitHub is down", b, callbackOf(b.begin("/board"), userCode), 502)
}

// A state is good once, even with the cookie of then.
func TestStateReplay(t *testing.T) {
	h := newHouse(t, nil)
	b := h.browser()
	_, _, res := b.do("GET", "/login/github", nil)
	cookie := res.Cookies()[0]
	u, err := url.Parse(res.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	path := callbackOf(u.Query().Get("state"), userCode)
	for i, want := range []int{http.StatusSeeOther, http.StatusForbidden, http.StatusForbidden} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", h.srv.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.AddCookie(cookie)
		res, err := (&http.Client{CheckRedirect: b.c.CheckRedirect}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("time %d: %d, want %d", i+1, res.StatusCode, want)
		}
	}
}

// Cookies that this server did not make, made for something else, or long ago.
func TestForgedSessions(t *testing.T) {
	h := newHouse(t, nil)
	until := h.now().Add(time.Hour)
	seal := func(s *sealer, purpose string, v any, until time.Time) string {
		t.Helper()
		text, err := s.seal(purpose, v, until)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	foreign, err := newSealer([]byte(strings.Repeat("x", KeySize)), h.now)
	if err != nil {
		t.Fatal(err)
	}
	good := seal(h.door.seal, forSession, session{Login: "ada", Token: userToken}, until)
	flipped := []byte(good)
	flipped[len(flipped)/2] ^= 1
	for name, c := range map[string]struct {
		value string
		in    bool
	}{
		"good":                     {good, true},
		"another key":              {seal(foreign, forSession, session{Pass: h.door.pass()}, until), false},
		"one bit":                  {string(flipped), false},
		"cut":                      {good[:len(good)-4], false},
		"nothing":                  {"", false},
		"no seal":                  {"eyJsIjoiYWRhIn0", false},
		"of a sign-in":             {seal(h.door.seal, forLogin, session{Pass: h.door.pass()}, until), false},
		"too old":                  {seal(h.door.seal, forSession, session{Login: "ada", Token: userToken}, h.now()), false},
		"pass of another token":    {seal(h.door.seal, forSession, session{Pass: "x"}, until), false},
		"neither token nor person": {seal(h.door.seal, forSession, session{Login: "ada"}, until), false},
	} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", h.srv.URL+"/board", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.AddCookie(&http.Cookie{Name: "gatebot-session", Value: c.value})
		if got := h.door.Visitor(r) != nil; got != c.in {
			t.Errorf("%s: in %v, want %v", name, got, c.in)
		}
	}
	if _, err := newSealer([]byte("short"), h.now); err == nil {
		t.Error("a short secret is accepted")
	}
}

func TestSessionsEnd(t *testing.T) {
	h := newHouse(t, nil)
	b := h.browser()
	b.in()
	cookie := b.c.Jar.Cookies(mustURL(t, h.srv.URL))
	h.later(sessionFor + time.Second)
	if status, _ := b.get("/board"); status != http.StatusSeeOther {
		t.Errorf("after %s: %d", sessionFor, status)
	}
	h.later(-sessionFor)
	b.c.Jar.SetCookies(mustURL(t, h.srv.URL), cookie)
	if _, body := b.get("/board/repo/1"); !strings.HasPrefix(body, "true") {
		t.Fatal(body)
	}
	if status, _, res := b.do("POST", "/logout", nil); status != http.StatusSeeOther || res.Header.Get("Location") != "/login" {
		t.Errorf("logout: %d", status)
	}
	if status, _ := b.get("/board"); status != http.StatusSeeOther {
		t.Errorf("after the logout: %d", status)
	}
	if len(h.gh.revoked) != 1 || h.gh.revoked[0] != userToken {
		t.Errorf("revoked: %v", h.gh.revoked)
	}
	// A copy of the cookie shows nothing any more.
	b.c.Jar.SetCookies(mustURL(t, h.srv.URL), cookie)
	if _, body := b.get("/board/repo/1"); !strings.Contains(body, "false refused=true") {
		t.Errorf("a copied cookie: %s", body)
	}
}

func mustURL(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// What GitHub said is believed for minutes; then it is asked again, and what cannot be asked is refused.
func TestPermissionsAreAskedAgain(t *testing.T) {
	h := newHouse(t, nil)
	b := h.browser()
	b.in()
	may := func(want string) {
		t.Helper()
		if _, body := b.get("/board/repo/1"); body != want {
			t.Errorf("%s, want %s", body, want)
		}
	}
	const yes, no, refused, unknown = "true refused=false unknown=false", "false refused=false unknown=false", "false refused=true unknown=false", "false refused=false unknown=true"
	may(yes)
	asked := h.gh.asked
	may(yes)
	if h.gh.asked != asked {
		t.Error("asked twice within a minute")
	}
	h.gh.set(func(g *github) { g.levels[1] = "none" })
	may(yes) // not known yet
	h.later(permitFor)
	may(no)
	h.gh.set(func(g *github) { g.levels[1] = "read" })
	may(no)
	h.later(refuseFor)
	may(yes)
	h.later(permitFor)
	h.gh.set(func(g *github) { g.err = errors.New("502") })
	may(unknown)
	h.gh.set(func(g *github) { g.err = nil })
	may(yes)
	h.later(permitFor)
	h.gh.set(func(g *github) { g.err = ErrRefused })
	may(refused)
}

func TestLevelWrite(t *testing.T) {
	h := newHouse(t, func(o *Options) { o.Level = LevelWrite })
	b := h.browser()
	b.in()
	for path, want := range map[string]string{"/board/repo/1": "false", "/board/repo/3": "true"} {
		if _, body := b.get(path); !strings.HasPrefix(body, want) {
			t.Errorf("%s: %s", path, body)
		}
	}
}

func TestNobodyIsSentElsewhere(t *testing.T) {
	h := newHouse(t, nil)
	for to, want := range map[string]string{
		"/board": "/board", "/board?q=a b": "/board", "/board?q=a+b": "/board?q=a+b", "/board/fixlog#x": "/board/fixlog#x", "/jobs/k/c": "/jobs/k/c",
		"": "/board", "//evil.example": "/board", "https://evil.example/board": "/board", "/\\evil.example": "/board", "/board\\..\\": "/board",
		"/board\n//evil": "/board", "javascript:alert(1)": "/board", "/logout": "/board", "/boardx": "/board", "///evil": "/board", "/webhook": "/board",
		"/board" + strings.Repeat("x", 3000): "/board", "board": "/board", "/jobs/../logout": "/board",
	} {
		if got := h.door.local(to); got != want {
			t.Errorf("%q: %q, want %q", to, got, want)
		}
	}
	b := h.browser()
	_, _, res := b.do("GET", callbackOf(b.begin("//evil.example/x"), userCode), nil)
	if res.Header.Get("Location") != "/board" {
		t.Errorf("sent to %q", res.Header.Get("Location"))
	}
	_, _, res = b.do("POST", "/login/token", url.Values{"token": {staticToken}, "to": {"//evil.example"}})
	if res.Header.Get("Location") != "/board" {
		t.Errorf("sent to %q", res.Header.Get("Location"))
	}
}

func TestStaticToken(t *testing.T) {
	h := newHouse(t, nil)
	b := h.browser()
	post := func(token string) (int, string, *http.Response) {
		return b.do("POST", "/login/token", url.Values{"token": {token}, "to": {"/board/fixlog"}})
	}
	if status, _, res := post(staticToken); status != http.StatusSeeOther || res.Header.Get("Location") != "/board/fixlog" || strings.Contains(res.Cookies()[0].Value, staticToken) {
		t.Errorf("%d %v", status, res.Header)
	}
	if _, body := b.get("/board"); body != `in: "" all=true` {
		t.Error(body)
	}
	for i := range maxWrong {
		if status, _, _ := post("guess"); status != http.StatusForbidden {
			t.Fatalf("guess %d: %d", i, status)
		}
	}
	if status, _, res := post(staticToken); status != http.StatusTooManyRequests || res.Header.Get("Retry-After") == "" {
		t.Errorf("guessing goes on: %d", status)
	}
	h.later(time.Minute + time.Second)
	if status, _, _ := post(staticToken); status != http.StatusSeeOther {
		t.Errorf("a minute later: %d", status)
	}
	// Without a token in the configuration nothing of it opens.
	none := newHouse(t, func(o *Options) { o.Token = "" })
	if status, _, _ := none.browser().do("POST", "/login/token", url.Values{"token": {""}}); status != http.StatusForbidden {
		t.Errorf("an empty token: %d", status)
	}
}

// Through all of it, also what fails, nothing secret is logged.
func TestNothingSecretIsLogged(t *testing.T) {
	h := newHouse(t, nil)
	b := h.browser()
	var states []string
	for _, code := range []string{"wrong-code-of-this-test", userCode} {
		state := b.begin("/board")
		states = append(states, state)
		b.get(callbackOf(state, code))
	}
	b.get("/board/repo/1")
	h.gh.set(func(g *github) { g.err = errors.New("502") })
	b.get(callbackOf(b.begin("/board"), userCode))
	b.do("POST", "/login/token", url.Values{"token": {"a-wrong-static-token"}})
	session := b.c.Jar.Cookies(mustURL(t, h.srv.URL))
	b.do("POST", "/logout", nil)
	log := h.log.String()
	if !strings.Contains(log, "signed in") || !strings.Contains(log, "ada") {
		t.Errorf("the log does not say who came in: %s", log)
	}
	secrets := append(states, userToken, userCode, "wrong-code-of-this-test", staticToken, "a-wrong-static-token", "code=", "state=")
	for _, c := range session {
		secrets = append(secrets, c.Value)
	}
	for _, s := range secrets {
		if s != "" && strings.Contains(log, s) {
			t.Errorf("%q is in the log:\n%s", s, log)
		}
	}
}

func TestOptions(t *testing.T) {
	page := func(http.ResponseWriter, *http.Request, string) {}
	secret := []byte(strings.Repeat("s", KeySize))
	for name, o := range map[string]Options{
		"short token":   {Token: "short", Secret: secret, Page: page, Home: "/board"},
		"short secret":  {Token: staticToken, Secret: secret[1:], Page: page, Home: "/board"},
		"no public URL": {Provider: &github{}, Secret: secret, Page: page, Home: "/board"},
		"no such level": {Token: staticToken, Level: "admin", Secret: secret, Page: page, Home: "/board"},
		"no page":       {Token: staticToken, Secret: secret, Home: "/board"},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func FuzzOpen(f *testing.F) {
	s, err := newSealer([]byte(strings.Repeat("s", KeySize)), time.Now)
	if err != nil {
		f.Fatal(err)
	}
	good, err := s.seal(forSession, session{Login: "ada"}, time.Now().Add(time.Hour))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good[1:])
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		var x session
		if text != good && s.open(forSession, text, &x) == nil {
			t.Fatalf("%q opens as %+v", text, x)
		}
	})
}
