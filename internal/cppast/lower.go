package cppast

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/gatebot/gatebot/internal/treesitter"
)

// lowerer turns the flattened tree of one file, and of the macros in it, into the types of ast.go.
type lowerer struct {
	ctx    context.Context
	g      *grammar
	parser *treesitter.Parser
	lim    Limits
	until  time.Time
	file   *File
	pos    treesitter.Positions

	src    []byte // what nodes refer to: the file, or the text of one macro
	shift  int    // offset in the file minus offset in src
	nodes  []treesitter.Node
	depth  int
	scope  []string // namespaces and classes around
	class  int      // how many of scope, from the end, are classes
	guards []string
	macros []macro
}

type macro struct {
	name       string
	span       Span
	from, to   uint32
	parameters []Param
	guards     []string
}

// whole lowers the file and then its macros: the buffer of nodes holds one tree at a time.
func (l *lowerer) whole(src []byte) error {
	if err := l.parse(amend(src), 0); err != nil {
		return err
	}
	l.scan()
	l.outer(0)
	const prefix, suffix = "void f(){", ";\n}"
	for _, m := range l.macros {
		text := append(append([]byte(prefix), src[m.from:m.to]...), suffix...)
		if err := l.parse(text, int(m.from)-len(prefix)); err != nil {
			return err
		}
		l.guards = m.guards
		f := &Func{Span: m.span, Name: m.name, Short: m.name, Kind: FuncMacro, Params: m.parameters, Guards: m.guards}
		for c := uint32(1); c < l.nodes[0].Next; c = l.nodes[c].Next {
			if l.kind(c) == kFunctionDefinition {
				f.Body = append(f.Body, l.stmts(l.field(c, l.g.fields.body))...)
			}
		}
		l.file.Funcs = append(l.file.Funcs, f)
	}
	slices.SortStableFunc(l.file.Funcs, func(a, b *Func) int { return cmp.Compare(a.Off, b.Off) })
	slices.SortStableFunc(l.file.Errors, func(a, b SyntaxError) int { return cmp.Compare(a.Off, b.Off) })
	return nil
}

func (l *lowerer) parse(src []byte, shift int) error {
	nodes, err := l.parser.Parse(l.ctx, src, time.Until(l.until), l.lim.MaxMemory)
	l.src, l.shift, l.nodes = src, shift, nodes
	return err
}

// scan collects comments and errors. ERROR nodes can nest; only the outermost counts.
func (l *lowerer) scan() {
	var within uint32
	for i := range l.nodes {
		n := &l.nodes[i]
		switch {
		case l.g.Kind(n) == kComment:
			l.comment(n)
		case uint32(i) < within:
		case n.Flags&treesitter.Missing != 0 && n.Flags&treesitter.Named != 0:
			l.errorAt(l.between(n.Start, n.End), l.g.Text[n.Symbol]+" is missing")
		case n.Flags&treesitter.Error != 0:
			within = n.Next
			l.errorAt(l.between(n.Start, n.End), "not valid C++")
		}
	}
}

func (l *lowerer) comment(n *treesitter.Node) {
	text := strings.TrimRight(string(l.src[n.Start:n.End]), "\r\n")
	c := Comment{Span: l.between(n.Start, n.Start+uint32(len(text))), Own: l.own(n.Start)}
	if body, ok := strings.CutPrefix(text, "//"); ok {
		c.Text = strings.TrimSpace(strings.TrimLeft(body, "/!<"))
	} else {
		c.Text = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, "/*"), "*/"))
	}
	l.file.Comments = append(l.file.Comments, c)
}

// own reports whether only blanks lie between the start of the line and off.
func (l *lowerer) own(off uint32) bool {
	before := l.src[:off]
	if i := bytes.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i+1:]
	}
	return len(bytes.TrimSpace(bytes.TrimPrefix(before, []byte("\xef\xbb\xbf")))) == 0
}

func (l *lowerer) errorAt(s Span, message string) {
	l.file.Errors = append(l.file.Errors, SyntaxError{Span: s, Message: message})
}

// between is a span of the file. What was put around a macro lies outside of it and is cut off.
func (l *lowerer) between(start, end uint32) Span {
	clip := func(off uint32) uint32 {
		return uint32(min(max(int(off)+l.shift, 0), len(l.file.Source)))
	}
	s, e := clip(start), clip(end)
	return Span{Start: l.pos.At(s), End: l.pos.At(e), Off: s, EndOff: e}
}

func (l *lowerer) span(i uint32) Span { return l.between(l.nodes[i].Start, l.nodes[i].End) }

func (l *lowerer) kind(i uint32) kind { return l.g.Kind(&l.nodes[i]) }

func (l *lowerer) text(i uint32) string { return string(l.src[l.nodes[i].Start:l.nodes[i].End]) }

// none is no node: index 0 is the file, which is nobody's child.
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

// part reports whether c is an operand: named and no comment; ERROR nodes count, what is in them can matter.
func (l *lowerer) part(c uint32) bool {
	return l.nodes[c].Flags&treesitter.Error != 0 || l.nodes[c].Flags&(treesitter.Named|treesitter.Extra) == treesitter.Named
}

// enter counts one level of nesting and reports whether there is room for it. Every enter needs a leave.
func (l *lowerer) enter(i uint32) bool {
	l.depth++
	if l.depth <= l.lim.MaxDepth {
		return true
	}
	if l.depth == l.lim.MaxDepth+1 {
		l.errorAt(l.span(i), "nested too deeply, not looked at")
	}
	return false
}

func (l *lowerer) leave() { l.depth-- }
