package pyast

// The grammar reads two things other than Python does; both are put right on the lowered tree.

// hoist turns (*a).b, (*a)(b), (*a)[b] and (*a) + b, as the grammar reads them inside displays and subscripts, into
// what they mean: *(a.b) and so on.
func hoist(x Expr) Expr {
	var first *Expr
	var at *Span
	switch x := x.(type) {
	case *Attr:
		first, at = &x.X, &x.Span
	case *Call:
		first, at = &x.Func, &x.Span
	case *Subscript:
		first, at = &x.X, &x.Span
	case *Binary:
		first, at = &x.L, &x.Span
	default:
		return x
	}
	s, ok := (*first).(*Starred)
	if !ok || s.Off != at.Off || s.Double {
		return x
	}
	s.End, s.EndOff = at.End, at.EndOff
	*first = s.X
	at.Start, at.Off = s.X.Pos().Start, s.X.Pos().Off
	s.X = x
	return s
}

// and gives `&` its place above `^`, which the grammar has the wrong way round. x is L & R; an operand that reaches the
// edge of x stands without parentheses.
func and(x *Binary) Expr {
	if r, ok := x.R.(*Binary); ok && r.Op == "^" && r.EndOff == x.EndOff {
		root, off := r, r.Off
		for {
			r.Start, r.Off = x.Start, x.Off
			next, ok := r.L.(*Binary)
			if !ok || next.Op != "^" || next.Off != off {
				break
			}
			r = next
		}
		x.R = r.L
		x.End, x.EndOff = r.L.Pos().End, r.L.Pos().EndOff
		r.L = and(x)
		return root
	}
	if l, ok := x.L.(*Binary); ok && l.Op == "^" && l.Off == x.Off {
		l.End, l.EndOff = x.End, x.EndOff
		x.Start, x.Off = l.R.Pos().Start, l.R.Pos().Off
		x.L, l.R = l.R, x
		return l
	}
	return x
}
