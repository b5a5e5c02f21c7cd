package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

// PatchIDs gives the stable patch ids of commits: equal for two commits that change the same lines in the same way,
// wherever they lie in history and in their files (git patch-id --stable). A commit that has none is left out: merges,
// commits that change nothing, a root, and what is not in this clone.
func (r *CLI) PatchIDs(ctx context.Context, ids []string) (map[string]string, error) {
	var list bytes.Buffer
	for _, id := range ids {
		if c, err := r.Commit(ctx, id); err == nil && len(c.Parents) == 1 && r.Has(ctx, c.Parents[0]) {
			fmt.Fprintln(&list, id)
		} else if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
	}
	if list.Len() == 0 {
		return nil, nil
	}
	// The patches go from process to process: those of a long history do not fit into memory.
	diff := r.command(ctx, "diff-tree", "--stdin", "-p", "--full-index", "--no-ext-diff", "--no-textconv", "--no-color")
	sum := r.command(ctx, "patch-id", "--stable")
	var diffSaid, sumSaid, out bytes.Buffer
	diff.Stdin, diff.Stderr = &list, &diffSaid
	sum.Stdout, sum.Stderr = &out, &sumSaid
	pipe, err := diff.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("git diff-tree: %w", err)
	}
	sum.Stdin = pipe
	if err := diff.Start(); err != nil {
		return nil, fmt.Errorf("git diff-tree: %w", err)
	}
	if err := sum.Run(); err != nil {
		_ = diff.Process.Kill() // it has nobody to write to any more
		_ = diff.Wait()
		return nil, commandError(ctx, "patch-id", err, sumSaid.String())
	}
	if err := diff.Wait(); err != nil {
		return nil, commandError(ctx, "diff-tree", err, diffSaid.String())
	}
	return parsePatchIDs(out.String())
}

// parsePatchIDs reads lines of "<patch id> <commit id>".
func parsePatchIDs(out string) (map[string]string, error) {
	of := map[string]string{}
	for _, l := range strings.Split(strings.TrimSpace(out), "\n") {
		if l == "" {
			continue
		}
		patch, commit, ok := strings.Cut(l, " ")
		if !ok || !isID(commit) || patch == "" {
			return nil, fmt.Errorf("git patch-id: unexpected line %q", l)
		}
		of[commit] = patch
	}
	return of, nil
}
