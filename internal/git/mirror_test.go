package git

import (
	"context"
	"errors"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage"
)

const secret = "ghs_a-secret-token"

// serve offers a repository over HTTP by git's own server program, to those who know the token.
func serve(t *testing.T, dir string) string {
	t.Helper()
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Skip("no git binary")
	}
	backend := filepath.Join(strings.TrimSpace(string(out)), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Skip("no git-http-backend")
	}
	h := &cgi.Handler{Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(dir), "GIT_HTTP_EXPORT_ALL=1",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"}}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, ok := r.BasicAuth()
		if !ok || user != "x-access-token" || password != secret {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/" + filepath.Base(dir)
}

var heads = []string{"+refs/heads/*:refs/heads/*"}

func openMirror(t *testing.T, dir string) *Mirror {
	t.Helper()
	m, err := OpenMirror(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

func TestMirrorFollowsItsRemote(t *testing.T) {
	r := sample(t)
	url := serve(t, r.dir)
	dir := filepath.Join(t.TempDir(), "sub", "mirror.git")
	m := openMirror(t, dir)
	ctx := context.Background()
	check := func(rev, want string) {
		t.Helper()
		if got, err := m.Repository().Resolve(ctx, rev); err != nil || got != want {
			t.Errorf("%s = %s, %v; want %s", rev, got, err, want)
		}
	}
	fetch := func(specs ...string) {
		t.Helper()
		if err := m.Fetch(ctx, url, secret, specs); err != nil {
			t.Fatal(err)
		}
	}
	fetch(heads...)
	check("main", r.git("rev-parse", "main"))
	fetch(heads...) // nothing new

	r.write("more.py", "more\n")
	r.git("add", "more.py")
	r.git("commit", "-q", "-m", "more")
	fetch(heads...)
	check("main", r.git("rev-parse", "main"))
	if _, err := m.Repository().Diff(ctx, "main~1", "main", false); err != nil {
		t.Errorf("what was fetched last is not readable: %v", err)
	}

	r.git("reset", "-q", "--soft", "main~2")
	r.git("commit", "-q", "-m", "rewritten")
	fetch(heads...)
	check("main", r.git("rev-parse", "main"))

	r.git("checkout", "-q", "--detach")
	id := r.commit("on no branch")
	r.git("update-ref", "refs/pull/7/head", id)
	fetch("+refs/pull/7/head:refs/gatebot/pr-7")
	check("refs/gatebot/pr-7", id)

	r.git("config", "uploadpack.allowAnySHA1InWant", "true") // as GitHub has it
	loose := r.git("commit-tree", "-m", "on no ref at all", "-p", "main", "main^{tree}")
	fetch(loose + ":refs/gatebot/loose")
	check("refs/gatebot/loose", loose)

	again := openMirror(t, dir)
	if got, err := again.Repository().Resolve(ctx, "refs/gatebot/pr-7"); err != nil || got != id {
		t.Errorf("after opening it again: %s, %v", got, err)
	}
	err := again.WithStorer(func(s storage.Storer) error {
		_, err := s.EncodedObject(plumbing.CommitObject, plumbing.NewHash(id))
		return err
	})
	if err != nil {
		t.Errorf("WithStorer: %v", err)
	}
	if fsck := r.in(dir, "fsck", "--full", "--strict"); strings.Contains(fsck, "error") {
		t.Errorf("git fsck of the mirror: %s", fsck)
	}
}

func TestMirrorErrors(t *testing.T) {
	r := sample(t)
	url := serve(t, r.dir)
	m := openMirror(t, t.TempDir())
	ctx := context.Background()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for name, c := range map[string]struct {
		ctx        context.Context
		url, token string
		specs      []string
		want       error
	}{
		"no token":        {ctx, url, "", heads, ErrAuth},
		"wrong token":     {ctx, url, "ghs_a-secret-token-that-expired", heads, ErrAuth},
		"no such branch":  {ctx, url, secret, []string{"+refs/heads/nope:refs/heads/nope"}, ErrFetch},
		"server is away":  {ctx, gone.URL + "/x", secret, heads, ErrFetch},
		"cancelled":       {cancelled, url, secret, heads, context.Canceled},
		"no refspec":      {ctx, url, secret, nil, nil},
		"bad refspec":     {ctx, url, secret, []string{"::"}, nil},
		"token in a file": {ctx, r.dir, secret, heads, nil},
	} {
		t.Run(name, func(t *testing.T) {
			err := m.Fetch(c.ctx, c.url, c.token, c.specs)
			if err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("Fetch: %v; want %v", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the token is in the error: %v", err)
			}
		})
	}
	if err := m.Fetch(ctx, url, secret, heads); err != nil {
		t.Errorf("after all these failures: %v", err)
	}
}

// TestMirrorFetchEndsWithItsContext: a server that says nothing does not hold the caller.
func TestMirrorFetchEndsWithItsContext(t *testing.T) {
	quit := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-quit }))
	t.Cleanup(func() { close(quit); srv.Close() })
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	err := openMirror(t, t.TempDir()).Fetch(ctx, srv.URL+"/x", secret, heads)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Fetch: %v; want the deadline", err)
	}
}

func TestOpenMirrorRefusesOthersFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.tex"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenMirror(dir); err == nil {
		t.Error("OpenMirror wrote into a directory with other files")
	}
	half := t.TempDir() // as a crash leaves it
	if err := os.MkdirAll(filepath.Join(half, "objects", "info"), 0o755); err != nil {
		t.Fatal(err)
	}
	openMirror(t, half)
}
