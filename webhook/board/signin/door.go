package signin

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
)

// MinToken is how long the static token has to be: it is the only lock of its kind.
const MinToken = 16

// Options are the parts of a Door. It needs a Token or a Provider; with neither nobody comes in.
type Options struct {
	Token    string // opens everything; "" for none
	Provider Provider
	Level    string // what a person must be able to do in a repository to see it: LevelRead (default) or LevelWrite
	Secret   []byte // behind the cookies, KeySize bytes or more
	// PublicURL is where people reach the server: GitHub sends them back there. Cookies are for TLS alone when it is https.
	PublicURL string
	Home      string // path to show after signing in when nothing else was asked for
	// Page shows the page with the ways in, and why the last one failed ("" when none did).
	Page func(w http.ResponseWriter, r *http.Request, problem string)
	Log  *slog.Logger
	Now  func() time.Time
}

// Door is the ways in. Safe for concurrent use.
type Door struct {
	o        Options
	seal     *sealer
	wrong    limiter
	permits  permits
	used     seen
	redirect string
}

// How long things last. A person's token at GitHub lives eight hours, and so does the session at most.
const (
	sessionFor = 8 * time.Hour
	tokenFor   = 30 * 24 * time.Hour // of a session that the static token opened
	loginFor   = 10 * time.Minute    // a sign-in that is under way
)

// New checks the options.
func New(o Options) (*Door, error) {
	switch {
	case o.Token != "" && len(o.Token) < MinToken:
		return nil, fmt.Errorf("board: the token has %d characters (make one of at least %d: openssl rand -hex 24)", len(o.Token), MinToken)
	case o.Page == nil || o.Home == "":
		return nil, errors.New("sign-in: no page")
	case o.Level != "" && o.Level != LevelRead && o.Level != LevelWrite:
		return nil, fmt.Errorf("sign-in: level %q is none of %s, %s", o.Level, LevelRead, LevelWrite)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	d := &Door{o: o}
	d.permits.init(o)
	var err error
	if d.seal, err = newSealer(o.Secret, o.Now); err != nil {
		return nil, err
	}
	if o.Provider == nil {
		return d, nil
	}
	u, err := url.Parse(o.PublicURL)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("sign-in: %q is no address that GitHub could send people back to (set listen.public_url)", o.PublicURL)
	}
	d.redirect = strings.TrimSuffix(o.PublicURL, "/") + "/callback"
	return d, nil
}

// Token and GitHub report which ways in there are.
func (d *Door) Token() bool { return d.o.Token != "" }

// GitHub reports whether people can sign in at GitHub.
func (d *Door) GitHub() bool { return d.o.Provider != nil }

// Routes adds the addresses of the ways in: /login, /callback, /login/token and /logout.
func (d *Door) Routes(mux *http.ServeMux) {
	mux.HandleFunc("GET /login", d.login)
	mux.HandleFunc("POST /login/token", d.withToken)
	mux.HandleFunc("POST /logout", d.logout)
	if d.o.Provider != nil {
		mux.HandleFunc("GET /login/github", d.start)
		mux.HandleFunc("GET /callback", d.callback)
	}
}

func (d *Door) secure() bool { return strings.HasPrefix(d.o.PublicURL, "https://") }

// cookieName of a purpose. The prefix makes browsers refuse one that another host or a plain connection has set.
func (d *Door) cookieName(purpose string) string {
	if d.secure() {
		return "__Host-gatebot-" + purpose
	}
	return "gatebot-" + purpose
}

func (d *Door) setCookie(w http.ResponseWriter, purpose, value string, life time.Duration) {
	c := &http.Cookie{Name: d.cookieName(purpose), Value: value, Path: "/", HttpOnly: true, Secure: d.secure(), SameSite: http.SameSiteLaxMode, MaxAge: -1}
	if life > 0 {
		c.MaxAge = int(life.Seconds())
	}
	http.SetCookie(w, c)
}

// session is what the cookie of somebody who is in holds.
type session struct {
	Login string `json:"l,omitempty"`
	Token string `json:"t,omitempty"` // the person's, at GitHub
	Pass  string `json:"p,omitempty"` // of the static token: a new token ends every session
}

const (
	forSession = "session"
	forLogin   = "login"
)

// pass follows from the static token and does not give it away.
func (d *Door) pass() string {
	m := hmac.New(sha256.New, []byte(d.o.Token))
	m.Write([]byte("gatebot board"))
	return hex.EncodeToString(m.Sum(nil))
}

// same compares digests, so that neither content nor length of the token shows in the time that it takes.
func (d *Door) same(t string) bool {
	x, y := sha256.Sum256([]byte(t)), sha256.Sum256([]byte(d.o.Token))
	return d.o.Token != "" && hmac.Equal(x[:], y[:])
}

// Visitor is who a request is from, or nil for nobody. It asks nobody but the cookie.
func (d *Door) Visitor(r *http.Request) *Visitor {
	if t, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && d.same(t) {
		return &Visitor{door: d, all: true}
	}
	c, err := r.Cookie(d.cookieName(forSession))
	if err != nil {
		return nil
	}
	var s session
	if d.seal.open(forSession, c.Value, &s) != nil {
		return nil
	}
	switch {
	case s.Pass != "":
		if d.o.Token == "" || !hmac.Equal([]byte(s.Pass), []byte(d.pass())) {
			return nil
		}
		return &Visitor{door: d, all: true}
	case s.Token != "" && d.o.Provider != nil:
		return &Visitor{door: d, Login: s.Login, token: s.Token}
	}
	return nil
}

// Ask sends somebody who is not in to the ways in, and back to what they asked for afterwards. A script gets 401.
func (d *Door) Ask(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || r.Header.Get("Authorization") != "" {
		http.Error(w, "gatebot: sign in", http.StatusUnauthorized)
		return
	}
	to := url.Values{"to": {r.URL.RequestURI()}}
	http.Redirect(w, r, "/login?"+to.Encode(), http.StatusSeeOther)
}

// End ends a session that GitHub does not honour any more.
func (d *Door) End(w http.ResponseWriter) { d.setCookie(w, forSession, "", 0) }

// local is a path of this server that somebody wants to see, or Home: nobody is sent to another host from here.
func (d *Door) local(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") ||
		strings.ContainsFunc(to, func(c rune) bool { return c == '\\' || c <= ' ' || c == 0x7f }) || len(to) > 2000 || path.Clean(u.Path) != u.Path {
		return d.o.Home
	}
	for _, own := range []string{"/board", "/jobs/"} {
		if u.Path == own || strings.HasPrefix(u.Path, strings.TrimSuffix(own, "/")+"/") {
			return to
		}
	}
	return d.o.Home
}
