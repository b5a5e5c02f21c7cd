package pyast

import "github.com/gatebot/gatebot/internal/treesitter"

func (l *lowerer) subscript(i uint32, at exprNode) Expr {
	f := &l.g.fields
	x := &Subscript{exprNode: at, X: l.exprOr(l.field(i, f.value), i)}
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		switch {
		case l.kind(c) == kTokComma:
			x.Tuple = true
		case l.nodes[c].Flags&treesitter.Error != 0, l.nodes[c].Field == f.subscript && l.part(c):
			e := l.expr(c)
			if _, ok := e.(*Starred); ok {
				x.Tuple = true // a[*b] has a tuple as its index
			}
			x.Index = append(x.Index, e)
		}
	}
	return x
}

func (l *lowerer) slice(i uint32, at exprNode) Expr {
	x := &Slice{exprNode: at}
	where := []*Expr{&x.Lo, &x.Hi, &x.Step}
	colons := 0
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		switch {
		case l.kind(c) == kTokColon:
			colons++
		case l.part(c) && colons < len(where):
			*where[colons] = l.expr(c)
		}
	}
	return x
}

// genericType is X[…] in an annotation, which the grammar has its own node for.
func (l *lowerer) genericType(i uint32, at exprNode) Expr {
	c, _ := l.operands(i)
	x := &Subscript{exprNode: at, X: l.exprOr(c[0], i)}
	if c[1] != none {
		x.Index = l.exprs(c[1])
		x.Tuple = l.has(c[1], kTokComma)
		for _, e := range x.Index {
			if _, ok := e.(*Starred); ok {
				x.Tuple = true
			}
		}
	}
	return x
}

func (l *lowerer) dict(i uint32, at exprNode) Expr {
	x := &Dict{exprNode: at}
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if !l.part(c) {
			continue
		}
		switch l.kind(c) {
		case kPair:
			x.Keys = append(x.Keys, l.exprOr(l.field(c, l.g.fields.key), c))
			x.Values = append(x.Values, l.exprOr(l.field(c, l.g.fields.value), c))
		case kDictionarySplat:
			x.Keys = append(x.Keys, nil)
			x.Values = append(x.Values, l.exprOr(l.lastPart(c), c))
		default:
			x.Keys = append(x.Keys, nil)
			x.Values = append(x.Values, l.expr(c))
		}
	}
	return x
}

func (l *lowerer) comp(i uint32, at exprNode, k CompKind) Expr {
	f := &l.g.fields
	x := &Comp{exprNode: at, Kind: k}
	body := l.field(i, f.body)
	if body != none && l.kind(body) == kPair {
		x.Elt, x.Value = l.exprOr(l.field(body, f.key), body), l.exprOr(l.field(body, f.value), body)
	} else {
		x.Elt = l.exprOr(body, i)
	}
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		switch l.kind(c) {
		case kForInClause:
			x.Clauses = append(x.Clauses, CompClause{Async: l.has(c, kTokAsync),
				Target: l.exprOr(l.field(c, f.left), c), Iter: l.iter(c)})
		case kIfClause:
			if n := len(x.Clauses); n > 0 {
				x.Clauses[n-1].Ifs = append(x.Clauses[n-1].Ifs, l.exprOr(l.lastPart(c), c))
			}
		}
	}
	return x
}

// iter lowers what a comprehension clause iterates over; Python 2 allowed a tuple without parentheses.
func (l *lowerer) iter(c uint32) Expr {
	var elts []Expr
	var first, last uint32
	for k := c + 1; k < l.nodes[c].Next; k = l.nodes[k].Next {
		if l.nodes[k].Field == l.g.fields.right && l.nodes[k].Flags&(treesitter.Named|treesitter.Extra) == treesitter.Named {
			if elts = append(elts, l.expr(k)); first == none {
				first = k
			}
			last = k
		}
	}
	switch len(elts) {
	case 0:
		return l.exprOr(none, c)
	case 1:
		return elts[0]
	}
	return &Tuple{exprNode: exprNode{l.between(l.nodes[first].Start, l.nodes[last].End)}, Elts: elts}
}

func (l *lowerer) walrus(i uint32, at exprNode) Expr {
	x := &Walrus{exprNode: at, Value: l.exprOr(l.field(i, l.g.fields.value), i)}
	c := l.field(i, l.g.fields.name)
	if c == none || l.kind(c) != kIdentifier {
		return &Bad{exprNode: at, Children: []Expr{x.Value}}
	}
	x.Target = l.ident(c)
	return x
}

// dotted lowers a.b.c, which patterns have as one node.
func (l *lowerer) dotted(i uint32) Expr {
	var x Expr
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		switch {
		case l.kind(c) != kIdentifier:
		case x == nil:
			x = l.ident(c)
		default:
			a := l.slabs.attrs.next()
			a.exprNode = exprNode{l.between(l.nodes[i].Start, l.nodes[c].End)}
			a.X, a.Name, a.NameSpan = x, l.name(c), l.span(c)
			x = a
		}
	}
	if x == nil {
		return &Bad{exprNode: exprNode{l.span(i)}}
	}
	return x
}

// dottedText is a.b.c as a text without blanks.
func (l *lowerer) dottedText(i uint32) string {
	first := i + 1
	if l.kind(i) == kIdentifier || first < l.nodes[i].Next && l.nodes[first].Next == l.nodes[i].Next {
		return l.name(i)
	}
	var b []byte
	for c := first; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if l.kind(c) == kIdentifier {
			if len(b) > 0 {
				b = append(b, '.')
			}
			b = append(b, l.name(c)...)
		}
	}
	return l.names.get(b)
}
