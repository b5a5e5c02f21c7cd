package pyast

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"

	"github.com/gatebot/gatebot/internal/treesitter"
)

// Limits bound what one file may cost. Garbage parses about thirty times slower than Python does, so that size alone
// is no bound on time.
type Limits struct {
	MaxBytes  int           // size of the source
	Timeout   time.Duration // wall time of one Parse; the context may end it sooner
	MaxMemory int           // bytes of memory outside Go while one file is parsed, as fine as the parser looks at it
	MaxDepth  int           // nesting of expressions and blocks; what lies deeper becomes Bad and a SyntaxError
}

// DefaultLimits are far above any file a person has written: CPython itself gives up on about 1000 nested levels.
var DefaultLimits = Limits{MaxBytes: 4 << 20, Timeout: 10 * time.Second, MaxMemory: 256 << 20, MaxDepth: 1500}

// Errors of Parse, to be told apart with errors.Is. A file that is not Python is not an error: see Module.Errors.
var (
	ErrTooLarge = errors.New("file is too large")
	ErrDeadline = errors.New("parsing took too long")
)

// Parse reads one Python file (3.8 to 3.12, and what Python 2 left behind). It may be called from any number of
// goroutines. The module keeps src. path only names the file in errors and in Module.Path.
func Parse(ctx context.Context, path string, src []byte, lim Limits) (*Module, error) {
	return parseKeeping(ctx, path, src, lim, nil, nil)
}

// parseKeeping also gives the flattened tree to keep, when there is one, which has to copy what it wants. With versions, the
// file is read as a version of one of the same path.
func parseKeeping(ctx context.Context, path string, src []byte, lim Limits, versions *treesitter.Versions, keep func([]treesitter.Node)) (*Module, error) {
	if len(src) > lim.MaxBytes || len(src) >= math.MaxInt32 {
		return nil, fmt.Errorf("%s: %w: %d bytes, limit %d (is it generated? exclude it)", path, ErrTooLarge, len(src),
			lim.MaxBytes)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: not parsed: %w", path, err)
	}
	w, err := acquire()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer w.release()
	if err := w.open(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	start := time.Now()
	text := src // what the grammar reads; offsets are the same in src
	for {
		nodes, err := w.nodes(ctx, versions, path, text, lim.Timeout-time.Since(start), lim.MaxMemory)
		switch {
		case errors.Is(err, treesitter.ErrStopped) && ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
			return nil, fmt.Errorf("%s: not parsed: %w", path, ctx.Err())
		case errors.Is(err, treesitter.ErrStopped):
			return nil, fmt.Errorf("%s: %w: more than %s for %d bytes (is it Python? exclude it)", path, ErrDeadline,
				time.Since(start).Round(time.Millisecond), len(src))
		case errors.Is(err, treesitter.ErrTooBig):
			return nil, fmt.Errorf("%s: %w: more than %d MiB of memory for %d bytes (is it Python? exclude it)", path, ErrTooLarge,
				lim.MaxMemory>>20, len(src))
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if amended := amend(w.grammar, nodes, text); amended != nil {
			text, versions = amended, nil
			continue
		}
		if keep != nil {
			keep(nodes)
		}
		return w.lower(path, src, nodes, lim.MaxDepth), nil
	}
}

func (w *worker) nodes(ctx context.Context, versions *treesitter.Versions, path string, text []byte, timeout time.Duration, memory int) ([]treesitter.Node, error) {
	if versions == nil {
		return w.parser.Parse(ctx, text, timeout, memory)
	}
	return w.parser.ParseVersion(ctx, versions, path, text, timeout, memory)
}

// amend returns a copy of the text, of the same length, in which two things stand that the grammar can read, or nil when
// there is nothing to do. What is lowered is read from the original.
//
// tree-sitter-python issue 321: `type(x).a = y` is read as a type alias; there `type` becomes a plain identifier. And
// version 0.23.6 knows no template strings (Python 3.14): their prefix becomes that of an f-string.
func amend(g *grammar, nodes []treesitter.Node, text []byte) []byte {
	var amended []byte
	put := func(off uint32, s string) {
		if amended == nil {
			amended = append([]byte(nil), text...)
		}
		copy(amended[off:], s)
	}
	for i := range nodes {
		n := &nodes[i]
		switch g.Kind(n) {
		case kTypeAliasStatement:
			if i+2 >= len(nodes) || g.Kind(&nodes[i+1]) != kTokTypeKeyword || nodes[i+1].End-nodes[i+1].Start != 4 {
				continue
			}
			if left := nodes[i+2].Start; int(left) < len(text) && (text[left] == '(' || text[left] == '[') {
				put(nodes[i+1].Start, "typ_")
			}
		case kIdentifier:
			// An identifier with a quote right behind it is never valid, so this takes nothing from anybody.
			if int(n.End) < len(text) && (text[n.End] == '"' || text[n.End] == '\'') {
				if s, ok := templatePrefixes[strings.ToLower(string(text[n.Start:n.End]))]; ok {
					put(n.Start, s)
				}
			}
		}
	}
	return amended
}

var templatePrefixes = map[string]string{"t": "f", "tr": "fr", "rt": "rf"}

// worker is what one Parse needs and the next can reuse.
type worker struct {
	parser  *treesitter.Parser // nil until it parses
	grammar *grammar
	lowerer lowerer
}

const keepNodes = 1 << 17 // 2 MB: the largest file of vLLM has 52 thousand nodes

// idle keeps as many workers as can be busy at once. It is no sync.Pool: that drops its content now and then, and what
// is dropped without close is lost C memory.
var idle = make(chan *worker, max(4, runtime.NumCPU()))

func acquire() (*worker, error) {
	select {
	case w := <-idle:
		return w, nil
	default:
	}
	g, err := theGrammar()
	if err != nil {
		return nil, err
	}
	return &worker{grammar: g}, nil
}

// open gives the worker a parser.
func (w *worker) open() (err error) {
	if w.parser == nil {
		w.parser, err = treesitter.NewParser(treesitter.Python())
	}
	return err
}

func (w *worker) close() {
	if w.parser != nil {
		w.parser.Close()
		w.parser = nil
	}
}

func (w *worker) release() {
	if w.parser != nil {
		w.parser.Trim(keepNodes)
	}
	w.lowerer.reset()
	select {
	case idle <- w:
	default:
		w.close()
	}
}

// Release closes the parsers that are idle and gives their memory back: 10 MB each after a large file. The next Parse
// opens a new one. What else they have, names above all, whoever lowers trees goes on with.
func Release() {
	var workers []*worker
	for more := true; more; {
		select {
		case w := <-idle:
			w.close()
			workers = append(workers, w)
		default:
			more = false
		}
	}
	for _, w := range workers {
		w.release()
	}
	treesitter.Release()
}
