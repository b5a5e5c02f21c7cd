package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// clone is a person's clone of the repository, driven through git's command line.
type clone struct {
	dir  string
	path string // PATH of its git commands, with gatebot on it for the hook
}

// git runs git in the clone and returns what it said, stdout and stderr together.
func (c *clone) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = c.dir
	cmd.Env = c.env()
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil {
		return text, fmt.Errorf("git %s: %w: %s", args[0], err, text)
	}
	return text, nil
}

// env keeps the person's own git configuration and signing keys out of the demo, and a surrounding hook's GIT_DIR too.
func (c *clone) env() []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "PATH=") {
			env = append(env, kv)
		}
	}
	return append(env, "PATH="+c.path, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=Ada Example", "GIT_AUTHOR_EMAIL=ada@example.com",
		"GIT_COMMITTER_NAME=Ada Example", "GIT_COMMITTER_EMAIL=ada@example.com")
}

// made is a commit of the demo.
type made struct {
	id, message string
	planted     []place
}

// commit makes a change and commits it.
func (c *clone) commit(ctx context.Context, ch change) (m made, err error) {
	if m.message, m.planted, err = ch.apply(ctx, c.dir); err != nil {
		return m, err
	}
	if _, err := c.git(ctx, "commit", "-q", "-a", "-m", m.message); err != nil {
		return m, err
	}
	m.id, err = c.git(ctx, "rev-parse", "HEAD")
	return m, err
}

// errRefused means that the hook stopped a push.
var errRefused = errors.New("push refused")

// push pushes and returns what git and the hook said; a push that the hook stopped is errRefused.
func (c *clone) push(ctx context.Context, refspec string) (string, error) {
	out, err := c.git(ctx, "push", "-q", "origin", refspec)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out, fmt.Errorf("%w: %w", errRefused, err)
	}
	return out, err
}

// pathWith puts the directory of exe first in PATH, under the name gatebot, so that the hook finds this very program.
func pathWith(exe, dir string) (string, error) {
	bin := filepath.Join(dir, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return "", err
	}
	if err := os.Symlink(exe, filepath.Join(bin, "gatebot")); err != nil {
		return "", err
	}
	return bin + string(os.PathListSeparator) + os.Getenv("PATH"), nil
}
