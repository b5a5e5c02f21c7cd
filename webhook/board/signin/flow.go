package signin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/http"
	"time"
)

// pending is a sign-in under way, in a cookie of the browser that began it: another browser cannot finish it.
type pending struct {
	State    string `json:"s"`
	Verifier string `json:"v"`
	To       string `json:"to"`
}

// login shows the ways in.
func (d *Door) login(w http.ResponseWriter, r *http.Request) { d.o.Page(w, r, "") }

// refuse shows them again, with what was wrong.
func (d *Door) refuse(w http.ResponseWriter, r *http.Request, status int, problem string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	d.o.Page(w, r, problem)
}

// secretText is 256 random bits, in the letters that a verifier may have (RFC 7636, 4.1).
func secretText() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails (crypto/rand)
	return base64.RawURLEncoding.EncodeToString(b)
}

func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// start sends somebody to GitHub.
func (d *Door) start(w http.ResponseWriter, r *http.Request) {
	p := pending{State: secretText(), Verifier: secretText(), To: d.local(r.URL.Query().Get("to"))}
	value, err := d.seal.seal(forLogin, p, d.o.Now().Add(loginFor))
	if err != nil {
		d.o.Log.ErrorContext(r.Context(), "sign-in: cookie not made", "error", err)
		d.refuse(w, r, http.StatusInternalServerError, "The sign-in could not begin.")
		return
	}
	d.setCookie(w, forLogin, value, loginFor)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, d.o.Provider.AuthorizeURL(p.State, challenge(p.Verifier), d.redirect), http.StatusSeeOther)
}

// callback is where GitHub sends people back to. Its address holds a code: it is neither logged nor passed on.
func (d *Door) callback(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	q := r.URL.Query()
	var p pending
	c, err := r.Cookie(d.cookieName(forLogin))
	if err == nil {
		err = d.seal.open(forLogin, c.Value, &p)
	}
	d.setCookie(w, forLogin, "", 0)
	if err != nil || subtle.ConstantTimeCompare([]byte(p.State), []byte(q.Get("state"))) != 1 {
		d.refuse(w, r, http.StatusForbidden, "This sign-in was not begun in this browser, or more than ten minutes ago.")
		return
	}
	if !d.used.first(p.State, d.o.Now()) {
		d.refuse(w, r, http.StatusForbidden, "This sign-in was used already.")
		return
	}
	if q.Get("error") != "" || q.Get("code") == "" {
		d.refuse(w, r, http.StatusForbidden, "GitHub did not let you in: the request was declined.")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 30*time.Second)
	defer cancel()
	login, err := d.enter(ctx, w, q.Get("code"), p.Verifier)
	switch {
	case errors.Is(err, ErrRefused):
		d.o.Log.WarnContext(ctx, "sign-in refused", "error", err)
		d.refuse(w, r, http.StatusForbidden, "GitHub did not confirm the sign-in.")
	case err != nil:
		d.o.Log.WarnContext(ctx, "sign-in failed", "error", err)
		d.refuse(w, r, http.StatusBadGateway, "GitHub cannot be reached; try again in a minute.")
	default:
		d.o.Log.InfoContext(ctx, "signed in", "login", login)
		http.Redirect(w, r, p.To, http.StatusSeeOther)
	}
}

// enter exchanges the code and sets the session's cookie.
func (d *Door) enter(ctx context.Context, w http.ResponseWriter, code, verifier string) (login string, err error) {
	token, life, err := d.o.Provider.Exchange(ctx, code, verifier, d.redirect)
	if err != nil {
		return "", err
	}
	if login, err = d.o.Provider.Person(ctx, token); err != nil {
		return "", err
	}
	if life <= 0 || life > sessionFor {
		life = sessionFor
	}
	value, err := d.seal.seal(forSession, session{Login: login, Token: token}, d.o.Now().Add(life))
	if err != nil {
		return "", err
	}
	d.setCookie(w, forSession, value, life)
	return login, nil
}

// withToken takes the static token from a form.
func (d *Door) withToken(w http.ResponseWriter, r *http.Request) {
	if !d.wrong.allow(d.o.Now()) {
		w.Header().Set("Retry-After", "60")
		http.Error(w, "gatebot: too many wrong tokens; wait a minute", http.StatusTooManyRequests)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 4096)
	if err := r.ParseForm(); err != nil || !d.same(r.PostForm.Get("token")) {
		d.wrong.count(d.o.Now())
		d.refuse(w, r, http.StatusForbidden, "This is not the token.")
		return
	}
	value, err := d.seal.seal(forSession, session{Pass: d.pass()}, d.o.Now().Add(tokenFor))
	if err != nil {
		d.o.Log.ErrorContext(r.Context(), "sign-in: cookie not made", "error", err)
		d.refuse(w, r, http.StatusInternalServerError, "The sign-in could not be kept.")
		return
	}
	d.setCookie(w, forSession, value, tokenFor)
	http.Redirect(w, r, d.local(r.PostForm.Get("to")), http.StatusSeeOther)
}

// logout ends the session here, and the token at GitHub: a copy of the cookie is worth nothing then.
func (d *Door) logout(w http.ResponseWriter, r *http.Request) {
	v := d.Visitor(r)
	d.End(w)
	if v != nil && v.token != "" {
		d.permits.forget(v.token)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), 10*time.Second)
		defer cancel()
		if err := d.o.Provider.Revoke(ctx, v.token); err != nil {
			d.o.Log.WarnContext(ctx, "sign-in: token not revoked; it ends by itself", "login", v.Login, "error", err)
		}
	}
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}
