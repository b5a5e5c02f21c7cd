package bundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// gitDir runs git in one directory with an environment of its own: nothing of the machine's or user's configuration,
// no network protocol, no prompt.
type gitDir struct {
	dir, binary string
}

func newGit(dir string) (*gitDir, error) {
	binary, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("no git on this machine: %w (install git 2.28 or newer)", err)
	}
	return &gitDir{dir: dir, binary: binary}, nil
}

// gitError is git's own refusal, as against a git that cannot be started.
type gitError struct {
	command string
	said    string
	err     error
}

func (e *gitError) Error() string {
	if e.said == "" {
		return fmt.Sprintf("git %s: %v", e.command, e.err)
	}
	return fmt.Sprintf("git %s: %s", e.command, e.said)
}

func (e *gitError) Unwrap() error { return e.err }

// fixed configuration outranks the repository's file, which is fresh and ours anyway.
var fixed = []string{
	"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.autocrlf=false",
	"-c", "core.attributesFile=/dev/null", "-c", "core.protectHFS=true", "-c", "core.protectNTFS=true",
	"-c", "submodule.recurse=false", "-c", "gc.auto=0", "-c", "advice.detachedHead=false", "-c", "core.symlinks=true",
}

func (g *gitDir) run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, g.binary, append(append([]string{}, fixed...), args...)...)
	cmd.Dir = g.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + g.dir, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_LFS_SKIP_SMUDGE=1",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_CEILING_DIRECTORIES=" + g.dir,
	}
	cmd.WaitDelay = 5 * time.Second
	cmd.Stdin = stdin
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err == nil {
		return out.Bytes(), nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	said, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n")
	return nil, &gitError{command: args[0], said: said, err: err}
}
