package fire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gatebot/gatebot/internal/git"
)

// Snapshot is what is sent: a commit of the repository, or one that nothing points to, made of the working tree.
type Snapshot struct {
	Commit, Tree string
	Dirty        bool // it holds what is not committed
}

// Take makes a snapshot of the working tree around dir: HEAD when nothing was changed, else a commit on top of it with
// every change and every new file that is not ignored. The index and the branches stay as they are; the objects are left
// to git's own clean-up.
func Take(ctx context.Context, dir string) (Snapshot, error) {
	top, err := gitOut(ctx, dir, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return Snapshot{}, err
	}
	status, err := gitOut(ctx, top, nil, "status", "--porcelain", "--untracked-files=all")
	if err != nil {
		return Snapshot{}, err
	}
	head, err := gitOut(ctx, top, nil, "rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil {
		head = "" // a branch without commits
	}
	if status == "" && head != "" {
		return Of(ctx, top, head)
	}
	tmp, err := os.MkdirTemp("", "gatebot-fire-")
	if err != nil {
		return Snapshot{}, fmt.Errorf("fire: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(tmp, "index"), "GIT_AUTHOR_NAME=gatebot fire", "GIT_AUTHOR_EMAIL=fire@gatebot.invalid",
		"GIT_COMMITTER_NAME=gatebot fire", "GIT_COMMITTER_EMAIL=fire@gatebot.invalid"}
	if err := copyIndex(ctx, top, filepath.Join(tmp, "index")); err != nil {
		return Snapshot{}, err
	}
	if _, err := gitOut(ctx, top, env, "-c", "core.safecrlf=false", "add", "--all", "."); err != nil {
		return Snapshot{}, err
	}
	tree, err := gitOut(ctx, top, env, "write-tree")
	if err != nil {
		return Snapshot{}, err
	}
	args := []string{"-c", "commit.gpgsign=false", "commit-tree", tree, "-m", "working tree, sent by gatebot fire"}
	if head != "" {
		args = append(args, "-p", head)
	}
	commit, err := gitOut(ctx, top, env, args...)
	return Snapshot{Commit: commit, Tree: tree, Dirty: true}, err
}

// copyIndex starts from the user's own index: it knows which files have not changed, so they are not read again.
func copyIndex(ctx context.Context, top, to string) error {
	name, err := gitOut(ctx, top, nil, "rev-parse", "--git-path", "index")
	if err != nil {
		return err
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(top, name)
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("fire: index: %w", err)
	}
	return nil
}

// Of is the snapshot of a commit as it is.
func Of(ctx context.Context, dir, rev string) (Snapshot, error) {
	commit, err := gitOut(ctx, dir, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return Snapshot{}, fmt.Errorf("fire: no commit %s: %w", rev, err)
	}
	tree, err := gitOut(ctx, dir, nil, "rev-parse", commit+"^{tree}")
	return Snapshot{Commit: commit, Tree: tree}, err
}

// InTree makes a path as the user wrote it one of the tree, with slashes.
func InTree(ctx context.Context, dir, script string) (string, error) {
	top, err := gitOut(ctx, dir, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return "", err
	}
	abs, err := filepath.Abs(filepath.Join(dir, script))
	if filepath.IsAbs(script) {
		abs, err = script, nil
	}
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", fmt.Errorf("fire: script: %w", err)
	}
	if top, err = filepath.EvalSymlinks(top); err != nil {
		return "", fmt.Errorf("fire: %w", err)
	}
	rel, err := filepath.Rel(top, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("fire: script %s does not lie in the repository %s", script, top)
	}
	return filepath.ToSlash(rel), nil
}

func gitOut(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(git.CleanEnv(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return "", fmt.Errorf("fire: no git on this machine: %w", err)
		}
		said, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n")
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, said)
	}
	return strings.TrimSpace(out.String()), nil
}
