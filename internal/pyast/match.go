package pyast

func (l *lowerer) match(i uint32, at stmtNode) Stmt {
	x := &Match{stmtNode: at, Subject: l.subject(i)}
	if body := l.child(i, kBlock); body != none {
		for c := body + 1; c < l.nodes[body].Next; c = l.nodes[c].Next {
			if l.kind(c) == kCaseClause {
				k := l.caseClause(c)
				x.Cases = append(x.Cases, k)
				x.End, x.EndOff = k.End, k.EndOff
			}
		}
	}
	return x
}

// subject lowers what match looks at: several expressions, or one with a comma, are a tuple.
func (l *lowerer) subject(i uint32) Expr {
	var subjects []uint32
	comma := false
	end := uint32(0)
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		switch {
		case l.nodes[c].Field == l.g.fields.subject && l.part(c):
			subjects = append(subjects, c)
			end = l.nodes[c].End
		case l.kind(c) == kTokComma:
			comma = true
			end = l.nodes[c].End
		}
	}
	switch {
	case len(subjects) == 0:
		return l.exprOr(none, i)
	case len(subjects) == 1 && !comma:
		return l.expr(subjects[0])
	}
	t := &Tuple{exprNode: exprNode{l.between(l.nodes[subjects[0]].Start, end)}}
	for _, c := range subjects {
		t.Elts = append(t.Elts, l.expr(c))
	}
	return t
}

func (l *lowerer) caseClause(i uint32) Case {
	k := Case{Span: l.span(i)}
	patterns, comma := 0, false
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		switch l.kind(c) {
		case kTokComma:
			comma = true
		case kCasePattern:
			patterns++
			l.pattern(c, &k)
			k.Irrefutable = l.irrefutable(c)
		case kIfClause:
			k.Guard = l.exprOr(l.lastPart(c), c)
		}
	}
	if comma || patterns != 1 {
		k.Irrefutable = false
	}
	k.Body = l.block(i)
	until(&k.Span, k.Body)
	return k
}

// irrefutable reports whether a pattern is `_`, a name, or one of these `as` a name, in parentheses or not.
func (l *lowerer) irrefutable(i uint32) bool {
	switch l.kind(i) {
	case kTokUnderscore, kIdentifier:
		return true
	case kDottedName:
		return l.nodes[i+1].Next == l.nodes[i].Next
	case kTuplePattern:
		if l.has(i, kTokComma) {
			return false
		}
	case kCasePattern, kAsPattern:
	default:
		return false
	}
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if l.part(c) || l.kind(c) == kTokUnderscore {
			return l.irrefutable(c)
		}
	}
	return false
}

// pattern adds to k what the pattern binds and compares with.
func (l *lowerer) pattern(i uint32, k *Case) {
	if !l.enter(i) {
		l.leave()
		k.Values = append(k.Values, &Bad{exprNode: exprNode{l.span(i)}})
		return
	}
	defer l.leave()
	switch l.kind(i) {
	case kIdentifier:
		l.bind(i, k)
	case kDottedName:
		if l.nodes[i+1].Next == l.nodes[i].Next {
			l.bind(i, k)
			return
		}
		k.Values = append(k.Values, l.expr(i))
	case kString, kConcatenatedString, kTrue, kFalse, kNone, kInteger, kFloat, kError:
		k.Values = append(k.Values, l.expr(i))
	case kComplexPattern:
		k.Values = append(k.Values, l.complex(i))
	case kSplatPattern:
		if c := l.lastPart(i); c != none {
			l.bind(c, k)
		}
	case kAsPattern:
		x, as := l.as(i)
		if x != none {
			l.pattern(x, k)
		}
		if as != none {
			l.bind(as, k)
		}
	case kKeywordPattern:
		if c := l.child(i, kIdentifier); c != none {
			l.patterns(i, c, k)
		}
	case kClassPattern:
		c := l.child(i, kDottedName)
		if c != none {
			k.Classes = append(k.Classes, l.expr(c))
		}
		l.patterns(i, c, k)
	default: // sequence, group, mapping, union, case_pattern
		l.patterns(i, none, k)
	}
}

// patterns goes through the children of a pattern, leaving out one of them. A minus stands before its number.
func (l *lowerer) patterns(i, without uint32, k *Case) {
	minus := none
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		switch {
		case c == without:
		case l.kind(c) == kTokMinus:
			minus = c
		case !l.part(c):
		case minus != none:
			k.Values = append(k.Values, l.minus(minus, c))
			minus = none
		default:
			l.pattern(c, k)
		}
	}
}

func (l *lowerer) minus(sign, number uint32) Expr {
	return &Unary{exprNode: exprNode{l.between(l.nodes[sign].Start, l.nodes[number].End)}, Op: "-", X: l.expr(number)}
}

// complex lowers -1+2j.
func (l *lowerer) complex(i uint32) Expr {
	x := &Binary{exprNode: exprNode{l.span(i)}}
	minus := none
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		switch {
		case l.part(c) && x.L == nil && minus != none:
			x.L = l.minus(minus, c)
		case l.part(c) && x.L == nil:
			x.L = l.expr(c)
		case l.part(c):
			x.R = l.expr(c)
		case l.kind(c) == kTokMinus && x.L == nil:
			minus = c
		case l.kind(c) == kTokMinus, l.kind(c) == kTokPlus:
			x.Op = l.g.Text[l.nodes[c].Symbol]
		}
	}
	if x.L == nil || x.R == nil {
		return &Bad{exprNode: x.exprNode}
	}
	return x
}

func (l *lowerer) bind(i uint32, k *Case) {
	if name := l.dottedText(i); name != "" && name != "_" {
		k.Binds = append(k.Binds, name)
	}
}
