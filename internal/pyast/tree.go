package pyast

/*
#cgo CFLAGS: -std=c11 -O2
#include "tree.h"
*/
import "C"

import (
	"context"
	"errors"
	"sync"
	"time"
	"unsafe"

	sitter "github.com/tree-sitter/go-tree-sitter"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
)

// node is one entry of a flattened tree; the layout is that of pyast_node in tree.h.
type node struct {
	start, end, next uint32
	symbol           uint16
	field, flags     uint8
}

const (
	flagNamed   = C.PYAST_NAMED
	flagMissing = C.PYAST_MISSING
	flagError   = C.PYAST_ERROR
	flagExtra   = C.PYAST_EXTRA
)

func init() {
	if unsafe.Sizeof(node{}) != unsafe.Sizeof(C.pyast_node{}) {
		panic("pyast: node and pyast_node differ in size")
	}
}

var (
	errStopped = errors.New("stopped")
	errTooBig  = errors.New("too much memory")
)

// language is the grammar; it may be shared between goroutines, a parser may not.
var language = sync.OnceValue(func() *sitter.Language {
	C.pyast_set_allocator()
	return sitter.NewLanguage(python.Language())
})

// parser owns one tree-sitter parser and the buffer its trees are flattened into.
type parser struct{ c *C.pyast_parser }

func openParser() (*parser, error) {
	c := C.pyast_open(unsafe.Pointer(language().Inner))
	if c == nil {
		return nil, errors.New("tree-sitter: no parser: out of memory, or a grammar of another ABI version")
	}
	return &parser{c}, nil
}

func (p *parser) close() { C.pyast_close(p.c) }

// parse returns the flattened tree of src, valid until the next call. It stops with errStopped when timeout has
// passed or ctx has ended, and with errTooBig when it has taken maxBytes.
func (p *parser) parse(ctx context.Context, src []byte, timeout time.Duration, maxBytes int) ([]node, error) {
	if ctx.Done() != nil {
		fired := make(chan struct{})
		stop := context.AfterFunc(ctx, func() { C.pyast_cancel(p.c); close(fired) })
		defer func() {
			if !stop() {
				<-fired // or it would cancel the next file
				C.pyast_rearm(p.c)
			}
		}()
	}
	rc := C.pyast_parse(p.c, (*C.char)(unsafe.Pointer(unsafe.SliceData(src))), C.uint32_t(len(src)),
		C.int64_t(timeout), C.int64_t(maxBytes))
	switch rc {
	case C.PYAST_OK:
		return unsafe.Slice((*node)(unsafe.Pointer(p.c.nodes)), int(p.c.count)), nil
	case C.PYAST_STOPPED:
		return nil, errStopped
	case C.PYAST_TOO_BIG:
		return nil, errTooBig
	}
	return nil, errors.New("tree-sitter: out of memory")
}

// trim gives back the buffer when a file has made it larger than keep nodes.
func (p *parser) trim(keep int) { C.pyast_trim(p.c, C.uint32_t(keep)) }
