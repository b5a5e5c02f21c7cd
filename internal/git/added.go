package git

import (
	"context"
	"fmt"
	"strings"
)

// Added is the first commit that added a file at this path to the history of rev; ErrNotFound when none did.
func (r *CLI) Added(ctx context.Context, rev, path string) (string, error) {
	if err := plainRev(rev); err != nil {
		return "", err
	}
	out, err := r.inRoot().run(ctx, nil, "log", "--diff-filter=A", "--format=%H", "--reverse", "--no-renames", rev, "--", path)
	if err != nil {
		return "", notFound(rev, err)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if first == "" {
		return "", fmt.Errorf("%s in the history of %s: %w", path, rev, ErrNotFound)
	}
	return first, nil
}
