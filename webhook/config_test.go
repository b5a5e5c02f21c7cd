package webhook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const goodConfig = `app: {id: 5, private_key_file: key.pem}
github: {api_url: "https://ghe.example/api/v3/"}
webhook: {secret_file: secret, previous_secret_env: OLD}
listen: {http: ":8080", queue: ":4222"}
data: /var/lib/gatebot
check: {timeout: 10m, pool: b200}
runners:
  - {name: b200-1, nkey: UABC, pools: [b200]}
`

func TestParseConfigFile(t *testing.T) {
	got, err := ParseConfigFile("/etc/gatebot/server.yaml", []byte(goodConfig))
	if err != nil {
		t.Fatal(err)
	}
	want := DefaultConfig()
	want.App = AppConfig{ID: 5, PrivateKeyFile: "/etc/gatebot/key.pem"}
	want.GitHub.APIURL = "https://ghe.example/api/v3/"
	want.Webhook = SecretConfig{SecretFile: "/etc/gatebot/secret", PreviousSecretEnv: "OLD"}
	want.Listen = ListenConfig{HTTP: ":8080", Queue: ":4222"}
	want.Data = "/var/lib/gatebot"
	want.Check.Timeout, want.Check.Pool = 10*time.Minute, "b200"
	want.Runners = []RunnerConfig{{Name: "b200-1", Key: "UABC", Pools: []string{"b200"}}}
	if d := cmp.Diff(&want, got); d != "" {
		t.Error(d)
	}
}

func TestConfigMistakesAreNamed(t *testing.T) {
	for _, tc := range []struct{ name, from, to, want string }{
		{"typo", "listen:", "lissen:", `server.yaml:4: lissen: unknown key (did you mean "listen"?)`},
		{"typo in a section", "private_key_file", "private_key", `server.yaml:1: app.private_key: unknown key (did you mean "private_key_file"?)`},
		{"typo in a list", "nkey:", "key:", `server.yaml:8: runners[0].key: unknown key (did you mean "nkey"?)`},
		{"wrong type", "id: 5", "id: five", "server.yaml:1: cannot unmarshal"},
		{"wrong duration", "10m", "ten", "server.yaml:6: cannot unmarshal"},
		{"no app", "id: 5, ", "", "app.id: missing"},
		{"no key", "private_key_file: key.pem", "", "app.private_key_file: missing"},
		{"no secret", "secret_file: secret, ", "", "needs secret_file or secret_env"},
		{"secret in the file", "secret_file: secret", "secret: hunter2", `webhook.secret: unknown key (did you mean "secret_env"?)`},
		{"odd policy", "timeout: 10m", "forks: maybe", `check.forks: "maybe" is none of hold, run`},
		{"no time", "timeout: 10m", "timeout: 0s", "must be greater than zero"},
		{"runner without a pool", "[b200]}", "[]}", "runners[0]: needs name, nkey and pools"},
		{"not YAML", "app:", "\tapp:", "server.yaml: not YAML"},
		{"a list", goodConfig, "- 1\n", "server.yaml"},
	} {
		_, err := ParseConfigFile("server.yaml", []byte(strings.Replace(goodConfig, tc.from, tc.to, 1)))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one with %q", tc.name, err, tc.want)
		}
	}
	if _, err := LoadConfig("/nowhere/server.yaml"); err == nil || !strings.Contains(err.Error(), "/nowhere/server.yaml") {
		t.Errorf("missing file: %v", err)
	}
}

func FuzzParseConfigFile(f *testing.F) {
	f.Add([]byte(goodConfig))
	f.Add([]byte("runners: {a: b}\napp: [1]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := ParseConfigFile("f", data); err == nil && (c.App.ID <= 0 || c.Listen.HTTP == "") {
			t.Errorf("accepted %+v", c)
		}
	})
}

func TestSecrets(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("GATEBOT_TEST_SECRET", "from-the-environment")
	now, empty := write("now", "from-a-file\n"), write("empty", "\n")
	for _, tc := range []struct {
		name string
		in   SecretConfig
		want []string
		bad  string
	}{
		{"both", SecretConfig{SecretFile: now, PreviousSecretEnv: "GATEBOT_TEST_SECRET"}, []string{"from-a-file", "from-the-environment"}, ""},
		{"file wins", SecretConfig{SecretFile: now, SecretEnv: "GATEBOT_TEST_SECRET"}, []string{"from-a-file"}, ""},
		{"empty file", SecretConfig{SecretFile: empty}, nil, "is empty"},
		{"no file", SecretConfig{SecretFile: filepath.Join(dir, "none")}, nil, "no such file"},
		{"not set", SecretConfig{SecretEnv: "GATEBOT_TEST_NO_SECRET"}, nil, "GATEBOT_TEST_NO_SECRET is not set"},
	} {
		got, err := tc.in.Secrets()
		if tc.bad != "" {
			if err == nil || !strings.Contains(err.Error(), tc.bad) {
				t.Errorf("%s: error %v", tc.name, err)
			}
			continue
		}
		if d := cmp.Diff(tc.want, got); err != nil || d != "" {
			t.Errorf("%s: %v %s", tc.name, err, d)
		}
	}
}

func TestGitHost(t *testing.T) {
	for in, want := range map[string]string{
		"": "github.com", "https://api.github.com/": "github.com", "https://ghe.example/api/v3/": "ghe.example",
		"http://127.0.0.1:99/api/v3/": "127.0.0.1:99",
	} {
		if got := (&GitHubConfig{APIURL: in}).gitHost(); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
