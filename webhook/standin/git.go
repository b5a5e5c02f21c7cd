package standin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// gitCommand runs git in an environment of its own: no variable of the caller (GIT_DIR in a hook, a user's
// configuration) reaches the repositories of the stand-in.
type gitCommand struct {
	path string
	env  []string
}

func findGit(home string) (gitCommand, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return gitCommand{}, fmt.Errorf("stand-in: %w (install git)", err)
	}
	return gitCommand{path: path, env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "LC_ALL=C",
	}}, nil
}

// run runs git in dir and returns its output without the last newline.
func (g gitCommand) run(ctx context.Context, dir string, stdin []byte, args ...string) (string, error) {
	return g.runEnv(ctx, dir, nil, stdin, args...)
}

func (g gitCommand) runEnv(ctx context.Context, dir string, env []string, stdin []byte, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, g.path, args...)
	cmd.Dir = dir
	cmd.Env = append(append([]string{}, g.env...), env...)
	cmd.Stdin = bytes.NewReader(stdin)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return "", fmt.Errorf("git %s: %s: %w", args[0], strings.TrimSpace(errOut.String()), err)
		}
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// author is the identity and time of a commit as git's environment wants it.
func author(name, email string, when time.Time) []string {
	date := when.UTC().Format(time.RFC3339)
	return []string{
		"GIT_AUTHOR_NAME=" + name, "GIT_AUTHOR_EMAIL=" + email, "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=" + name, "GIT_COMMITTER_EMAIL=" + email, "GIT_COMMITTER_DATE=" + date,
	}
}

// Change is a file of a commit to be made: its new content, or its removal.
type Change struct {
	Path    string
	Content []byte
	Delete  bool
}

// commitTree makes a commit on top of parent (none when empty) and returns its id. No ref moves.
func (g gitCommand) commitTree(ctx context.Context, dir, parent, message string, who []string, changes []Change) (string, error) {
	index, err := os.CreateTemp("", "standin-index-")
	if err != nil {
		return "", err
	}
	_ = index.Close()
	// git wants to create the index itself: an empty file is a corrupt one.
	if err := os.Remove(index.Name()); err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(index.Name()) }()
	env := []string{"GIT_INDEX_FILE=" + index.Name()}

	var lines strings.Builder
	for _, c := range changes {
		if c.Delete {
			fmt.Fprintf(&lines, "0 %s\t%s\n", strings.Repeat("0", 40), c.Path)
			continue
		}
		blob, err := g.run(ctx, dir, c.Content, "hash-object", "-w", "--stdin")
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&lines, "100644 %s\t%s\n", blob, c.Path)
	}
	if parent != "" {
		if _, err := g.runEnv(ctx, dir, env, nil, "read-tree", parent); err != nil {
			return "", err
		}
	}
	if _, err := g.runEnv(ctx, dir, env, []byte(lines.String()), "update-index", "--add", "--index-info"); err != nil {
		return "", err
	}
	tree, err := g.runEnv(ctx, dir, env, nil, "write-tree")
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree", tree, "-F", "-"}
	if parent != "" {
		args = append(args, "-p", parent)
	}
	return g.runEnv(ctx, dir, who, []byte(message), args...)
}
