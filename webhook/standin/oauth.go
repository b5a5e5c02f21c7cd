package standin

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// SignIn is the part of the App by which people sign in: the flow of GitHub's "user access tokens". The zero value has none.
type SignIn struct {
	ClientID, ClientSecret string
	Callbacks              []string // addresses that people may be sent back to, exactly
}

// grantLife is how long a code may wait to be exchanged, as at GitHub.
const grantLife = 10 * time.Minute

// userTokenLife is GitHub's: eight hours.
const userTokenLife = 8 * time.Hour

// grant is a person's consent on its way to becoming a token.
type grant struct {
	user                *User
	redirect, challenge string
	expires             time.Time
}

// SetSignIn says who may send people to sign in.
func (s *Server) SetSignIn(o SignIn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.signIn = o
}

var consentPage = template.Must(template.New("consent").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Authorize</title>
<h1>Authorize {{.App}}</h1><p>Continue as</p>
<form method="post">{{range .Users}}<p><button name="login" value="{{.}}">{{.}}</button></p>{{end}}<p><button name="cancel" value="1">Cancel</button></p></form>
</html>
`))

// serveSignIn serves GitHub's two addresses of the flow, which belong to its pages and not to its API, and reports whether
// the request was for one.
func (s *Server) serveSignIn(w http.ResponseWriter, req *http.Request) bool {
	switch req.URL.Path {
	case "/login/oauth/authorize":
		s.authorizePage(w, req)
	case "/login/oauth/access_token":
		s.exchange(w, req)
	default:
		return false
	}
	return true
}

// authorizePage asks a person, and sends the answer back. Asked by POST with the field login, that person consents.
func (s *Server) authorizePage(w http.ResponseWriter, req *http.Request) {
	q := req.URL.Query()
	s.mu.Lock()
	o, people := s.signIn, []string{}
	for login, u := range s.users {
		if !u.bot {
			people = append(people, login)
		}
	}
	s.mu.Unlock()
	slices.Sort(people)
	back, err := url.Parse(q.Get("redirect_uri"))
	switch {
	case o.ClientID == "" || q.Get("client_id") != o.ClientID:
		http.NotFound(w, req)
		return
	case err != nil || !slices.Contains(o.Callbacks, q.Get("redirect_uri")): // GitHub sends nobody to an address that it does not know
		http.Error(w, "The redirect_uri is not associated with this application.", http.StatusBadRequest)
		return
	case q.Get("code_challenge") != "" && q.Get("code_challenge_method") != "S256":
		http.Error(w, "code_challenge_method must be S256.", http.StatusBadRequest)
		return
	}
	if req.Method != http.MethodPost {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		// A page cut off by a client that has gone is nobody's loss, and the template is fixed.
		_ = consentPage.Execute(w, map[string]any{"App": s.opt.AppSlug, "Users": people})
		return
	}
	answer := url.Values{"state": {q.Get("state")}}
	s.mu.Lock()
	user := s.users[req.FormValue("login")]
	s.mu.Unlock()
	if user == nil || user.bot {
		answer.Set("error", "access_denied")
		answer.Set("error_description", "The user has denied your application access.")
	} else {
		answer.Set("code", s.consent(user, q.Get("redirect_uri"), q.Get("code_challenge")))
	}
	back.RawQuery = answer.Encode()
	http.Redirect(w, req, back.String(), http.StatusFound)
}

// consent makes a code that is good once.
func (s *Server) consent(user *User, redirect, challenge string) string {
	code := strings.ToLower(rand.Text())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.grants[code] = grant{user: user, redirect: redirect, challenge: challenge, expires: time.Now().Add(grantLife)}
	return code
}

// exchange turns a code into a token. GitHub answers 200 with an error in the body when it refuses.
func (s *Server) exchange(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodPost {
		http.NotFound(w, req)
		return
	}
	refuse := func(code, why string) {
		writeJSON(w, http.StatusOK, object{"error": code, "error_description": why, "error_uri": "https://docs.github.com"})
	}
	s.mu.Lock()
	o, code := s.signIn, req.PostFormValue("code")
	g, known := s.grants[code]
	delete(s.grants, code)
	s.mu.Unlock()
	switch {
	case o.ClientID == "" || req.PostFormValue("client_id") != o.ClientID || !equal(req.PostFormValue("client_secret"), o.ClientSecret):
		refuse("incorrect_client_credentials", "The client_id and/or client_secret passed are incorrect.")
	case !known || time.Now().After(g.expires):
		refuse("bad_verification_code", "The code passed is incorrect or expired.")
	case req.PostFormValue("redirect_uri") != g.redirect:
		refuse("redirect_uri_mismatch", "The redirect_uri MUST match the registered callback URL for this application.")
	case g.challenge != "" && !equal(challengeOf(req.PostFormValue("code_verifier")), g.challenge):
		refuse("bad_verification_code", "The code_verifier does not match the code_challenge.")
	default:
		t := &token{value: "ghu_" + rand.Text(), user: g.user, signedIn: true, expires: time.Now().Add(userTokenLife),
			permissions: map[string]string{"metadata": "read", "contents": "read", "pull_requests": "read", "checks": "read"}}
		s.mu.Lock()
		s.tokens[t.value] = t
		s.mu.Unlock()
		writeJSON(w, http.StatusOK, object{"access_token": t.value, "expires_in": int(userTokenLife.Seconds()), "refresh_token": "ghr_" + rand.Text(),
			"refresh_token_expires_in": 15897600, "scope": "", "token_type": "bearer"})
	}
}

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// asClient is an endpoint that the App calls with its client secret, as basic authentication.
var asClient = need{permission: "client"}

// revokeToken ends one person's token: DELETE /applications/{client_id}/token.
func (c *call) revokeToken() (int, any, error) {
	var ask struct {
		Token string `json:"access_token"`
	}
	if err := c.decode(&ask); err != nil {
		return 0, nil, err
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	t := c.s.tokens[ask.Token]
	if t == nil || !t.signedIn {
		return 0, nil, fail(http.StatusUnprocessableEntity, "Validation Failed")
	}
	delete(c.s.tokens, ask.Token)
	return http.StatusNoContent, nil, nil
}

// authorizeClient checks the basic authentication of the App's client.
func (c *call) authorizeClient() error {
	id, secret, ok := c.BasicAuth()
	c.s.mu.Lock()
	o := c.s.signIn
	c.s.mu.Unlock()
	if !ok || o.ClientID == "" || id != o.ClientID || c.PathValue("client") != o.ClientID || !equal(secret, o.ClientSecret) {
		return notFound() // as GitHub answers
	}
	return nil
}
