package cppast

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/gatebot/gatebot/internal/treesitter"
)

// Limits bound what one file may cost.
type Limits struct {
	MaxBytes  int           // size of the source
	Timeout   time.Duration // wall time of one Parse; the context may end it sooner
	MaxMemory int           // bytes of memory outside Go while one file is parsed
	MaxDepth  int           // nesting of expressions and blocks; what lies deeper becomes Other and a SyntaxError
}

// DefaultLimits are far above any file a person has written.
var DefaultLimits = Limits{MaxBytes: 4 << 20, Timeout: 10 * time.Second, MaxMemory: 256 << 20, MaxDepth: 1000}

// Errors of Parse, to be told apart with errors.Is. A file that is not C++ is not an error: see File.Errors.
var (
	ErrTooLarge = errors.New("file is too large")
	ErrDeadline = errors.New("parsing took too long")
)

// dialect is one grammar with its parsers.
type dialect struct {
	grammar func() *treesitter.Grammar
	lack    []string
	once    sync.Once
	err     error
	g       grammar
	idle    chan *treesitter.Parser
}

type grammar struct {
	treesitter.Symbols[kind]
	fields struct {
		alternative, argument, arguments, body, condition, consequence, declarator, defaultValue, field, function,
		indices, initializer, left, name, operator, parameters, path, right, scope, typ, update, value uint8
	}
}

var (
	plain = &dialect{grammar: treesitter.CPP, lack: cudaOnly}
	cuda  = &dialect{grammar: treesitter.CUDA}
)

// dialectOf picks the grammar. Headers are CUDA when they hold what only CUDA has.
func dialectOf(path string, src []byte) *dialect {
	switch ext := strings.ToLower(path[strings.LastIndexByte(path, '.')+1:]); ext {
	case "cu", "cuh", "hip":
		return cuda
	}
	for _, w := range [][]byte{[]byte("<<<"), []byte("__global__"), []byte("__device__"), []byte("__host__")} {
		if bytes.Contains(src, w) {
			return cuda
		}
	}
	return plain
}

func (d *dialect) load() error {
	d.once.Do(func() {
		g := d.grammar()
		if d.g.Symbols, d.err = treesitter.SymbolsOf(g, namedKinds, tokenKinds, kError, d.lack...); d.err != nil {
			return
		}
		f := &d.g.fields
		d.err = g.Fields(map[string]*uint8{"alternative": &f.alternative, "argument": &f.argument, "arguments": &f.arguments,
			"body": &f.body, "condition": &f.condition, "consequence": &f.consequence, "declarator": &f.declarator,
			"default_value": &f.defaultValue, "field": &f.field, "function": &f.function, "indices": &f.indices,
			"initializer": &f.initializer, "left": &f.left, "name": &f.name, "operator": &f.operator,
			"parameters": &f.parameters, "path": &f.path, "right": &f.right, "scope": &f.scope, "type": &f.typ,
			"update": &f.update, "value": &f.value})
		d.idle = make(chan *treesitter.Parser, max(4, runtime.NumCPU()))
	})
	return d.err
}

func (d *dialect) acquire() (*treesitter.Parser, error) {
	if err := d.load(); err != nil {
		return nil, err
	}
	select {
	case p := <-d.idle:
		return p, nil
	default:
	}
	return treesitter.NewParser(d.grammar())
}

func (d *dialect) release(p *treesitter.Parser) {
	p.Trim(1 << 17)
	select {
	case d.idle <- p:
	default:
		p.Close()
	}
}

// Parse reads one file of C++ or CUDA. It may be called from any number of goroutines. The file keeps src.
func Parse(ctx context.Context, path string, src []byte, lim Limits) (*File, error) {
	if len(src) > lim.MaxBytes || len(src) >= math.MaxInt32 {
		return nil, fmt.Errorf("%s: %w: %d bytes, limit %d (is it generated? exclude it)", path, ErrTooLarge, len(src),
			lim.MaxBytes)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: not parsed: %w", path, err)
	}
	d := dialectOf(path, src)
	p, err := d.acquire()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer d.release(p)
	l := &lowerer{ctx: ctx, g: &d.g, parser: p, lim: lim, until: time.Now().Add(lim.Timeout), file: &File{Path: path, Source: src}}
	l.pos.Reset(src)
	if err := l.whole(src); err != nil {
		return nil, l.explain(err)
	}
	return l.file, nil
}

// explain makes the error of one parse the error of Parse.
func (l *lowerer) explain(err error) error {
	path, n := l.file.Path, len(l.file.Source)
	switch {
	case errors.Is(err, treesitter.ErrStopped) && l.ctx.Err() != nil && !errors.Is(l.ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%s: not parsed: %w", path, l.ctx.Err())
	case errors.Is(err, treesitter.ErrStopped):
		return fmt.Errorf("%s: %w: more than %s for %d bytes (is it C++? exclude it)", path, ErrDeadline, l.lim.Timeout, n)
	case errors.Is(err, treesitter.ErrTooBig):
		return fmt.Errorf("%s: %w: more than %d MiB of memory for %d bytes (is it C++? exclude it)", path, ErrTooLarge,
			l.lim.MaxMemory>>20, n)
	}
	return fmt.Errorf("%s: %w", path, err)
}
