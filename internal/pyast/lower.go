package pyast

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/gatebot/gatebot/internal/treesitter"
)

// lowerer turns a flattened tree into the types of ast.go. Everything but the interned names is per file.
type lowerer struct {
	src   []byte
	nodes []treesitter.Node
	g     *grammar
	pos   treesitter.Positions
	names interner
	m     *Module
	depth int
	max   int
	slabs slabs
	// outline leaves out the bodies of functions.
	outline bool
}

func (w *worker) lower(path string, src []byte, nodes []treesitter.Node, maxDepth int) *Module {
	l := &w.lowerer
	l.pos.Reset(src)
	l.start(path, src, nodes, w.grammar, maxDepth)
	return l.module()
}

// start takes a file whose places l.pos knows.
func (l *lowerer) start(path string, src []byte, nodes []treesitter.Node, g *grammar, maxDepth int) {
	l.src, l.nodes, l.g, l.depth, l.max = src, nodes, g, 0, maxDepth
	l.m = &Module{Path: path, Source: src}
	l.m.span = l.between(0, uint32(len(src)))
}

// module lowers everything.
func (l *lowerer) module() *Module {
	l.scan()
	l.m.Body = l.stmts(0)
	slices.SortStableFunc(l.m.Errors, func(a, b SyntaxError) int { return cmp.Compare(a.Off, b.Off) })
	return l.m
}

// reset drops what belongs to the last file and keeps the buffers, unless one file has blown them up.
func (l *lowerer) reset() {
	l.src, l.nodes, l.m, l.slabs = nil, nil, nil, slabs{}
	l.pos.Release()
}

// scan collects comments and errors in order. ERROR nodes can nest; only the outermost counts.
func (l *lowerer) scan() {
	var within uint32
	for i := range l.nodes {
		n := &l.nodes[i]
		switch {
		case l.g.Kind(n) == kComment:
			text := bytes.TrimRight(l.src[n.Start:n.End], "\r")
			l.m.Comments = append(l.m.Comments, Comment{Span: l.between(n.Start, n.Start+uint32(len(text))),
				Text: string(bytes.TrimSpace(bytes.TrimLeft(text, "#"))), Own: l.own(n.Start)})
		case uint32(i) < within:
		case n.Flags&treesitter.Missing != 0:
			l.errorAt(l.between(n.Start, n.End), l.g.Text[n.Symbol]+" is missing")
		case n.Flags&treesitter.Error != 0:
			within = n.Next
			l.errorAt(l.between(l.broken(uint32(i)), n.End), "not valid Python")
		}
	}
}

// broken returns where reading broke off in an ERROR node. Such a node can hold the whole file: the statements before
// the place were read well.
func (l *lowerer) broken(i uint32) uint32 {
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		switch k := l.kind(c); {
		case k == kComment || statementKinds[k]:
		case k == kError:
			return l.broken(c)
		default:
			return l.nodes[c].Start
		}
	}
	return l.nodes[i].Start
}

// own reports whether only blanks lie between the start of the line and off.
func (l *lowerer) own(off uint32) bool {
	for off > 0 {
		switch l.src[off-1] {
		case ' ', '\t', '\f':
			off--
			continue
		case '\n', 0xbf: // the last byte of a byte order mark
			return true
		}
		return false
	}
	return true
}

func (l *lowerer) errorAt(s Span, message string) {
	l.m.Errors = append(l.m.Errors, SyntaxError{Span: s, Message: message})
}

func (l *lowerer) between(start, end uint32) Span {
	return Span{Start: l.pos.At(start), End: l.pos.At(end), Off: start, EndOff: end}
}

func (l *lowerer) span(i uint32) Span { return l.between(l.nodes[i].Start, l.nodes[i].End) }

func (l *lowerer) kind(i uint32) kind { return l.g.Kind(&l.nodes[i]) }

func (l *lowerer) text(i uint32) string { return l.names.get(l.src[l.nodes[i].Start:l.nodes[i].End]) }

// name returns the identifier i as Python sees it: two spellings with one NFKC form are one name, so that `x.ｉｔｅｍ()`
// is a call of item.
func (l *lowerer) name(i uint32) string {
	b := l.src[l.nodes[i].Start:l.nodes[i].End]
	if treesitter.ASCII(b) || !utf8.Valid(b) {
		return l.names.get(b)
	}
	return l.names.get(norm.NFKC.Bytes(b))
}

// none is no node: index 0 is the module, which is nobody's child.
const none = uint32(0)

// field returns the first child of i in field f, or none.
func (l *lowerer) field(i uint32, f uint8) uint32 {
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if l.nodes[c].Field == f && l.nodes[c].Flags&(treesitter.Extra|treesitter.Error) == 0 {
			return c
		}
	}
	return none
}

// child returns the first child of i of kind k, or none.
func (l *lowerer) child(i uint32, k kind) uint32 {
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if l.kind(c) == k {
			return c
		}
	}
	return none
}

// has reports whether i has a child of kind k.
func (l *lowerer) has(i uint32, k kind) bool { return l.child(i, k) != none }

// part reports whether c is an operand: named and no comment; ERROR nodes are operands too, they become Bad.
func (l *lowerer) part(c uint32) bool {
	return l.nodes[c].Flags&(treesitter.Named|treesitter.Extra) == treesitter.Named || l.nodes[c].Flags&treesitter.Error != 0
}

// parts returns the operands of i among its children. The result is valid until the caller lowers one of them only if
// it is small, so it is copied into the caller's array.
func (l *lowerer) parts(i uint32, into []uint32) []uint32 {
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if l.part(c) {
			into = append(into, c)
		}
	}
	return into
}

// operands returns the operands of a node of fixed shape, without the ERROR nodes that recovery left among them.
func (l *lowerer) operands(i uint32) (c [3]uint32, n int) {
	for k := i + 1; k < l.nodes[i].Next; k = l.nodes[k].Next {
		if l.nodes[k].Flags&(treesitter.Named|treesitter.Extra|treesitter.Error) == treesitter.Named && n < len(c) {
			c[n] = k
			n++
		}
	}
	return c, n
}

// exprs lowers every operand of i in order.
func (l *lowerer) exprs(i uint32) []Expr {
	n := 0
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if l.part(c) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	out := l.slabs.exprSlice(n)
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if l.part(c) {
			out = append(out, l.expr(c))
		}
	}
	return out
}

// exprIf lowers c when there is one.
func (l *lowerer) exprIf(c uint32) Expr {
	if c == none {
		return nil
	}
	return l.expr(c)
}

// exprOr lowers c, or makes a Bad at the end of i when recovery has lost the operand.
func (l *lowerer) exprOr(c, i uint32) Expr {
	if c == none {
		return &Bad{exprNode: exprNode{l.between(l.nodes[i].End, l.nodes[i].End)}}
	}
	return l.expr(c)
}

// enter counts one level of nesting and reports whether there is room for it. Every enter needs a leave.
func (l *lowerer) enter(i uint32) bool {
	l.depth++
	if l.depth <= l.max {
		return true
	}
	l.errorAt(l.span(i), "nested too deeply, not looked at")
	return false
}

func (l *lowerer) leave() { l.depth-- }
