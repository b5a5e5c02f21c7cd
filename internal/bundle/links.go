package bundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// tameLinks replaces the symbolic links that lead out of the tree. Whoever follows one of a strange tree later, be it
// a tool that collects results or the code under test itself, would read and write this machine's files. What is left
// is links that stay inside, or lead nowhere.
func (g *gitDir) tameLinks(ctx context.Context, head string) ([]string, error) {
	out, err := g.run(ctx, nil, "ls-tree", "-r", "-z", head)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(g.dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	var replaced []string
	for entry := range bytes.SplitSeq(out, []byte{0}) {
		meta, path, ok := bytes.Cut(entry, []byte{'\t'})
		if !ok || !bytes.HasPrefix(meta, []byte("120000 ")) {
			continue
		}
		done, err := tame(root, string(path))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if done {
			replaced = append(replaced, string(path))
		}
	}
	return replaced, nil
}

// tame reports whether it replaced the link.
func tame(root *os.Root, path string) (bool, error) {
	_, err := root.Stat(path) // os.Root follows links, and refuses those that escape
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENOTDIR) {
		return false, nil
	}
	target, err := root.Readlink(path)
	if err != nil {
		return false, err
	}
	if err := root.Remove(path); err != nil {
		return false, err
	}
	return true, root.WriteFile(path, []byte(target), 0o600)
}
