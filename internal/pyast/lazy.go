package pyast

import (
	"fmt"
	"slices"
	"sync"

	"github.com/gatebot/gatebot/internal/treesitter"
)

// Tree is an unpacked file of which only what is asked for is lowered: an analysis that looks at some functions of a
// file pays for those. What it gives is equal to the same part of the module that Parse gives. It may be used from
// several goroutines.
type Tree struct {
	src   []byte
	path  string
	depth int
	nodes []treesitter.Node
	pos   treesitter.Positions
	mu    sync.Mutex
	slabs slabs // what lowering has begun: the next piece of the same file goes on there
}

// room gives the slabs to one that lowers; another one beside it begins its own.
func (t *Tree) room() slabs {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.slabs
	t.slabs = slabs{}
	return s
}

func (t *Tree) back(s slabs) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.slabs = s
}

// Open unpacks a tree. Damage is an error; that src is another file than the one that was parsed cannot be told.
func Open(path string, src, packed []byte, lim Limits) (*Tree, error) {
	nodes, err := treesitter.Unpack(packed, len(src), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(nodes) == 0 {
		return nil, fmt.Errorf("%s: the packed tree is empty (parse it again)", path)
	}
	t := &Tree{src: src, path: path, depth: lim.MaxDepth, nodes: nodes}
	t.pos.Reset(src)
	return t, nil
}

// Nodes is the size of the tree, for caches: 16 bytes each.
func (t *Tree) Nodes() int { return len(t.nodes) }

// Outline is the module without the bodies of its functions, and without comments and errors.
func (t *Tree) Outline() (*Module, error) {
	return t.lowered(func(l *lowerer) *Module {
		l.m.Body = l.stmts(0)
		return l.m
	})
}

// Func is the function whose FuncDef starts at byte off, nil when there is none.
func (t *Tree) Func(off uint32) (f *FuncDef, err error) {
	_, err = t.lowered(func(l *lowerer) *Module {
		if i, ok := l.find(off, kFunctionDefinition); ok {
			l.outline = false
			f, _ = l.definition(i).(*FuncDef)
		}
		return nil
	})
	return f, err
}

// Class is the class whose ClassDef starts at byte off, without the bodies of its methods; nil when there is none.
func (t *Tree) Class(off uint32) (c *ClassDef, err error) {
	_, err = t.lowered(func(l *lowerer) *Module {
		if i, ok := l.find(off, kClassDefinition); ok {
			c, _ = l.definition(i).(*ClassDef)
		}
		return nil
	})
	return c, err
}

// Lambda is the lambda that starts at byte off, nil when there is none.
func (t *Tree) Lambda(off uint32) (x *Lambda, err error) {
	_, err = t.lowered(func(l *lowerer) *Module {
		if i, ok := l.find(off, kLambda); ok {
			l.outline = false
			x, _ = l.expr(i).(*Lambda)
		}
		return nil
	})
	return x, err
}

// lowered runs f with a lowerer that leaves out the bodies of functions.
func (t *Tree) lowered(f func(l *lowerer) *Module) (m *Module, err error) {
	w, err := acquire()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.path, err)
	}
	defer w.release()
	// The lowering trusts the grammar. A well-formed tree that no grammar has made is found out by what it breaks.
	defer func() {
		if r := recover(); r != nil {
			m, err = nil, fmt.Errorf("%s: the packed tree is none of this grammar: %v (parse it again)", t.path, r)
		}
	}()
	l := &w.lowerer
	own := l.pos
	defer func() { l.pos, l.outline = own, false }()
	l.pos = t.pos
	l.outline = true
	l.slabs = t.room()
	defer func() { t.back(l.slabs) }()
	l.start(t.path, t.src, t.nodes, w.grammar, t.depth)
	return f(l), nil
}

// find is the node of kind k that starts at off.
func (l *lowerer) find(off uint32, k kind) (uint32, bool) {
	i, _ := slices.BinarySearchFunc(l.nodes, off, func(n treesitter.Node, off uint32) int {
		return int(int64(n.Start) - int64(off))
	})
	for ; i < len(l.nodes) && l.nodes[i].Start == off; i++ {
		if l.kind(uint32(i)) == k {
			return uint32(i), true
		}
	}
	return 0, false
}

// parent is the node that i is a child of: down from the root, since siblings can be passed over and what is in them not.
func (l *lowerer) parent(i uint32) uint32 {
	p := uint32(0)
	for c := p + 1; c < i; {
		if l.nodes[c].Next <= i {
			c = l.nodes[c].Next
			continue
		}
		p, c = c, c+1
	}
	return p
}

// definition lowers a function or class with the decorators around it.
func (l *lowerer) definition(i uint32) Stmt {
	if p := l.parent(i); l.kind(p) == kDecoratedDefinition {
		return l.decorated(p, stmtNode{l.span(p)})
	}
	if l.kind(i) == kClassDefinition {
		return l.class(i, stmtNode{l.span(i)}, nil)
	}
	return l.function(i, stmtNode{l.span(i)}, nil)
}
