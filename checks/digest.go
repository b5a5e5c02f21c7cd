package checks

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"slices"

	"github.com/gatebot/gatebot/internal/pyast"
)

// digest stands for a piece of source or for what follows from it. What is reused depends on it, and the source may be
// that of somebody who wants the gate to reuse the wrong thing: half of a SHA-256 cannot be made to collide.
type digest [16]byte

func digestOf(parts ...[]byte) digest {
	h := sha256.New()
	for _, p := range parts {
		_, _ = h.Write(p) // a hash never fails
	}
	return sumOf(h)
}

func sumOf(h hash.Hash) (d digest) {
	var buf [sha256.Size]byte
	copy(d[:], h.Sum(buf[:0]))
	return d
}

// nth counts what has the same qualified name.
func (ix *indexer) nth(name string) int {
	n := ix.same[name]
	ix.same[name]++
	return n
}

// lineEnd is where the line that holds off ends: a comment behind a statement can say where a value is.
func lineEnd(src []byte, off uint32) uint32 {
	if i := bytes.IndexByte(src[off:], '\n'); i >= 0 {
		return off + uint32(i)
	}
	return uint32(len(src))
}

// extent is the text of a definition with its decorators.
func (ix *indexer) extent(n *pyast.FuncDef) (from, end uint32) {
	from = n.Off
	for _, d := range n.Decorators {
		from = min(from, d.Pos().Off)
	}
	return from, lineEnd(ix.tree.Source, n.EndOff)
}

// defines adds a statement to the digest of the variable that it assigns to.
func (ix *indexer) defines(t pyast.Expr, s pyast.Node) {
	name, ok := t.(*pyast.Name)
	if !ok {
		return
	}
	if ix.m.values == nil {
		ix.m.values = map[string]digest{}
	}
	old := ix.m.values[name.ID]
	ix.m.values[name.ID] = digestOf(old[:], []byte(ix.tree.Text(s)))
}

// classBody adds the statements of a class to the digests of its variables. What stands behind a declaration counts.
func (ix *indexer) classBody(c *Class, n *pyast.ClassDef) {
	for _, s := range n.Body {
		var targets []pyast.Expr
		switch s := s.(type) {
		case *pyast.Assign:
			targets = s.Targets
		case *pyast.AnnAssign:
			targets = []pyast.Expr{s.Target}
		}
		for _, t := range targets {
			name, ok := t.(*pyast.Name)
			if !ok {
				continue
			}
			if c.body == nil {
				c.body = map[string]digest{}
			}
			old, p := c.body[name.ID], s.Pos()
			c.body[name.ID] = digestOf(old[:], ix.tree.Source[p.Off:lineEnd(ix.tree.Source, p.EndOff)])
		}
	}
}

// finishPlaces finds the outermost functions and what their text is.
func (m *module) finishPlaces(src []byte) {
	var top *Func
	for _, f := range m.all {
		if top == nil || f.from >= top.end {
			top = f
			m.tops = append(m.tops, f)
		}
		f.top = top
		top.end = max(top.end, f.end) // more only in a file that is not Python
	}
	for _, f := range m.tops {
		column := int(f.from) - 1 - bytes.LastIndexByte(src[:f.from], '\n')
		f.sum = digestOf(src[f.from:f.end], fmt.Appendf(nil, "\x00%d", column))
	}
}

// topAt is the outermost function whose text holds the byte at off; nil outside of any.
func (m *module) topAt(off uint32) *Func {
	i, found := slices.BinarySearchFunc(m.tops, off, func(f *Func, off uint32) int {
		switch {
		case off < f.from:
			return 1
		case off >= f.end:
			return -1
		}
		return 0
	})
	if !found {
		return nil
	}
	return m.tops[i]
}
