package git

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Setting reads one value of git's configuration, as git sees it here.
func (r *CLI) Setting(ctx context.Context, key string) (value string, set bool, err error) {
	out, err := r.inRoot().run(ctx, nil, "config", "--null", "--get", key)
	if exitCode(err) == 1 {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	return strings.TrimSuffix(string(out), "\x00"), true, nil
}

// Flag reads a boolean setting; false when it is not set, an error when it is no boolean.
func (r *CLI) Flag(ctx context.Context, key string) (bool, error) {
	out, err := r.inRoot().run(ctx, nil, "config", "--type=bool", "--get", key)
	if exitCode(err) == 1 {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("setting %s: %w", key, err)
	}
	return strings.TrimSpace(string(out)) == "true", nil
}

// HooksDir is where git looks for hooks here: core.hooksPath when it is set (relative to the top of this work tree),
// else hooks in the directory that all worktrees share.
func (r *CLI) HooksDir(ctx context.Context) (string, error) {
	c := r.inRoot()
	out, err := c.run(ctx, nil, "rev-parse", "--git-path", "hooks")
	if err != nil {
		return "", err
	}
	dir := strings.TrimSuffix(string(out), "\n")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(c.dir, dir)
	}
	return filepath.Clean(dir), nil
}

// RemotesAt names the configured remotes that push to or fetch from a URL: a push to the bare URL goes to the same
// place, and what is known of them is known of it.
func (r *CLI) RemotesAt(ctx context.Context, url string) ([]string, error) {
	out, err := r.inRoot().run(ctx, nil, "config", "--null", "--get-regexp", `^remote\..*\.(push)?url$`)
	if exitCode(err) == 1 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for record := range strings.SplitSeq(string(out), "\x00") {
		key, value, _ := strings.Cut(record, "\n")
		key = strings.TrimPrefix(key, "remote.")
		end := strings.LastIndexByte(key, '.')
		if value != url || end < 0 || slices.Contains(names, key[:end]) {
			continue
		}
		names = append(names, key[:end])
	}
	return names, nil
}
