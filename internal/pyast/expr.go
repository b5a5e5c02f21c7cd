package pyast

import "github.com/gatebot/gatebot/internal/treesitter"

// expr lowers the node i to an expression. What is no expression becomes Bad.
func (l *lowerer) expr(i uint32) Expr {
	i = l.unwrap(i)
	if !l.enter(i) {
		l.leave()
		return &Bad{exprNode: exprNode{l.span(i)}}
	}
	x := hoist(l.exprAt(i))
	l.leave()
	return x
}

// unwrap steps through what has no meaning of its own: parentheses, annotations, the target of `as`. It is a loop since
// parentheses can nest by the hundred thousand.
func (l *lowerer) unwrap(i uint32) uint32 {
	for {
		switch l.kind(i) {
		case kParenthesizedExpression, kParenthesizedListSplat, kType, kAsPatternTarget, kWithItem, kCasePattern:
		case kTuplePattern: // (a) = b
			if l.has(i, kTokComma) {
				return i
			}
		default:
			return i
		}
		c, n := l.operands(i)
		if n == 0 {
			return i
		}
		i = c[0]
	}
}

func (l *lowerer) exprAt(i uint32) Expr {
	n := &l.nodes[i]
	if n.Flags&treesitter.Missing != 0 {
		return &Bad{exprNode: exprNode{l.span(i)}}
	}
	at := exprNode{l.span(i)}
	f := &l.g.fields
	switch l.kind(i) {
	case kIdentifier:
		return l.ident(i)
	case kAttribute:
		x := l.slabs.attrs.next()
		x.exprNode, x.X = at, l.exprOr(l.field(i, f.object), i)
		if c := l.lastPart(i); c != none && l.kind(c) == kIdentifier {
			x.Name, x.NameSpan = l.name(c), l.span(c)
		}
		return x
	case kCall:
		x := l.slabs.calls.next()
		x.exprNode, x.Func = at, l.exprOr(l.field(i, f.function), i)
		x.Args = l.args(l.field(i, f.arguments))
		return x
	case kSubscript:
		return l.subscript(i, at)
	case kSlice:
		return l.slice(i, at)
	case kInteger, kFloat:
		return l.number(i, at)
	case kString, kConcatenatedString:
		return l.str(i, at)
	case kTrue:
		return l.constant(at, ConstTrue, "True")
	case kFalse:
		return l.constant(at, ConstFalse, "False")
	case kNone:
		return l.constant(at, ConstNone, "None")
	case kEllipsis:
		return l.constant(at, ConstEllipsis, "...")
	case kBinaryOperator:
		x := &Binary{exprNode: at, Op: l.op(i), L: l.exprOr(l.field(i, f.left), i), R: l.exprOr(l.field(i, f.right), i)}
		if x.Op == "&" {
			return and(x)
		}
		return x
	case kUnionType:
		c, _ := l.operands(i)
		return &Binary{exprNode: at, Op: "|", L: l.exprOr(c[0], i), R: l.exprOr(c[1], i)}
	case kUnaryOperator:
		return &Unary{exprNode: at, Op: l.op(i), X: l.exprOr(l.lastPart(i), i)}
	case kNotOperator:
		return &Unary{exprNode: at, Op: "not", X: l.exprOr(l.lastPart(i), i)}
	case kBooleanOperator:
		return &Bool{exprNode: at, Op: l.op(i), L: l.exprOr(l.field(i, f.left), i), R: l.exprOr(l.field(i, f.right), i)}
	case kComparisonOperator:
		return l.compare(i, at)
	case kConditionalExpression:
		c, _ := l.operands(i)
		return &IfExp{exprNode: at, Then: l.exprOr(c[0], i), Test: l.exprOr(c[1], i), Else: l.exprOr(c[2], i)}
	case kLambda:
		x := &Lambda{exprNode: at, Body: l.exprOr(l.field(i, f.body), i)}
		if p := l.field(i, f.parameters); p != none {
			x.Params = l.params(p)
		}
		return x
	case kTuple, kTuplePattern, kExpressionList, kPatternList:
		return &Tuple{exprNode: at, Elts: l.exprs(i)}
	case kList, kListPattern:
		return &List{exprNode: at, Elts: l.exprs(i)}
	case kSet:
		return &Set{exprNode: at, Elts: l.exprs(i)}
	case kDictionary:
		return l.dict(i, at)
	case kListComprehension:
		return l.comp(i, at, CompList)
	case kSetComprehension:
		return l.comp(i, at, CompSet)
	case kDictionaryComprehension:
		return l.comp(i, at, CompDict)
	case kGeneratorExpression:
		return l.comp(i, at, CompGenerator)
	case kNamedExpression:
		return l.walrus(i, at)
	case kListSplat, kListSplatPattern:
		return &Starred{exprNode: at, X: l.exprOr(l.lastPart(i), i)}
	case kDictionarySplat, kDictionarySplatPattern:
		return &Starred{exprNode: at, X: l.exprOr(l.lastPart(i), i), Double: true}
	case kSplatType:
		return &Starred{exprNode: at, X: l.exprOr(l.lastPart(i), i), Double: l.has(i, kTokStarStar)}
	case kAwait:
		return &Await{exprNode: at, X: l.exprOr(l.lastPart(i), i)}
	case kYield:
		x := &Yield{exprNode: at, From: l.has(i, kTokFrom), X: l.exprIf(l.lastPart(i))}
		return x
	case kGenericType:
		return l.genericType(i, at)
	case kMemberType:
		x := &Attr{exprNode: at}
		c, n := l.operands(i)
		x.X = l.exprOr(c[0], i)
		if n > 1 {
			x.Name, x.NameSpan = l.name(c[1]), l.span(c[1])
		}
		return x
	case kConstrainedType:
		c, _ := l.operands(i)
		return l.exprOr(c[0], i)
	case kDottedName:
		return l.dotted(i)
	case kTypeConversion, kFormatSpecifier, kStringContent, kStringStart, kStringEnd:
		return &Bad{exprNode: at}
	}
	return &Bad{exprNode: at, Children: l.salvage(i)}
}

