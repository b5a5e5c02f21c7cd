package runner

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gatebot/gatebot/gpu/sandbox"
	"github.com/gatebot/gatebot/internal/bundle"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/queue"
)

// source is one repository with two commits, made once for all tests.
var source = sync.OnceValues(func() (s struct {
	bundle           []byte
	head, base, tree string
}, err error) {
	dir, err := os.MkdirTemp("", "gatebot-runner-test-")
	if err != nil {
		return s, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	run := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(git.CleanEnv(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a",
			"GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		out, rerr := cmd.CombinedOutput()
		if rerr != nil && err == nil {
			err = fmt.Errorf("git %v: %w: %s", args, rerr, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("init", "-q")
	for i := range 2 {
		if werr := os.WriteFile(filepath.Join(dir, "model.py"), fmt.Appendf(nil, "x = %d\n", i), 0o600); werr != nil {
			return s, werr
		}
		run("add", ".")
		run("commit", "-q", "-m", "step")
	}
	s.head, s.base, s.tree = run("rev-parse", "HEAD"), run("rev-parse", "HEAD~1"), run("rev-parse", "HEAD^{tree}")
	var b bytes.Buffer
	if err == nil {
		err = bundle.Write(context.Background(), filepath.Join(dir, ".git"), s.head, s.base, &b)
	}
	s.bundle = b.Bytes()
	return s, err
})

// aJob stores a bundle and returns the job for it, not yet published.
func aJob(t testing.TB, q queue.Queue, id string) queue.Job {
	t.Helper()
	s, err := source()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(s.bundle)
	b := queue.Blob{Name: queue.BundleName("p", id), SHA256: hex.EncodeToString(sum[:]), Size: int64(len(s.bundle))}
	if err := q.PutBlob(context.Background(), b.Name, bytes.NewReader(s.bundle)); err != nil {
		t.Fatal(err)
	}
	return queue.Job{ID: id, Key: "key-" + id, Attempt: 1, Head: s.head, Base: s.base, Tree: s.tree, Pool: "p", Bundle: b,
		Timeout: patience}
}

func send(t testing.TB, q queue.Queue, job queue.Job) {
	t.Helper()
	data, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Publish(context.Background(), queue.Jobs, job.Pool, job.ID, data); err != nil {
		t.Fatal(err)
	}
}

// nextResult waits for the next result as the server would, after any number of "started".
func nextResult(t *testing.T, q queue.Queue, wait time.Duration) *queue.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	for {
		res := nextWord(ctx, t, q)
		if res == nil || res.Class != queue.ClassStarted {
			return res
		}
	}
}

// nextWord is nil when ctx ends first.
func nextWord(ctx context.Context, t testing.TB, q queue.Queue) *queue.Result {
	t.Helper()
	m, err := q.Next(ctx, queue.Results, queue.Consumer{Name: "server", Lease: time.Minute})
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var res queue.Result
	if err := json.Unmarshal(m.Data(), &res); err != nil {
		t.Fatal(err)
	}
	if m.Sub() != "r1" {
		t.Errorf("result came from %q", m.Sub())
	}
	if err := m.Ack(context.Background()); err != nil {
		t.Fatal(err)
	}
	return &res
}

// idle fails when anything of a job is left: in the queue, in the spool or as an attempt.
func idle(t *testing.T, q queue.Queue, work string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testLease*5/4)
	defer cancel()
	c := queue.JobConsumer("p")
	c.Lease = testLease
	if s, ok := q.(*queue.Server); ok { // its lease is long
		if waiting, leased, err := s.Depth(t.Context(), queue.Jobs, c); err != nil || waiting+leased > 0 {
			t.Errorf("the queue still has %d jobs waiting and %d leased, %v", waiting, leased, err)
		}
	} else if m, err := q.Next(ctx, queue.Jobs, c); err == nil {
		t.Errorf("the queue still has a job: %s", m.Data())
	}
	for _, dir := range []string{"attempts", "spool"} {
		entries, err := os.ReadDir(filepath.Join(work, dir))
		if err != nil {
			t.Error(err)
		}
		for _, e := range entries {
			t.Errorf("%s holds %s", dir, e.Name())
		}
	}
}

// options are those of a runner r1 whose child does how.
func options(t *testing.T, q queue.Queue, how string) Options {
	return Options{Name: "r1", Pools: []string{"p"}, WorkDir: t.TempDir(), Queue: q, Once: true,
		Sandbox: Sandbox{Kind: sandbox.None}, Lease: testLease, Beat: testLease / 5, Grace: 300 * time.Millisecond, Env: []string{childEnvVar + "=" + how}}
}

func alive(pid int) bool {
	p, err := readProc(pid)
	return err == nil && !p.zombie
}

func pidIn(t *testing.T, file string) int {
	t.Helper()
	waitFor(t, file)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(data), &pid); err != nil {
		t.Fatal(err)
	}
	return pid
}

// gone waits for a killed process to leave the table.
func gone(t *testing.T, what string, pid int) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if !alive(pid) {
			return
		}
	}
	t.Errorf("%s %d is still there", what, pid)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}
