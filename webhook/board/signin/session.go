package signin

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"time"
)

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
