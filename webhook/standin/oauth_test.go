package standin

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const back = "https://gate.example/callback"

var client = SignIn{ClientID: "Iv1.abc", ClientSecret: "s3cret-of-the-client", Callbacks: []string{back}}

// post sends a form and follows no redirect.
func (w *world) post(path string, form url.Values) (int, string, string) {
	w.Helper()
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := c.PostForm(w.s.URL()+path, form)
	if err != nil {
		w.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		w.Fatal(err)
	}
	return res.StatusCode, string(body), res.Header.Get("Location")
}

func authorizePath(change url.Values) string {
	q := url.Values{"client_id": {client.ClientID}, "redirect_uri": {back}, "state": {"xyz"}, "code_challenge": {challengeOf("the verifier")}, "code_challenge_method": {"S256"}}
	for k, v := range change {
		q[k] = v
	}
	return "/login/oauth/authorize?" + q.Encode()
}

// code is a fresh one of alice.
func (w *world) code() string {
	w.Helper()
	status, body, to := w.post(authorizePath(nil), url.Values{"login": {w.alice.Login}})
	u, err := url.Parse(to)
	if err != nil || status != http.StatusFound || u.Query().Get("state") != "xyz" || u.Query().Get("code") == "" {
		w.Fatalf("authorize: %d to %q: %s", status, to, body)
	}
	return u.Query().Get("code")
}

// redeem exchanges a code and gives the token, or the error.
func (w *world) redeem(code string, change url.Values) (token, problem string) {
	w.Helper()
	form := url.Values{"client_id": {client.ClientID}, "client_secret": {client.ClientSecret}, "code": {code}, "redirect_uri": {back}, "code_verifier": {"the verifier"}}
	for k, v := range change {
		form[k] = v
	}
	status, body, _ := w.post("/login/oauth/access_token", form)
	var answer struct {
		Token string `json:"access_token"`
		Error string `json:"error"`
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || status != http.StatusOK {
		w.Fatalf("exchange: %d %s", status, body)
	}
	return answer.Token, answer.Error
}

func TestSignIn(t *testing.T) {
	v := loadDescription(t).NewValidator()
	w := newWorld(t, Options{Around: v.Around(true)})
	w.s.SetSignIn(client)
	for name, change := range map[string]url.Values{
		"another client": {"client_id": {"x"}}, "another address": {"redirect_uri": {back + "/x"}}, "plain challenge": {"code_challenge_method": {"plain"}},
	} {
		if status, body, to := w.post(authorizePath(change), url.Values{"login": {"alice"}}); status < 400 {
			t.Errorf("%s: %d to %q: %s", name, status, to, body)
		}
	}
	if _, _, to := w.post(authorizePath(nil), url.Values{"cancel": {"1"}}); !strings.Contains(to, "error=access_denied") || !strings.Contains(to, "state=xyz") {
		t.Errorf("declined: %q", to)
	}
	for name, c := range map[string]struct {
		change url.Values
		want   string
	}{
		"wrong secret":    {url.Values{"client_secret": {"x"}}, "incorrect_client_credentials"},
		"wrong code":      {url.Values{"code": {"x"}}, "bad_verification_code"},
		"wrong verifier":  {url.Values{"code_verifier": {"x"}}, "bad_verification_code"},
		"no verifier":     {url.Values{"code_verifier": {}}, "bad_verification_code"},
		"another address": {url.Values{"redirect_uri": {"https://evil.example"}}, "redirect_uri_mismatch"},
	} {
		if token, problem := w.redeem(w.code(), c.change); problem != c.want || token != "" {
			t.Errorf("%s: %q %q", name, token, problem)
		}
	}
	code := w.code()
	token, problem := w.redeem(code, nil)
	if problem != "" || !strings.HasPrefix(token, "ghu_") {
		t.Fatalf("%q %q", token, problem)
	}
	if _, problem := w.redeem(code, nil); problem != "bad_verification_code" {
		t.Errorf("a code is good twice: %q", problem)
	}

	if may, ok := w.want(http.StatusOK, token, "GET", w.path(""), nil)["permissions"].(map[string]any); !ok || may["pull"] != true {
		t.Errorf("permissions: %v", may)
	}
	w.want(http.StatusOK, token, "GET", "/user", nil)
	w.want(http.StatusForbidden, token, "POST", w.path("/check-runs"), map[string]any{"name": "x", "head_sha": w.base})
	w.repo.SetPermission(w.alice.Login, "none")
	w.want(http.StatusNotFound, token, "GET", w.path(""), nil)
	w.repo.SetPermission(w.alice.Login, "read")

	revoke := func(secret string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "DELETE", w.s.URL()+"/applications/"+client.ClientID+"/token", strings.NewReader(`{"access_token":"`+token+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth(client.ClientID, secret)
		r.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	if got := revoke("x"); got != http.StatusNotFound {
		t.Errorf("revoked by a stranger: %d", got)
	}
	w.want(http.StatusOK, token, "GET", "/user", nil)
	if got := revoke(client.ClientSecret); got != http.StatusNoContent {
		t.Errorf("revoke: %d", got)
	}
	w.want(http.StatusUnauthorized, token, "GET", "/user", nil)
	for _, x := range v.Violations() {
		t.Error(x)
	}
}
