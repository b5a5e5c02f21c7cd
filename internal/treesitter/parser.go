package treesitter

/*
#cgo CFLAGS: -std=c11 -O2
#include "tree.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
	"unsafe"
)

// Node is one entry of a flattened tree: the children of node i start at i+1, Next is the index after its whole
// subtree. Start and End are byte offsets. The layout is that of flat_node in tree.h.
type Node struct {
	Start, End, Next uint32
	Symbol           uint16
	Field, Flags     uint8
}

// Bits of Node.Flags.
const (
	Named   = C.FLAT_NAMED   // no punctuation, no keyword
	Missing = C.FLAT_MISSING // put in by the parser to go on
	Error   = C.FLAT_ERROR   // what could not be read
	Extra   = C.FLAT_EXTRA   // a comment, or what else may stand anywhere
)

func init() {
	if unsafe.Sizeof(Node{}) != unsafe.Sizeof(C.flat_node{}) {
		panic("treesitter: Node and flat_node differ in size")
	}
}

var setAllocator = sync.OnceFunc(func() { C.flat_set_allocator() })

// Errors of Parser.Parse, to be told apart with errors.Is.
var (
	ErrStopped = errors.New("stopped")
	ErrTooBig  = errors.New("too much memory")
)

// Parser owns one tree-sitter parser and the buffer its trees are flattened into. It must be closed.
type Parser struct{ c *C.flat_parser }

// NewParser makes a parser of one grammar.
func NewParser(g *Grammar) (*Parser, error) {
	c := C.flat_open(unsafe.Pointer(g.lang.Inner))
	if c == nil {
		return nil, fmt.Errorf("tree-sitter: no parser for %s: out of memory, or a grammar of another ABI version", g.name)
	}
	return &Parser{c}, nil
}

// Close frees the parser.
func (p *Parser) Close() { C.flat_close(p.c) }

// Parse returns the flattened tree of src, valid until the next call. It stops with ErrStopped when timeout has
// passed or ctx has ended, and with ErrTooBig when it has taken maxBytes.
func (p *Parser) Parse(ctx context.Context, src []byte, timeout time.Duration, maxBytes int) ([]Node, error) {
	defer p.until(ctx)()
	rc := C.flat_parse(p.c, (*C.char)(unsafe.Pointer(unsafe.SliceData(src))), C.uint32_t(len(src)),
		C.int64_t(timeout), C.int64_t(maxBytes))
	return p.result(rc)
}

// until cancels a parse when ctx ends before the function is called that it returns.
func (p *Parser) until(ctx context.Context) (end func()) {
	if ctx.Done() == nil {
		return func() {}
	}
	fired := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { C.flat_cancel(p.c); close(fired) })
	return func() {
		if !stop() {
			<-fired // or it would cancel the next file
			C.flat_rearm(p.c)
		}
	}
}

// result is what a parse has left.
func (p *Parser) result(rc C.int) ([]Node, error) {
	switch rc {
	case C.FLAT_OK:
		return unsafe.Slice((*Node)(unsafe.Pointer(p.c.nodes)), int(p.c.count)), nil
	case C.FLAT_STOPPED:
		return nil, ErrStopped
	case C.FLAT_TOO_BIG:
		return nil, ErrTooBig
	case C.FLAT_BROKEN:
		return nil, errBroken
	}
	return nil, errors.New("tree-sitter: out of memory")
}

// Trim gives back the buffer when a file has made it larger than keep nodes.
func (p *Parser) Trim(keep int) { C.flat_trim(p.c, C.uint32_t(keep)) }

// Release gives memory that closed parsers have freed back to the system.
func Release() { C.flat_release() }
