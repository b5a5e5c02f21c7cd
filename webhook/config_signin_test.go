package webhook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const signInConfig = `app: {id: 5, private_key_file: key.pem}
webhook: {secret_file: secret}
listen: {public_url: "https://gate.example", board_token_file: board.token}
sign_in: {client_id: Iv1.abc, client_secret_file: client.secret, permission: write}
`

func TestSignInConfig(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"client.secret": "the-client-secret\n", "board.token": "0123456789abcdef\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := ParseConfigFile(filepath.Join(dir, "serve.yaml"), []byte(signInConfig))
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.provider()
	if err != nil {
		t.Fatal(err)
	}
	to := p.AuthorizeURL("s", "c", "https://gate.example/callback")
	if !strings.HasPrefix(to, "https://github.com/login/oauth/authorize?") || !strings.Contains(to, "client_id=Iv1.abc") || strings.Contains(to, "the-client-secret") {
		t.Error(to)
	}
	if token, err := c.boardToken(); err != nil || token != "0123456789abcdef" {
		t.Errorf("%q %v", token, err)
	}
	for _, tc := range []struct{ name, from, to, want string }{
		{"no id", "client_id: Iv1.abc, ", "", "sign_in.client_id: missing"},
		{"no secret", "client_secret_file: client.secret, ", "", "needs client_secret_file or client_secret_env"},
		{"secret in the file", "client_secret_file: client.secret", "client_secret: hunter2", `sign_in.client_secret: unknown key (did you mean`},
		{"odd permission", "permission: write", "permission: admin", `"admin" is none of read, write`},
		{"no public URL", `public_url: "https://gate.example", `, "", "needs listen.public_url"},
		{"without TLS", "https://gate.example", "http://gate.example", "must be https"},
		{"typo", "sign_in:", "signin:", `did you mean "sign_in"?`},
	} {
		_, err := ParseConfigFile("server.yaml", []byte(strings.Replace(signInConfig, tc.from, tc.to, 1)))
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: error %v, want one with %q", tc.name, err, tc.want)
		}
	}
	if _, err := ParseConfigFile("server.yaml", []byte(strings.Replace(signInConfig, "https://gate.example", "http://127.0.0.1:8080", 1))); err != nil {
		t.Errorf("on this machine: %v", err)
	}
	c.SignIn.ClientSecretFile = filepath.Join(dir, "none")
	if _, err := c.provider(); err == nil || !strings.Contains(err.Error(), "sign_in: client secret:") {
		t.Errorf("no file: %v", err)
	}
}

// Where people see a GitHub follows from where its API is.
func TestWebURL(t *testing.T) {
	for in, want := range map[string]string{
		"": "https://github.com", "https://api.github.com/": "https://github.com", "https://ghe.example/api/v3/": "https://ghe.example",
		"https://api.acme.ghe.com/": "https://acme.ghe.com", "http://127.0.0.1:99/api/v3/": "http://127.0.0.1:99",
	} {
		if got := (&GitHubConfig{APIURL: in}).webURL(); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := (&GitHubConfig{APIURL: "https://ghe.example/api/v3/", WebURL: "https://code.example/"}).webURL(); got != "https://code.example" {
		t.Error(got)
	}
}
