package pyast

// block returns the first block among the children of i, lowered.
func (l *lowerer) block(i uint32) []Stmt {
	if c := l.child(i, kBlock); c != none {
		return l.stmts(c)
	}
	return nil
}

// until ends s where the last statement of the last block ends: the grammar's own end can take in comments that follow.
func until(s *Span, body []Stmt) {
	if len(body) > 0 {
		if e := body[len(body)-1].Pos(); e.EndOff > s.Off {
			s.End, s.EndOff = e.End, e.EndOff
		}
	}
}

func (l *lowerer) ifStmt(i uint32, at stmtNode) Stmt {
	f := &l.g.fields
	root := &If{stmtNode: at, Test: l.exprOr(l.field(i, f.condition), i), Body: l.block(i)}
	until(&root.Span, root.Body)
	last, levels := root, 0
	chain := []*If{root}
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		switch l.kind(c) {
		case kElifClause:
			l.depth++ // an elif nests in the else of the one before
			levels++
			if l.depth > l.max {
				l.errorAt(l.span(c), "nested too deeply, not looked at")
				last.Else = []Stmt{&BadStmt{stmtNode: stmtNode{l.between(l.nodes[c].Start, l.nodes[i].End)}}}
				c = l.lastChild(i)
				continue
			}
			next := &If{stmtNode: stmtNode{l.span(c)}, Test: l.exprOr(l.field(c, f.condition), c), Body: l.block(c)}
			until(&next.Span, next.Body)
			last.Else = []Stmt{next}
			last = next
			chain = append(chain, next)
		case kElseClause:
			last.Else = l.block(c)
		}
	}
	l.depth -= levels
	for k := len(chain) - 1; k >= 0; k-- {
		until(&chain[k].Span, chain[k].Else)
	}
	return root
}

// lastChild returns the last child of i, so that a loop over the children ends after it.
func (l *lowerer) lastChild(i uint32) uint32 {
	last := i
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		last = c
	}
	return last
}

func (l *lowerer) elseOf(i uint32) []Stmt {
	if c := l.child(i, kElseClause); c != none {
		return l.block(c)
	}
	return nil
}

func (l *lowerer) while(i uint32, at stmtNode) Stmt {
	x := &While{stmtNode: at, Test: l.exprOr(l.field(i, l.g.fields.condition), i), Body: l.block(i), Else: l.elseOf(i)}
	until(&x.Span, x.Body)
	until(&x.Span, x.Else)
	return x
}

func (l *lowerer) forStmt(i uint32, at stmtNode) Stmt {
	f := &l.g.fields
	x := &For{stmtNode: at, Async: l.has(i, kTokAsync), Target: l.exprOr(l.field(i, f.left), i),
		Iter: l.exprOr(l.field(i, f.right), i), Body: l.block(i), Else: l.elseOf(i)}
	until(&x.Span, x.Body)
	until(&x.Span, x.Else)
	return x
}

func (l *lowerer) with(i uint32, at stmtNode) Stmt {
	x := &With{stmtNode: at, Async: l.has(i, kTokAsync)}
	if clause := l.child(i, kWithClause); clause != none {
		var items []uint32
		for c := clause + 1; c < l.nodes[clause].Next; c = l.nodes[c].Next {
			if l.kind(c) == kWithItem {
				items = append(items, c)
			}
		}
		if len(items) == 1 {
			// `with (a, b):` and `with (a as b, c):` can come out as one item that is a tuple.
			if v, n := l.operands(items[0]); n == 1 && l.kind(v[0]) == kTuple {
				items = l.parts(v[0], items[:0])
			}
		}
		for _, c := range items {
			x.Items = append(x.Items, l.withItem(c))
		}
	}
	x.Body = l.block(i)
	until(&x.Span, x.Body)
	return x
}

