package board

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"time"
)

const cookie = "gatebot_board"

// pass is what the cookie holds: it follows from the token, so that a new token ends every session, and does not give the
// token away.
func (b *board) pass() string {
	m := hmac.New(sha256.New, []byte(b.Token))
	m.Write([]byte("gatebot board"))
	return hex.EncodeToString(m.Sum(nil))
}

// allowed takes the cookie of the login, or the token itself from a script.
func (b *board) allowed(r *http.Request) bool {
	if c, err := r.Cookie(cookie); err == nil && hmac.Equal([]byte(c.Value), []byte(b.pass())) {
		return true
	}
	t, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && b.same(t)
}

// same compares digests, so that neither content nor length of the token shows in the time that it takes.
func (b *board) same(t string) bool {
	x, y := sha256.Sum256([]byte(t)), sha256.Sum256([]byte(b.Token))
	return hmac.Equal(x[:], y[:])
}

func (b *board) login(w http.ResponseWriter, r *http.Request) {
	if !b.attempts.allow(b.Now()) {
		w.Header().Set("Retry-After", "60")
		http.Error(w, "gatebot: too many wrong tokens; wait a minute", http.StatusTooManyRequests)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 4096)
	if err := r.ParseForm(); err != nil || !b.same(r.PostForm.Get("token")) {
		b.attempts.wrong(b.Now())
		w.WriteHeader(http.StatusForbidden)
		b.render(w, page{Name: "login", Title: "Sign in", Data: "This is not the token."})
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookie, Value: b.pass(), Path: "/board", MaxAge: 30 * 24 * 3600, HttpOnly: true, Secure: b.Secure,
		SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/board", http.StatusSeeOther)
}

func (b *board) logout(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: cookie, Path: "/board", MaxAge: -1, HttpOnly: true, Secure: b.Secure, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/board/login", http.StatusSeeOther)
}

func (b *board) loginPage(w http.ResponseWriter, _ *http.Request) {
	b.render(w, page{Name: "login", Title: "Sign in"})
}

// limiter lets no more than maxWrong wrong tokens through in a minute, from everybody together: there is one token, and
// nobody who has it needs more.
type limiter struct {
	mu   sync.Mutex
	last []time.Time
}

const maxWrong = 10

func (l *limiter) allow(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.last) > 0 && now.Sub(l.last[0]) > time.Minute {
		l.last = l.last[1:]
	}
	return len(l.last) < maxWrong
}

func (l *limiter) wrong(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = append(l.last, now)
}
