package standin

import (
	"crypto/rsa"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestAppToken(t *testing.T) {
	w := newWorld(t, Options{})
	with := func(name string, value any) map[string]any {
		c := goodClaims()
		c[name] = value
		return c
	}
	unsigned := strings.Split(appToken(goodClaims()), ".")
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`))
	for _, c := range []struct {
		name, token, refuse string
	}{
		{"good", appToken(goodClaims()), ""},
		{"numeric issuer", appToken(with("iss", 1)), ""},
		{"another App", appToken(with("iss", "2")), "iss"},
		{"expired", appToken(with("exp", time.Now().Add(-time.Second).Unix())), "exp"},
		{"longer than ten minutes", appToken(with("exp", time.Now().Add(11*time.Minute).Unix())), "too far in the future"},
		{"issued in the future", appToken(with("iat", time.Now().Add(5*time.Minute).Unix())), "iat"},
		{"fractional time", appToken(with("exp", 1e9+0.5)), "exp"},
		{"no algorithm", none + "." + unsigned[1] + ".", "could not be decoded"},
		{"signature of other claims", unsigned[0] + "." + unsigned[1] + "x." + unsigned[2], "could not be decoded"},
		{"not a token", "ghs_123", "could not be decoded"},
		{"nothing", "", "Requires authentication"},
	} {
		got, err := w.do(c.token, "GET", "/app", nil)
		switch {
		case err != nil:
			t.Fatal(err)
		case c.refuse == "" && got.status != http.StatusOK:
			t.Errorf("%s: %d %s, want 200", c.name, got.status, got.body)
		case c.refuse != "" && (got.status != http.StatusUnauthorized || !strings.Contains(string(got.body), c.refuse)):
			t.Errorf("%s: %d %s, want 401 with %q", c.name, got.status, got.body, c.refuse)
		}
	}
}

func TestAnotherKeyIsRefused(t *testing.T) {
	w := newWorld(t, Options{})
	other, _, err := NewAppKey()
	if err != nil {
		t.Fatal(err)
	}
	token := appToken(goodClaims())
	w.s.opt.AppKey = &rsa.PublicKey{N: other.N, E: other.E}
	if got, err := w.do(token, "GET", "/app", nil); err != nil || got.status != http.StatusUnauthorized {
		t.Errorf("token of another key: %v %v, want 401", got.status, err)
	}
}

func TestInstallationTokens(t *testing.T) {
	w := newWorld(t, Options{})
	if _, err := w.s.CreateRepository(t.Context(), "acme", "other"); err != nil {
		t.Fatal(err)
	}
	run := map[string]any{"name": "gatebot", "head_sha": w.base}
	narrow := w.mint(map[string]any{"repositories": []string{"kernels"}, "permissions": map[string]any{"contents": "read"}})
	w.want(http.StatusForbidden, narrow, "POST", w.path("/check-runs"), run)
	w.want(http.StatusOK, narrow, "GET", w.path("/contents/step.py"), nil)
	w.want(http.StatusNotFound, w.token, "GET", "/repos/acme/other", nil)
	w.want(http.StatusNotFound, w.token, "GET", "/repos/acme/nowhere", nil)
	w.want(http.StatusUnauthorized, "ghs_wrong", "GET", w.path(""), nil)

	tokens := fmt.Sprintf("/app/installations/%d/access_tokens", w.repo.Installation())
	app := appToken(goodClaims())
	w.want(http.StatusUnprocessableEntity, app, "POST", tokens, map[string]any{"repositories": []string{"other"}})
	w.want(http.StatusUnprocessableEntity, app, "POST", tokens, map[string]any{"permissions": map[string]any{"administration": "write"}})
	w.want(http.StatusNotFound, app, "POST", "/app/installations/999999/access_tokens", nil)

	w.s.RevokeTokens()
	w.want(http.StatusUnauthorized, w.token, "GET", w.path(""), nil)
}

func TestEnterprisePathsAnswerToo(t *testing.T) {
	w := newWorld(t, Options{})
	w.want(http.StatusOK, w.token, "GET", "/api/v3"+w.path(""), nil)
	w.want(http.StatusOK, w.token, "POST", "/api/graphql", map[string]any{"query": "{viewer{login}}"})
}
