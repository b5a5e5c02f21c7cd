package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gatebot/gatebot/internal/git"
)

// Tidy packs every mirror and drops what no record can ask for any more: refs of pull requests and merge groups whose
// commit is older than keep, and objects that nothing has reached for that long.
func (m *GitMirrors) Tidy(ctx context.Context, keep time.Duration) error {
	dirs, err := filepath.Glob(filepath.Join(m.Dir, "*.git"))
	if err != nil {
		return err
	}
	var failed error
	for _, dir := range dirs {
		if strings.HasPrefix(filepath.Base(dir), "new-") { // half-made by a process that died
			if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > staleLock {
				failed = errors.Join(failed, os.RemoveAll(dir))
			}
			continue
		}
		failed = errors.Join(failed, m.tidy(ctx, dir, keep))
	}
	return failed
}

func (m *GitMirrors) tidy(ctx context.Context, dir string, keep time.Duration) error {
	unlock, err := m.locks.lock(ctx, dir)
	if err != nil {
		return err
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", "for-each-ref", "--format=%(committerdate:unix) %(refname)", "refs/pull", queueBranches)
	cmd.Dir, cmd.Env = dir, git.CleanEnv()
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("mirror %s: refs: %w", filepath.Base(dir), err)
	}
	var drop bytes.Buffer
	for line := range strings.Lines(string(out)) {
		at, ref, ok := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseInt(at, 10, 64)
		if ok && err == nil && time.Since(time.Unix(n, 0)) > keep {
			fmt.Fprintf(&drop, "delete %s\n", ref)
		}
	}
	if drop.Len() > 0 {
		cmd := exec.CommandContext(ctx, "git", "update-ref", "--stdin")
		cmd.Dir, cmd.Env, cmd.Stdin = dir, git.CleanEnv(), &drop
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("mirror %s: drop old refs: %w", filepath.Base(dir), err)
		}
	}
	prune := fmt.Sprintf("--prune=%d.days.ago", max(int(keep.Hours()/24), 1))
	if err := run(ctx, dir, git.CleanEnv(), "gc", "--quiet", prune); err != nil {
		return fmt.Errorf("mirror %s: %w", filepath.Base(dir), err)
	}
	return nil
}
