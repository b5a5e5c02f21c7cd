package treesitter

/*
#include "tree.h"
*/
import "C"

import (
	"context"
	"errors"
	"time"
	"unsafe"

	"github.com/gatebot/gatebot/internal/lru"
)

// Versions keeps the trees of texts of which another version is expected, by their name, up to a number of bytes; those that
// were not used for longest go first. With the tree of the version before, a text costs what has changed in it. Trees are
// memory of C, so it must be closed. It is for one grammar, and may be used from any number of goroutines.
//
// A tree with errors is not kept, and a text that comes out with errors is parsed again from nothing: where to go on after
// what cannot be read is a choice, which may come out another way when half of the tree is there. Without errors there is one
// tree for a text, whichever way it came about (TestVersionsGiveTheSameTrees).
type Versions struct {
	trees *lru.Cache[string, *version]
}

type version struct {
	src  []byte
	tree unsafe.Pointer
}

// nodeBytes is what one node of a flattened tree takes as a tree of C, with the hidden ones between: measured on vLLM.
const nodeBytes = 112

// NewVersions keeps up to that many bytes of C memory.
func NewVersions(bytes int) *Versions {
	return &Versions{lru.New[string](bytes, func(x *version) { C.flat_drop(x.tree) })}
}

// Close frees all of them. Afterwards nothing is kept.
func (v *Versions) Close() { v.trees.Close() }

// errBroken says that a text has to be parsed from nothing.
var errBroken = errors.New("tree-sitter: a tree with errors")

// ParseVersion is Parse of a text of which another version may have been parsed under the same name. It keeps src, which must
// not change.
func (p *Parser) ParseVersion(ctx context.Context, v *Versions, name string, src []byte, timeout time.Duration, maxBytes int) ([]Node, error) {
	old, _ := v.trees.Take(name) // it is used up
	nodes, err := p.parseFrom(ctx, old, src, timeout, maxBytes)
	if errors.Is(err, errBroken) {
		return p.Parse(ctx, src, timeout, maxBytes)
	}
	if tree := p.c.tree; tree != nil {
		p.c.tree = nil
		v.trees.Put(name, &version{src, tree}, len(nodes)*nodeBytes+len(src)) // dropped when another one was parsed side by side
	}
	return nodes, err
}

// parseFrom parses src with the tree of old, which it uses up; old may be nil.
func (p *Parser) parseFrom(ctx context.Context, old *version, src []byte, timeout time.Duration, maxBytes int) ([]Node, error) {
	var tree unsafe.Pointer
	var changed []edit
	if old != nil {
		tree, changed = old.tree, edits(old.src, src)
	}
	defer p.until(ctx)()
	return p.result(C.flat_reparse(p.c, tree, (*C.flat_edit)(unsafe.Pointer(unsafe.SliceData(changed))), C.uint32_t(len(changed)),
		(*C.char)(unsafe.Pointer(unsafe.SliceData(src))), C.uint32_t(len(src)), C.int64_t(timeout), C.int64_t(maxBytes)))
}
