package pyast

// params lowers the parameters of a function or a lambda.
func (l *lowerer) params(i uint32) []Param {
	var out []Param
	keywordOnly := false
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if !l.part(c) {
			continue
		}
		switch l.kind(c) {
		case kKeywordSeparator:
			keywordOnly = true
			continue
		case kPositionalSeparator:
			continue
		}
		p := l.param(c)
		if p.Star == 0 {
			p.KeywordOnly = keywordOnly
		}
		if p.Star == 1 {
			keywordOnly = true
		}
		out = append(out, p)
	}
	return out
}

func (l *lowerer) param(i uint32) Param {
	f := &l.g.fields
	p := Param{Span: l.span(i)}
	switch l.kind(i) {
	case kIdentifier:
		p.Name = l.name(i)
	case kDefaultParameter, kTypedDefaultParameter:
		if c := l.field(i, f.name); c != none {
			p.Name = l.name(c)
		}
		p.Annotation = l.exprIf(l.field(i, f.typ))
		p.Default = l.exprOr(l.field(i, f.value), i)
	case kTypedParameter:
		if c, n := l.operands(i); n > 0 {
			p = l.param(c[0])
			p.Span = l.span(i)
		}
		p.Annotation = l.exprIf(l.field(i, f.typ))
	case kListSplatPattern, kListSplat:
		p.Star, p.Name = 1, l.splatName(i)
	case kDictionarySplatPattern, kDictionarySplat:
		p.Star, p.Name = 2, l.splatName(i)
	default: // a tuple of Python 2, or an error: a parameter without a name
		p.Default = nil
	}
	return p
}

func (l *lowerer) splatName(i uint32) string {
	if c := l.lastPart(i); c != none {
		return l.name(c)
	}
	return ""
}

// typeParams lowers the [T: bound, *Ts, **P] of a function or class.
func (l *lowerer) typeParams(i uint32) []Param {
	if i == none {
		return nil
	}
	var out []Param
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if !l.part(c) {
			continue
		}
		p := Param{Span: l.span(c)}
		k := c
		if inner, n := l.operands(c); l.kind(c) == kType && n > 0 && l.kind(inner[0]) == kConstrainedType {
			if parts, n := l.operands(inner[0]); n == 2 {
				k = parts[0]
				p.Annotation = l.expr(parts[1])
			}
		}
		switch x := l.expr(k).(type) {
		case *Name:
			p.Name = x.ID
		case *Starred:
			p.Star = 1
			if x.Double {
				p.Star = 2
			}
			if n, ok := x.X.(*Name); ok {
				p.Name = n.ID
			}
		}
		out = append(out, p)
	}
	return out
}
