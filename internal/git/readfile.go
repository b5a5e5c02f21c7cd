package git

import (
	"context"
	"fmt"
	"strings"
)

// ReadFile gives the content of one file of a commit or tree; ErrNotFound when rev has no such file.
func ReadFile(ctx context.Context, r Repository, rev, path string) ([]byte, error) {
	if err := plainRev(rev); err != nil {
		return nil, err
	}
	if cli, ok := r.(*CLI); ok && path != "" && !strings.Contains(path, "\n") && !strings.HasPrefix(path, "./") &&
		!strings.HasPrefix(path, "../") {
		return cli.readFile(ctx, rev, path)
	}
	entries, err := r.Tree(ctx, rev)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Path != path || e.Mode == ModeSubmodule {
			continue
		}
		var content []byte
		err := r.Blobs(ctx, []string{e.Blob}, func(_ string, data []byte, err error) error {
			content = data
			return err
		})
		return content, err
	}
	return nil, fmt.Errorf("%s in %s: %w", path, rev, ErrNotFound)
}

// readFile lets cat-file find the path, which spares the listing of the whole tree.
func (r *CLI) readFile(ctx context.Context, rev, path string) ([]byte, error) {
	var content []byte
	err := r.ask(ctx, &r.contents, "--batch", []string{rev + ":" + path}, func(_ int, o answer) error {
		switch {
		case o.kind != "blob":
			return fmt.Errorf("%s in %s: %w", path, rev, ErrNotFound)
		case o.size > MaxBlob:
			return fmt.Errorf("%s in %s: %d bytes: %w", path, rev, o.size, ErrTooLarge)
		}
		content = o.data
		return nil
	})
	return content, err
}
