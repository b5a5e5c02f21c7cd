package webhook

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/queue"
)

// ErrNoRef means that the remote has no such ref. Right after a webhook it may only be late.
var ErrNoRef = errors.New("no such ref at the remote")

// GitMirrors keeps bare mirrors under a directory, one per repository id, through git's own fetch.
type GitMirrors struct {
	Dir string
	// Token authenticates one fetch; nil for none.
	Token func(ctx context.Context, r queue.Repo) (string, error)
	// PushToken authenticates one push; nil for none.
	PushToken func(ctx context.Context, r queue.Repo) (string, error)
	// Host is the only host tokens go to; a clone URL elsewhere is refused. Empty: any host.
	Host string

	locks keyLocks
}

// Path is where the mirror of a repository is, or will be.
func (m *GitMirrors) Path(r queue.Repo) string {
	return filepath.Join(m.Dir, strconv.FormatInt(r.ID, 10)+".git")
}

// Fetch implements Mirrors. Only named refs are asked for, never a bare commit id: GitHub would hand out commits of any
// fork for those. Nothing is ever pruned or collected, so that a commit seen once can be bundled later.
func (m *GitMirrors) Fetch(ctx context.Context, r queue.Repo, refs ...string) (string, error) {
	dir := m.Path(r)
	unlock, err := m.locks.lock(ctx, dir)
	if err != nil {
		return "", err
	}
	defer unlock()
	if err := m.ensure(ctx, dir); err != nil {
		return "", err
	}
	env, err := m.env(ctx, r, m.Token)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	args := []string{
		// A redirect would carry the token to whatever host it names; a stalled transfer ends after a minute.
		"-c", "http.followRedirects=false", "-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=60",
		"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--force", "--", r.CloneURL,
	}
	for _, ref := range refs {
		args = append(args, "+"+ref+":"+ref)
	}
	err = run(ctx, dir, env, args...)
	if err != nil && strings.Contains(err.Error(), "remove the file manually") {
		if err := removeStaleLocks(dir); err != nil {
			return "", err
		}
		err = run(ctx, dir, env, args...)
	}
	if err != nil {
		if strings.Contains(err.Error(), "couldn't find remote ref") {
			return "", fmt.Errorf("fetch %s/%s: %w: %w", r.Owner, r.Name, ErrNoRef, err)
		}
		return "", fmt.Errorf("fetch %s/%s: %w", r.Owner, r.Name, err)
	}
	return dir, nil
}

// env is the environment of one transfer, with a token for the mirror's host and no other.
func (m *GitMirrors) env(ctx context.Context, r queue.Repo, token func(context.Context, queue.Repo) (string, error)) ([]string, error) {
	u, err := url.Parse(r.CloneURL)
	if err != nil {
		return nil, fmt.Errorf("clone URL %q: %w", r.CloneURL, err)
	}
	if m.Host != "" && !strings.EqualFold(u.Host, m.Host) {
		return nil, fmt.Errorf("clone URL %q is not on %s (a token for one host is not shown to another)", r.CloneURL, m.Host)
	}
	env := append(git.CleanEnv(), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=true")
	if token == nil {
		return env, nil
	}
	secret, err := token(ctx, r)
	if err != nil {
		return nil, err
	}
	// Through the environment: a command line can be read by every user of the machine.
	basic := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + secret))
	return append(env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http."+u.Scheme+"://"+u.Host+"/.extraHeader",
		"GIT_CONFIG_VALUE_0=Authorization: Basic "+basic), nil
}

// ErrRejected means that the remote's ref has moved meanwhile.
var ErrRejected = errors.New("push rejected")

// Push implements Mirrors.
func (m *GitMirrors) Push(ctx context.Context, r queue.Repo, ref string) error {
	dir := filepath.Join(m.Dir, strconv.FormatInt(r.ID, 10)+".git")
	unlock, err := m.locks.lock(ctx, dir)
	if err != nil {
		return err
	}
	defer unlock()
	env, err := m.env(ctx, r, m.PushToken)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	err = run(ctx, dir, env, "-c", "http.followRedirects=false", "push", "--quiet", "--no-verify", "--", r.CloneURL, ref+":"+ref)
	if err != nil && (strings.Contains(err.Error(), "[rejected]") || strings.Contains(err.Error(), "failed to push some refs")) {
		return fmt.Errorf("push to %s/%s: %w: %w", r.Owner, r.Name, ErrRejected, err)
	}
	if err != nil {
		return fmt.Errorf("push to %s/%s: %w", r.Owner, r.Name, err)
	}
	return nil
}

// ensure makes the bare repository when it is not there. It is made under another name first: a half-made one
// would look finished after a crash.
func (m *GitMirrors) ensure(ctx context.Context, dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err == nil {
		return nil
	}
	if err := os.MkdirAll(m.Dir, 0o700); err != nil {
		return fmt.Errorf("mirror: %w", err)
	}
	fresh, err := os.MkdirTemp(m.Dir, "new-*.git")
	if err != nil {
		return fmt.Errorf("mirror: %w", err)
	}
	defer func() { _ = os.RemoveAll(fresh) }()
	for _, args := range [][]string{
		{"init", "--quiet", "--bare", "."},
		{"config", "gc.auto", "0"},
		{"config", "user.name", "gatebot"}, // of notes
		{"config", "user.email", "gatebot@users.noreply.github.com"},
		{"config", "core.hooksPath", os.DevNull},
	} {
		if err := run(ctx, fresh, git.CleanEnv(), args...); err != nil {
			return fmt.Errorf("mirror: %w", err)
		}
	}
	if err := os.Rename(fresh, dir); err != nil {
		return fmt.Errorf("mirror: %w", err)
	}
	return nil
}

// fetchTime bounds one fetch; the first one of a large repository takes minutes.
const fetchTime = 20 * time.Minute

// run runs git in dir. Its error carries what git said, which never contains the token.
func run(ctx context.Context, dir string, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, env, 5*time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // git removes its locks on this one
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("git: %w", ctx.Err())
		}
		return fmt.Errorf("git: %w: %s", err, lastLines(stderr.String(), 3))
	}
	return nil
}

// staleLock is older than any fetch that could still be running: a git that was killed left it.
const staleLock = 30 * time.Minute

// removeStaleLocks deletes lock files that a killed git left. The mirror is ours alone.
func removeStaleLocks(dir string) error {
	return filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".lock") {
			return err
		}
		if info, err := d.Info(); err != nil || time.Since(info.ModTime()) < staleLock {
			return err
		}
		return os.Remove(path)
	})
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "; ")
}
