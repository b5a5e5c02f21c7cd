package git

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// Indexer is a repository that can list its index; both backends can.
type Indexer interface {
	// Index lists what is staged, in path order. Paths in conflict are left out: they have no single content.
	Index(ctx context.Context) ([]Entry, error)
}

// WorkLister is a repository that can list its work tree; both backends can.
type WorkLister interface {
	// WorkFiles lists tracked files and untracked ones that are not ignored, in path order, whether or not they still
	// exist on disk. An entry's Blob is the staged content when the file is known to be unchanged, else empty.
	WorkFiles(ctx context.Context) ([]Entry, error)
}

var (
	_ Indexer    = (*CLI)(nil)
	_ WorkLister = (*CLI)(nil)
	_ Indexer    = (*GoGit)(nil)
	_ WorkLister = (*GoGit)(nil)
)

// Index lists what is staged.
func (r *CLI) Index(ctx context.Context) ([]Entry, error) {
	out, err := r.inRoot().run(ctx, nil, "ls-files", "-z", "--stage")
	if err != nil {
		return nil, err
	}
	entries, _, err := parseStage(out)
	return entries, err
}

// parseStage reads `ls-files -z --stage`: "<mode> <id> <stage>\t<path>\0". Stage 0 is what is staged; paths with other
// stages are in conflict.
func parseStage(out []byte) (entries []Entry, conflicts []string, err error) {
	entries = make([]Entry, 0, bytes.Count(out, []byte{0}))
	for len(out) > 0 {
		record, rest, ok := bytes.Cut(out, []byte{0})
		if !ok {
			return nil, nil, fmt.Errorf("git ls-files: output cut off after %d entries", len(entries))
		}
		out = rest
		head, path, ok := strings.Cut(string(record), "\t")
		f := strings.Split(head, " ")
		if !ok || len(f) != 3 || !isID(f[1]) {
			return nil, nil, fmt.Errorf("git ls-files: unexpected record %q", record)
		}
		mode, err := parseMode(f[0])
		if err != nil {
			return nil, nil, fmt.Errorf("git ls-files: record %q: %w", record, err)
		}
		switch {
		case f[2] == "0":
			entries = append(entries, Entry{Path: path, Mode: mode, Blob: f[1], Size: -1})
		case len(conflicts) == 0 || conflicts[len(conflicts)-1] != path:
			conflicts = append(conflicts, path)
		}
	}
	return entries, conflicts, nil
}

// inRoot is the commander at the top of the work tree, where ls-files sees all of it.
func (r *CLI) inRoot() *commander {
	c := r.commander
	if r.root != "" {
		c.dir = r.root
	}
	return &c
}
