package bundle

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/gatebot/gatebot/internal/git"
)

// WriteGit is Write for a developer's checkout: with the git binary, which reads every kind of repository that a person
// may have (worktrees, alternates, partial clones). The repository is the one around dir, with its own configuration.
func WriteGit(ctx context.Context, dir, head, base string, w io.Writer) error {
	for _, id := range []string{head, base} {
		if len(id) == 64 {
			return fmt.Errorf("bundle: %w: %s is a SHA-256 id", ErrUnsupported, id)
		}
		if !isID(id) && (id == head || id != "") {
			return fmt.Errorf("bundle: %q is no full object id", id)
		}
	}
	args := []string{"rev-list", "--objects", "--no-object-names", "--no-walk=unsorted", "--missing=error", head}
	if base != "" && base != head {
		args = append(args, base)
	}
	var ids bytes.Buffer
	if err := gitPipe(ctx, dir, nil, &ids, args...); err != nil {
		return fmt.Errorf("bundle of %.12s: %w: %w", head, ErrMissing, err)
	}
	if _, err := io.WriteString(w, header(head, base)); err != nil {
		return fmt.Errorf("bundle of %.12s: %w", head, err)
	}
	// No delta of an object that is not in the pack: the other side has nothing.
	if err := gitPipe(ctx, dir, &ids, w, "pack-objects", "--stdout", "-q", "--threads=1", "--window=0"); err != nil {
		return fmt.Errorf("bundle of %.12s: %w", head, err)
	}
	return nil
}

func gitPipe(ctx context.Context, dir string, stdin io.Reader, stdout io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(git.CleanEnv(), "GIT_NO_LAZY_FETCH=1", "LC_ALL=C")
	cmd.WaitDelay = 5 * time.Second
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, &errs
	if err := cmd.Run(); err != nil {
		said, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n")
		return fmt.Errorf("git %s: %w: %s", args[0], err, said)
	}
	return nil
}
