package webhook

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/queue"
)

// remote is a repository with a few refs, as a file URL.
func remote(t *testing.T) (queue.Repo, func(args ...string) string) {
	t.Helper()
	dir := t.TempDir()
	call := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		cmd.Env = append(git.CleanEnv(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@x", "GIT_COMMITTER_NAME=a",
			"GIT_COMMITTER_EMAIL=a@x", "GIT_CONFIG_GLOBAL=/dev/null")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	call("init", "-q", "-b", "main")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(".gatebot.yaml", "version: 1\n")
	call("add", ".")
	call("commit", "-q", "-m", "one")
	call("checkout", "-q", "-b", "topic")
	write("a.py", "x = 1\n")
	call("add", ".")
	call("commit", "-q", "-m", "two")
	call("update-ref", "refs/pull/7/head", "HEAD")
	return queue.Repo{ID: 77, Owner: "o", Name: "r", CloneURL: "file://" + dir}, call
}

func TestMirror(t *testing.T) {
	repo, call := remote(t)
	m := &GitMirrors{Dir: t.TempDir()}
	ctx := t.Context()
	one, two := call("rev-parse", "main"), call("rev-parse", "topic")
	dir, err := m.Fetch(ctx, repo, "refs/heads/main", "refs/pull/7/head")
	if err != nil {
		t.Fatal(err)
	}
	if id, err := m.Resolve(ctx, dir, "refs/pull/7/head"); err != nil || id != two {
		t.Errorf("resolve: %q, %v", id, err)
	}
	if _, err := m.Resolve(ctx, dir, "refs/heads/topic"); !errors.Is(err, git.ErrNotFound) {
		t.Errorf("a ref that nobody asked for is there: %v", err)
	}
	if b, err := m.MergeBase(ctx, dir, one, two); err != nil || b != one {
		t.Errorf("merge base: %q, %v", b, err)
	}
	if data, found, err := m.ReadFile(ctx, dir, two, ".gatebot.yaml"); err != nil || !found || string(data) != "version: 1\n" {
		t.Errorf("read: %q, %v, %v", data, found, err)
	}
	if _, found, err := m.ReadFile(ctx, dir, two, "none"); err != nil || found {
		t.Errorf("a file that is not there: %v, %v", found, err)
	}
	if paths, err := m.Changed(ctx, dir, one, two); err != nil || len(paths) != 1 || paths[0] != "a.py" {
		t.Errorf("changed: %v, %v", paths, err)
	}
	if tree, err := m.Tree(ctx, dir, two); err != nil || tree != call("rev-parse", "topic^{tree}") {
		t.Errorf("tree: %q, %v", tree, err)
	}

	// A pull request that was force-pushed: the ref follows, the old commit stays.
	call("update-ref", "refs/pull/7/head", one)
	if _, err := m.Fetch(ctx, repo, "refs/pull/7/head"); err != nil {
		t.Fatal(err)
	}
	if id, err := m.Resolve(ctx, dir, "refs/pull/7/head"); err != nil || id != one {
		t.Errorf("after a force push: %q, %v", id, err)
	}
	if id, err := m.Resolve(ctx, dir, two); err != nil || id != two {
		t.Errorf("the old commit: %q, %v", id, err)
	}
	if _, err := m.Fetch(ctx, repo, "refs/pull/8/head"); !errors.Is(err, ErrNoRef) {
		t.Errorf("no such ref: %v", err)
	}
}

func TestMirrorAfterAKilledFetch(t *testing.T) {
	repo, _ := remote(t)
	m := &GitMirrors{Dir: t.TempDir()}
	dir, err := m.Fetch(t.Context(), repo, "refs/heads/main")
	if err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(dir, "refs/heads/topic.lock")
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Fetch(t.Context(), repo, "refs/heads/topic"); err == nil {
		t.Error("a lock that somebody may hold was ignored")
	}
	old := time.Now().Add(-2 * staleLock)
	if err := os.Chtimes(lock, old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Fetch(t.Context(), repo, "refs/heads/topic"); err != nil {
		t.Error(err)
	}
}

func TestMirrorKeepsTokensToTheirHost(t *testing.T) {
	m := &GitMirrors{Dir: t.TempDir(), Host: "github.com"}
	r := testRepo
	r.CloneURL = "https://evil.example/o/r.git"
	if _, err := m.Fetch(t.Context(), r, "refs/heads/main"); err == nil || !strings.Contains(err.Error(), "is not on github.com") {
		t.Errorf("%v", err)
	}
}