// salvage lowers what can be read below a node that cannot.
func (l *lowerer) salvage(i uint32) []Expr {
	var out []Expr
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if !l.part(c) {
			continue
		}
		switch l.kind(c) {
		case kStringStart, kStringContent, kStringEnd, kTypeConversion, kKeywordSeparator, kPositionalSeparator:
			continue
		}
		out = append(out, l.expr(c))
	}
	return out
}

func (l *lowerer) ident(i uint32) *Name {
	x := l.slabs.names.next()
	x.exprNode, x.ID = exprNode{l.span(i)}, l.name(i)
	return x
}

func (l *lowerer) constant(at exprNode, k ConstKind, text string) *Const {
	x := l.slabs.consts.next()
	x.exprNode, x.Kind, x.Text = at, k, text
	return x
}

func (l *lowerer) number(i uint32, at exprNode) Expr {
	n := &l.nodes[i]
	k := ConstInt
	if l.kind(i) == kFloat {
		k = ConstFloat
	}
	hex := n.End-n.Start > 1 && l.src[n.Start] == '0' && l.src[n.Start+1]|0x20 == 'x'
	if c := l.src[n.End-1] | 0x20; c == 'j' && !hex {
		k = ConstComplex
	}
	return l.constant(at, k, l.text(i))
}

// op returns the text of the operator of i.
func (l *lowerer) op(i uint32) string {
	if c := l.field(i, l.g.fields.operator); c != none {
		return l.g.Text[l.nodes[c].Symbol]
	}
	return ""
}

// lastPart returns the last operand of i, or none.
func (l *lowerer) lastPart(i uint32) uint32 {
	last := none
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if l.nodes[c].Flags&(treesitter.Named|treesitter.Extra|treesitter.Error) == treesitter.Named {
			last = c
		}
	}
	return last
}

func (l *lowerer) compare(i uint32, at exprNode) Expr {
	x := &Compare{exprNode: at}
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		n := &l.nodes[c]
		switch {
		case n.Flags&(treesitter.Extra|treesitter.Error) != 0:
		case n.Flags&treesitter.Named == 0:
			op := l.g.Text[n.Symbol]
			if op == "<>" { // Python 2
				op = "!="
			}
			x.Ops = append(x.Ops, op)
		case x.First == nil:
			x.First = l.expr(c)
		default:
			x.Rest = append(x.Rest, l.expr(c))
		}
	}
	if x.First == nil || len(x.Rest) != len(x.Ops) {
		return &Bad{exprNode: at, Children: append(x.Rest, l.exprOr(none, i))}
	}
	return x
}

// args lowers the arguments of a call or the bases of a class; c is an argument_list, a lone generator, or none.
func (l *lowerer) args(c uint32) []Arg {
	if c == none {
		return nil
	}
	if l.kind(c) == kGeneratorExpression {
		out := l.slabs.argSlice(1)
		return append(out, Arg{Span: l.span(c), Value: l.expr(c)})
	}
	n := 0
	for k := c + 1; k < l.nodes[c].Next; k = l.nodes[k].Next {
		if l.part(k) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	out := l.slabs.argSlice(n)
	for k := c + 1; k < l.nodes[c].Next; k = l.nodes[k].Next {
		if l.part(k) {
			out = append(out, l.arg(k))
		}
	}
	return out
}

func (l *lowerer) arg(i uint32) Arg {
	a := Arg{Span: l.span(i)}
	switch l.kind(i) {
	case kKeywordArgument:
		if c := l.field(i, l.g.fields.name); c != none {
			a.Name = l.name(c)
		}
		a.Value = l.exprOr(l.field(i, l.g.fields.value), i)
	case kListSplat, kListSplatPattern:
		a.Star, a.Value = 1, l.exprOr(l.lastPart(i), i)
	case kDictionarySplat, kDictionarySplatPattern:
		a.Star, a.Value = 2, l.exprOr(l.lastPart(i), i)
	default:
		a.Value = l.expr(i)
	}
	return a
}
