package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
)

const modeDir = 0o040000

// node is one entry of one tree object.
type node struct {
	name string
	mode uint32
	id   string
}

// parseTreeObject reads a raw SHA-1 tree object: "<mode> <name>\0<20 bytes>" for each entry.
func parseTreeObject(raw []byte) ([]node, error) {
	var nodes []node
	for len(raw) > 0 {
		head, rest, ok := bytes.Cut(raw, []byte{0})
		mode, name, ok2 := bytes.Cut(head, []byte{' '})
		if !ok || !ok2 || len(rest) < 20 || len(name) == 0 {
			return nil, fmt.Errorf("tree object: damaged after %d entries", len(nodes))
		}
		m, err := parseMode(string(mode))
		if err != nil {
			return nil, fmt.Errorf("tree object: mode %q: %w", mode, err)
		}
		nodes = append(nodes, node{name: string(name), mode: canonical(m), id: hex.EncodeToString(rest[:20])})
		raw = rest[20:]
	}
	return nodes, nil
}

// canonical maps the file modes of old tools to the two that git knows, as git itself does.
func canonical(m uint32) uint32 {
	if m&0o170000 != 0o100000 {
		return m
	}
	if m&0o100 != 0 {
		return ModeExec
	}
	return ModeFile
}

// treeID is the tree of a commit, a tag or a tree; "" stands for the empty tree.
func (r *GoGit) treeID(rev string) (string, error) {
	if rev == "" {
		return "", nil
	}
	if isID(rev) {
		if o, err := r.object(rev); err == nil && o.Type() == plumbing.TreeObject {
			return rev, nil
		}
		if rev == emptyTreeSHA1 {
			return "", nil
		}
	}
	id, err := r.resolve(rev)
	if err != nil {
		return "", err
	}
	c, err := r.commit(id)
	return c.Tree, err
}

// emptyTreeSHA1 exists in every repository without being stored.
const emptyTreeSHA1 = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

func (r *GoGit) nodes(id string) ([]node, error) {
	if id == "" || id == emptyTreeSHA1 {
		return nil, nil
	}
	o, err := r.object(id)
	if err != nil {
		return nil, fmt.Errorf("tree: %w", err)
	}
	raw, err := readObject(o)
	if err != nil {
		return nil, fmt.Errorf("tree %s: %w", id, err)
	}
	nodes, err := parseTreeObject(raw)
	if err != nil {
		return nil, fmt.Errorf("tree %s: %w", id, err)
	}
	return nodes, nil
}

// Tree lists every file below rev.
func (r *GoGit) Tree(ctx context.Context, rev string) ([]Entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id, err := r.treeID(rev)
	if err != nil {
		return nil, err
	}
	var out []Entry
	err = r.files(ctx, id, "", func(e Entry) { out = append(out, e) })
	return out, err
}

func (r *GoGit) files(ctx context.Context, id, prefix string, f func(Entry)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	nodes, err := r.nodes(id)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		if n.mode != modeDir {
			f(Entry{Path: prefix + n.name, Mode: n.mode, Blob: n.id, Size: -1})
			continue
		}
		if err := r.files(ctx, n.id, prefix+n.name+"/", f); err != nil {
			return err
		}
	}
	return nil
}
