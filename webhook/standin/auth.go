package standin

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// token is an installation token: an hour long, for one installation, perhaps with fewer permissions.
type token struct {
	value       string
	repo        *Repository
	permissions map[string]string
	expires     time.Time
	user        *User // of a person's own token, which is for every repository; else nil
	signedIn    bool  // user came by the App's sign-in: the token reaches what the person may read
}

// appTokenLife is the longest life of the token that an App signs itself.
const appTokenLife = 10 * time.Minute

// clockSlack is by how much the two clocks may differ.
const clockSlack = time.Minute

// bearer is the credential of a request; both spellings are accepted, and git sends it as a password.
func bearer(req *http.Request) string {
	if _, password, ok := req.BasicAuth(); ok {
		return password
	}
	kind, value, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	if !strings.EqualFold(kind, "Bearer") && !strings.EqualFold(kind, "token") {
		return ""
	}
	return strings.TrimSpace(value)
}

func (c *call) authorize(n need) error {
	if n == asClient {
		return c.authorizeClient()
	}
	credential := bearer(c.Request)
	if credential == "" {
		return fail(http.StatusUnauthorized, "Requires authentication")
	}
	if n == asApp {
		return c.s.verifyApp(credential, time.Now())
	}
	c.s.mu.Lock()
	t := c.s.tokens[credential]
	c.s.mu.Unlock()
	if t == nil {
		t = c.s.userToken(credential)
	}
	if t == nil || time.Now().After(t.expires) {
		return fail(http.StatusUnauthorized, "Bad credentials")
	}
	c.token = t
	if c.repo != nil && c.repo != t.repo && t.user == nil {
		return notFound()
	}
	if c.PathValue("owner") != "" && c.repo == nil {
		return notFound()
	}
	if c.repo != nil && t.signedIn {
		c.s.mu.Lock()
		level := c.repo.permission(t.user.Login)
		c.s.mu.Unlock()
		if level == "none" {
			return notFound()
		}
	}
	have := t.permissions[n.permission]
	if have == "" || n.level == "write" && have == "read" {
		return fail(http.StatusForbidden, "Resource not accessible by integration")
	}
	return nil
}

// verifyApp checks a token that the App signed: RS256 over the registered key, issued by the App, alive for at most
// ten minutes.
func (s *Server) verifyApp(jwt string, at time.Time) error {
	undecodable := fail(http.StatusUnauthorized, "A JSON web token could not be decoded")
	parts := strings.Split(jwt, ".")
	if len(parts) != 3 || s.opt.AppKey == nil {
		return undecodable
	}
	var head struct{ Alg, Typ string }
	var claims struct {
		Iss      any
		Iat, Exp *json.Number
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || decodePart(parts[0], &head) != nil || decodePart(parts[1], &claims) != nil || head.Alg != "RS256" {
		return undecodable
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if rsa.VerifyPKCS1v15(s.opt.AppKey, crypto.SHA256, sum[:], signature) != nil {
		return undecodable
	}
	if fmt.Sprint(claims.Iss) != fmt.Sprint(s.opt.AppID) {
		return fail(http.StatusUnauthorized, "'Issuer' claim ('iss') must be the ID of the GitHub App")
	}
	issued, ok := seconds(claims.Iat)
	if !ok || issued.After(at.Add(clockSlack)) {
		return fail(http.StatusUnauthorized, "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued")
	}
	expires, ok := seconds(claims.Exp)
	switch {
	case !ok || !expires.After(at):
		return fail(http.StatusUnauthorized, "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires")
	case expires.After(at.Add(appTokenLife)):
		return fail(http.StatusUnauthorized, "'Expiration time' claim ('exp') is too far in the future")
	}
	return nil
}

func decodePart(part string, into any) error {
	data, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.UseNumber()
	return dec.Decode(into)
}

// seconds reads a claim that must be a whole number of seconds.
func seconds(n *json.Number) (time.Time, bool) {
	if n == nil {
		return time.Time{}, false
	}
	v, err := n.Int64()
	return time.Unix(v, 0), err == nil
}

// RevokeTokens makes every installation token invalid from now on, as an expired one is.
func (s *Server) RevokeTokens() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tokens)
}