func (l *lowerer) withItem(i uint32) WithItem {
	i = l.unwrap(i)
	if l.kind(i) != kAsPattern {
		return WithItem{X: l.expr(i)}
	}
	x, as := l.as(i)
	return WithItem{X: l.exprOr(x, i), As: l.exprIf(as)}
}

// as returns the two sides of X as Y; the right one may be missing.
func (l *lowerer) as(i uint32) (x, as uint32) {
	c, n := l.operands(i)
	if n > 1 {
		as = c[1]
	}
	return c[0], as
}

func (l *lowerer) try(i uint32, at stmtNode) Stmt {
	x := &Try{stmtNode: at, Body: l.block(i)}
	until(&x.Span, x.Body)
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		switch l.kind(c) {
		case kExceptClause, kExceptGroupClause:
			h := l.handler(c)
			x.Handlers = append(x.Handlers, h)
			x.End, x.EndOff = h.End, h.EndOff
		case kElseClause:
			x.Else = l.block(c)
			until(&x.Span, x.Else)
		case kFinallyClause:
			x.Final = l.block(c)
			until(&x.Span, x.Final)
		}
	}
	return x
}

func (l *lowerer) handler(i uint32) Handler {
	h := Handler{Span: l.span(i)}
	var types []uint32
	name := none
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if !l.part(c) || l.kind(c) == kBlock {
			continue
		}
		switch {
		case l.kind(c) == kAsPattern:
			t, as := l.as(c)
			types, name = append(types, t), as
		case l.nodes[c].Field == l.g.fields.alias && l.has(i, kTokAs):
			name = c
		default:
			types = append(types, c)
		}
	}
	switch len(types) {
	case 0:
	case 1:
		h.Type = l.expr(types[0])
	default: // except A, B: the tuple of Python 3.14
		h.Type = &Tuple{exprNode: exprNode{l.between(l.nodes[types[0]].Start, l.nodes[types[len(types)-1]].End)}}
		for _, c := range types {
			h.Type.(*Tuple).Elts = append(h.Type.(*Tuple).Elts, l.expr(c))
		}
	}
	if name != none {
		h.Name = l.name(l.unwrap(name))
	}
	h.Body = l.block(i)
	until(&h.Span, h.Body)
	return h
}

func (l *lowerer) function(i uint32, at stmtNode, decorators []Expr) Stmt {
	f := &l.g.fields
	x := &FuncDef{stmtNode: at, Decorators: decorators, Async: l.has(i, kTokAsync)}
	if c := l.field(i, f.name); c != none {
		x.Name, x.NameSpan = l.name(c), l.span(c)
	}
	x.TypeParams = l.typeParams(l.child(i, kTypeParameter))
	if c := l.field(i, f.parameters); c != none {
		x.Params = l.params(c)
	}
	x.Returns = l.exprIf(l.field(i, f.returnType))
	if !l.outline {
		x.Body = l.block(i)
		until(&x.Span, x.Body)
	}
	return x
}

func (l *lowerer) class(i uint32, at stmtNode, decorators []Expr) Stmt {
	f := &l.g.fields
	x := &ClassDef{stmtNode: at, Decorators: decorators}
	if c := l.field(i, f.name); c != none {
		x.Name, x.NameSpan = l.name(c), l.span(c)
	}
	x.TypeParams = l.typeParams(l.child(i, kTypeParameter))
	x.Bases = l.args(l.field(i, f.superclasses))
	x.Body = l.block(i)
	until(&x.Span, x.Body)
	return x
}

func (l *lowerer) decorated(i uint32, at stmtNode) Stmt {
	var decorators []Expr
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		switch l.kind(c) {
		case kDecorator:
			decorators = append(decorators, l.exprOr(l.lastPart(c), c))
		case kFunctionDefinition:
			return l.function(c, stmtNode{l.span(c)}, decorators)
		case kClassDefinition:
			return l.class(c, stmtNode{l.span(c)}, decorators)
		}
	}
	return &BadStmt{stmtNode: at, Children: decorators}
}
