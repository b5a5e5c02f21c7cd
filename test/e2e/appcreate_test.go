package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gatebot/gatebot/webhook/standin"
)

// maker stands before the stand-in and makes an App as GitHub's pages do: from a manifest that a browser posts, with a code that
// counts once. The App is the one that the stand-in knows.
type maker struct {
	*testing.T
	s        *site
	manifest map[string]any
	made     atomic.Bool
}

func (m *maker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/organizations/acme/settings/apps/new":
		if err := json.Unmarshal([]byte(r.PostFormValue("manifest")), &m.manifest); err != nil {
			m.Errorf("manifest: %v", err)
		}
		back, _ := m.manifest["redirect_url"].(string)
		http.Redirect(w, r, back+"?"+url.Values{"code": {"once"}, "state": {r.URL.Query().Get("state")}}.Encode(), http.StatusFound)
	case r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/api/v3/app-manifests/"):
		if !strings.HasSuffix(r.URL.Path, "/once/conversions") || m.made.Swap(true) {
			http.Error(w, `{"message":"Not Found"}`, http.StatusNotFound)
			return
		}
		pem, err := os.ReadFile(m.s.File("app.pem"))
		if err != nil {
			m.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]any{"id": 1, "slug": "gatebot", "html_url": "https://github.example/apps/gatebot", "pem": string(pem),
			"webhook_secret": m.s.Secret, "client_id": "Iv1.1", "client_secret": "c"})
	default:
		m.s.GitHub.ServeHTTP(w, r)
	}
}

var formValue = regexp.MustCompile(`action="([^"]+)"[\s\S]*name="manifest" value="([^"]+)"`)

// TestAppCreate goes through the two clicks with a browser that follows them, and the configuration that comes out of it speaks for
// the App.
func TestAppCreate(t *testing.T) {
	t.Parallel()
	s := newSite(t, standin.Options{})
	m := &maker{T: t, s: s}
	github := httptest.NewServer(m)
	t.Cleanup(github.Close)
	dir := filepath.Join(t.TempDir(), "made")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := exec.CommandContext(ctx, gatebot, "app", "create", "--dir", dir, "--org", "acme", "--host", github.URL, "--url", "https://gate.example.com/")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("it said nothing")
	}
	here := strings.TrimPrefix(lines.Text(), "open ")

	page := get(t, here)
	form := formValue.FindStringSubmatch(page)
	if form == nil || !strings.HasPrefix(form[1], github.URL+"/organizations/acme/settings/apps/new?state=") {
		t.Fatalf("the page: %s", page)
	}
	if page := get(t, here+"/made?code=once&state=guessed"); !strings.Contains(page, "not the page that I sent you to") || m.made.Load() {
		t.Errorf("a state that was guessed: %s", page)
	}
	unescape := strings.NewReplacer("&#34;", `"`, "&amp;", "&", "&#39;", "'", "&#43;", "+", "&lt;", "<", "&gt;", ">")
	res, err := http.PostForm(unescape.Replace(form[1]), url.Values{"manifest": {unescape.Replace(form[2])}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil || res.StatusCode != http.StatusOK || !strings.Contains(string(text), "/installations/new") {
		t.Fatalf("%s, %v: %s", res.Status, err, text)
	}
	if !lines.Scan() || !strings.Contains(lines.Text(), "gatebot serve --config "+filepath.Join(dir, "serve.yaml")) {
		t.Errorf("it said %q", lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("app create: %v", err)
	}
	hook, _ := m.manifest["hook_attributes"].(map[string]any)
	if hook["url"] != "https://gate.example.com/webhook" || m.manifest["public"] != false {
		t.Errorf("manifest %v", m.manifest)
	}
	for _, name := range []string{"app.pem", "webhook.secret", "client.secret", "serve.yaml"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}

	// The App's own key and secret came through: GitHub takes them.
	s.GitHub.SetWebhook("https://gate.example.com/webhook") // as the manifest said; nothing happens that would be delivered
	check, err := exec.CommandContext(t.Context(), gatebot, "doctor", "--json", "--serve", filepath.Join(dir, "serve.yaml"), "--only", "server,github-app").Output()
	if !strings.Contains(string(check), `"App gatebot`) {
		t.Errorf("doctor: %v: %s", err, check)
	}
	again := exec.CommandContext(t.Context(), gatebot, "app", "create", "--dir", dir)
	said, err := again.CombinedOutput()
	if again.ProcessState.ExitCode() != 2 || !strings.Contains(string(said), "is there already") {
		t.Errorf("a second App over the first: %v: %s", err, said)
	}
}

func get(t *testing.T, address string) string {
	t.Helper()
	res, err := http.Get(address) //nolint:gosec,noctx // an address of this test
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", address, err))
	}
	return string(text)
}
