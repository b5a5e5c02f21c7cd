package signin

import (
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
