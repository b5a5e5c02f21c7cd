package fire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/bundle"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/queue"
)

// checkout is a repository with one commit; git runs in it.
func checkout(t *testing.T) (dir string, run func(args ...string) string) {
	t.Helper()
	dir = t.TempDir()
	run = func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(git.CleanEnv(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a",
			"GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("init", "-q")
	put(t, dir, "a.sh", "one\n")
	put(t, dir, ".gitignore", "ignored\n")
	run("add", ".")
	run("commit", "-q", "-m", "one")
	return dir, run
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestTake: what is sent of each state of a checkout, also from a folder in it and from a linked worktree; the index and
// the branches stay as they are.
func TestTake(t *testing.T) {
	t.Parallel()
	dir, run := checkout(t)
	s, err := Take(t.Context(), dir)
	if err != nil || s.Dirty || s.Commit != run("rev-parse", "HEAD") {
		t.Errorf("clean: %+v, %v", s, err)
	}
	put(t, dir, "a.sh", "staged\n")
	run("add", "a.sh")
	put(t, dir, "a.sh", "working\n")
	put(t, dir, "sub/new file", "new\n")
	put(t, dir, "ignored", "x\n")
	before := run("status", "--porcelain", "--untracked-files=all")
	s, err = Take(t.Context(), filepath.Join(dir, "sub"))
	if err != nil || !s.Dirty {
		t.Fatalf("dirty: %+v, %v", s, err)
	}
	if got := run("ls-tree", "-r", "--name-only", "-z", s.Commit); got != ".gitignore\x00a.sh\x00sub/new file\x00" {
		t.Errorf("sent %q", got)
	}
	if got := run("show", s.Commit+":a.sh"); got != "working" {
		t.Errorf("sent %q", got)
	}
	if after := run("status", "--porcelain", "--untracked-files=all"); after != before || run("show", ":a.sh") != "staged" {
		t.Errorf("the index was changed: %q, was %q", after, before)
	}
	if run("rev-parse", s.Commit+"^") != run("rev-parse", "HEAD") || run("for-each-ref", "--contains", s.Commit) != "" {
		t.Error("the snapshot is not a commit beside the branches")
	}
	linked := filepath.Join(t.TempDir(), "linked")
	run("worktree", "add", "-q", "--detach", linked)
	put(t, linked, "b.sh", "b\n")
	if s, err = Take(t.Context(), linked); err != nil || run("show", s.Commit+":b.sh") != "b" || run("show", s.Commit+":a.sh") != "one" {
		t.Errorf("linked worktree: %+v, %v", s, err)
	}
	if _, err := Take(t.Context(), t.TempDir()); err == nil {
		t.Error("a folder that is no repository was taken")
	}
}

// TestInTree: scripts are named from where the user stands.
func TestInTree(t *testing.T) {
	t.Parallel()
	dir, _ := checkout(t)
	put(t, dir, "sub/b.sh", "")
	for script, want := range map[string]string{"b.sh": "sub/b.sh", "../a.sh": "a.sh", filepath.Join(dir, "a.sh"): "a.sh"} {
		if got, err := InTree(t.Context(), filepath.Join(dir, "sub"), script); err != nil || got != want {
			t.Errorf("%s: %q, %v", script, got, err)
		}
	}
	outside := filepath.Join(t.TempDir(), "x.sh")
	put(t, filepath.Dir(outside), "x.sh", "")
	for _, script := range []string{outside, "none.sh"} {
		if got, err := InTree(t.Context(), dir, script); err == nil {
			t.Errorf("%s: %q", script, got)
		}
	}
}

// TestRun: the runner is played by the test. It unpacks what was sent, prints, loses its lease, and ends.
func TestRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	dir, _ := checkout(t)
	q := queue.NewMemory()
	var said bytes.Buffer
	c := &Client{Name: "alice", Pool: "p", Queue: q, Say: func(f string, v ...any) { said.WriteString(f + "\n") }}
	snap, err := Take(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	played := make(chan error, 1)
	log := &lockedBuffer{}
	go func() { played <- play(ctx, t.TempDir(), q, snap, log) }()
	out, err := c.Run(ctx, dir, snap, queue.Fire{Script: "a.sh"}, log)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-played; err != nil {
		t.Fatal(err)
	}
	if out.Code != 7 || out.Class != queue.ClassVerdict || log.String() != "lost\nfirst second" {
		t.Errorf("%+v, log %q", out, log.String())
	}
	if !strings.Contains(said.String(), "was lost") {
		t.Errorf("said %s", said.String())
	}
}

// lockedBuffer is written by one goroutine and read by another.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// has waits until the follower has shown some text: what comes next would else hide it.
func (l *lockedBuffer) has(ctx context.Context, text string) error {
	for !strings.Contains(l.String(), text) {
		if ctx.Err() != nil {
			return fmt.Errorf("%q was not shown: %w", text, ctx.Err())
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil
}

func play(ctx context.Context, dir string, q *queue.Memory, want Snapshot, log *lockedBuffer) error {
	m, err := q.Next(ctx, queue.Jobs, queue.JobConsumers("p")[2])
	if err != nil {
		return err
	}
	var job queue.Fire
	if err := json.Unmarshal(m.Data(), &job); err != nil {
		return err
	}
	blob, err := q.GetBlob(ctx, job.Bundle.Name)
	if err != nil {
		return err
	}
	if _, err := bundle.Checkout(ctx, blob, filepath.Join(dir, "tree"), bundle.Want{Head: want.Commit, Tree: want.Tree}); err != nil {
		return err
	}
	put := func(epoch, n int, text string) error {
		return q.PutNote(ctx, queue.LogName("p", "alice", job.ID, epoch, n), []byte(text))
	}
	state := func(s queue.FireState) error { return queue.PutFireState(ctx, q, "p", "alice", job.ID, s) }
	err = errors.Join(put(1, 0, "lost\n"), state(queue.FireState{State: queue.FireStarted, Epoch: 1, Runner: "r1"}), log.has(ctx, "lost\n"))
	// The end is known before its log is all there; a late word of the first lease means nothing.
	err = errors.Join(err, put(2, 0, "first "), state(queue.FireState{State: queue.FireStarted, Epoch: 2, Runner: "r2"}), log.has(ctx, "first "))
	err = errors.Join(err, state(queue.FireState{State: queue.FireDone, Epoch: 1, Class: queue.ClassVerdict, Code: 1, Pieces: 1}))
	time.Sleep(2 * lookEvery)
	err = errors.Join(err, state(queue.FireState{State: queue.FireDone, Epoch: 2, Class: queue.ClassVerdict, Code: 7, Pieces: 2}))
	time.Sleep(2 * lookEvery)
	return errors.Join(err, put(2, 1, "second"))
}

// TestTakenBack: a job that nobody takes in time, or whose sender goes away, is taken back.
func TestTakenBack(t *testing.T) {
	t.Parallel()
	dir, _ := checkout(t)
	snap, err := Take(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	q := queue.NewMemory()
	c := &Client{Name: "alice", Pool: "p", Queue: q, Patience: 50 * time.Millisecond}
	if _, err := c.Run(t.Context(), dir, snap, queue.Fire{}, &bytes.Buffer{}); !errors.Is(err, errNobody) {
		t.Errorf("no runner: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.Patience, c.Say = 0, func(format string, _ ...any) {
		if strings.Contains(format, "waiting for a runner") { // Ctrl-C, once it is sent
			cancel()
		}
	}
	if _, err := c.Run(ctx, dir, snap, queue.Fire{}, &bytes.Buffer{}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	for range 2 {
		m, err := q.Try(t.Context(), queue.Jobs, queue.JobConsumers("p")[2])
		if err != nil || m == nil {
			t.Fatal(m, err)
		}
		var job queue.Fire
		if err := json.Unmarshal(m.Data(), &job); err != nil {
			t.Fatal(err)
		}
		if _, yes, err := queue.Cancelled(t.Context(), q, "p", "alice", job.ID); err != nil || !yes {
			t.Errorf("job %s is still wanted: %v", job.ID, err)
		}
	}
}

// TestLoadConfig: where it is looked for, and what is wrong with it.
func TestLoadConfig(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("HOME", dir)
	t.Setenv(Env, "")
	if _, err := LoadConfig(""); !errors.Is(err, ErrNoConfig) {
		t.Errorf("none: %v", err)
	}
	put(t, dir, "gatebot/client.yaml", "queue: nats://h:4222\nname: alice\nnkey_file: key\n")
	c, err := LoadConfig("")
	if err != nil || c.Pool != "default" || c.NKeyFile != filepath.Join(dir, "gatebot", "key") {
		t.Errorf("%+v, %v", c, err)
	}
	put(t, dir, "other.yaml", "queue: nats://h:4222\nnmae: alice\n")
	t.Setenv(Env, filepath.Join(dir, "other.yaml"))
	if _, err := LoadConfig(""); err == nil || !strings.Contains(err.Error(), `did you mean "name"`) {
		t.Errorf("misspelt: %v", err)
	}
	put(t, dir, "other.yaml", "queue: nats://h:4222\nname: alice\n")
	if _, err := LoadConfig(""); err == nil || !strings.Contains(err.Error(), "nkey_file: missing") {
		t.Errorf("incomplete: %v", err)
	}
}
