package cppast

import (
	"strings"

	"github.com/gatebot/gatebot/internal/treesitter"
)

// expr lowers the node i to an expression. What is not known becomes Other.
func (l *lowerer) expr(i uint32) Expr {
	for l.kind(i) == kParenthesized {
		c := l.firstPart(i)
		if c == none {
			break
		}
		i = c
	}
	if !l.enter(i) {
		l.leave()
		return &Other{exprNode: exprNode{l.span(i)}}
	}
	x := l.exprAt(i)
	l.leave()
	return x
}

func (l *lowerer) exprAt(i uint32) Expr {
	at := exprNode{l.span(i)}
	f := &l.g.fields
	switch l.kind(i) {
	case kIdentifier, kQualified, kTemplateName, kDependentName:
		x := &Name{exprNode: at}
		x.ID, x.Targs = l.named(i, 0)
		return x
	case kField:
		x := &Member{exprNode: at, X: l.exprOr(l.field(i, f.argument), i)}
		x.Name, x.Targs = l.named(l.field(i, f.field), 0)
		return x
	case kCall:
		return l.call(i, at)
	case kSubscript:
		x := &Index{exprNode: at, X: l.exprOr(l.field(i, f.argument), i)}
		if c := l.field(i, f.indices); c != none {
			x.Args = l.exprs(c)
		}
		return x
	case kUnary, kPointerExpr, kUpdate:
		return &Unary{exprNode: at, Op: l.op(i), X: l.exprOr(l.field(i, f.argument), i)}
	case kBinary:
		return &Binary{exprNode: at, Op: l.op(i), L: l.exprOr(l.field(i, f.left), i), R: l.exprOr(l.field(i, f.right), i)}
	case kAssignment:
		return &Assign{exprNode: at, Op: l.op(i), L: l.exprOr(l.field(i, f.left), i), R: l.exprOr(l.field(i, f.right), i)}
	case kConditional:
		return &Cond{exprNode: at, Test: l.exprOr(l.field(i, f.condition), i), Then: l.exprOr(l.field(i, f.consequence), i),
			Else: l.exprOr(l.field(i, f.alternative), i)}
	case kCast:
		return &Cast{exprNode: at, Type: l.typeText(l.field(i, f.typ)), X: l.exprOr(l.field(i, f.value), i)}
	case kNew:
		x := &New{exprNode: at, Type: l.typeText(l.field(i, f.typ))}
		if c := l.field(i, f.arguments); c != none {
			x.Args = l.exprs(c)
		}
		return x
	case kCompoundLiteral:
		x := &Init{exprNode: at, Type: l.typeText(l.field(i, f.typ))}
		if c := l.field(i, f.value); c != none {
			x.Elts = l.exprs(c)
		}
		return x
	case kInitializerList:
		return &Init{exprNode: at, Elts: l.exprs(i)}
	case kLambda:
		return l.lambda(i, at)
	case kLiteral:
		return &Lit{exprNode: at, Text: l.text(i)}
	case kString:
		return &Lit{exprNode: at, String: true, Text: strings.Trim(l.text(i), `"`)}
	case kCompound: // a statement expression
		return &Lambda{exprNode: at, Body: l.stmts(i)}
	}
	return &Other{exprNode: at, Children: l.exprs(i)}
}

func (l *lowerer) call(i uint32, at exprNode) Expr {
	f := &l.g.fields
	x := &Call{exprNode: at, Func: l.exprOr(l.field(i, f.function), i)}
	if c := l.field(i, f.arguments); c != none {
		x.Args = l.exprs(c)
	}
	if c := l.child(i, kLaunch); c != none {
		x.Config = l.exprs(c)
		if x.Config == nil {
			x.Config = []Expr{}
		}
	}
	return x
}

// lambda lowers a lambda. The grammars do not know `[=] __device__ (int i)`, and leave the words as an error.
func (l *lowerer) lambda(i uint32, at exprNode) Expr {
	f := &l.g.fields
	x := &Lambda{exprNode: at}
	body := l.field(i, f.body)
	host := false
	for c := i + 1; c < l.nodes[i].Next && c != body; c = l.nodes[c].Next {
		if l.nodes[c].Flags&treesitter.Error != 0 || l.kind(c) == kTokDevice || l.kind(c) == kTokHost {
			text := l.text(c)
			x.Device = x.Device || strings.Contains(text, "__device__") || strings.Contains(text, "DEVICE")
			host = host || strings.Contains(text, "__host__")
		}
	}
	x.Device = x.Device && !host
	if d := l.field(i, f.declarator); d != none {
		x.Params = l.params(l.field(d, f.parameters))
	}
	x.Body = l.stmts(body)
	return x
}

// op is the operator of i.
func (l *lowerer) op(i uint32) string {
	if c := l.field(i, l.g.fields.operator); c != none {
		return l.text(c)
	}
	return ""
}

// exprs lowers every operand of i in order.
func (l *lowerer) exprs(i uint32) []Expr {
	var out []Expr
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if l.part(c) {
			out = append(out, l.expr(c))
		}
	}
	return out
}

func (l *lowerer) exprIf(c uint32) Expr {
	if c == none {
		return nil
	}
	return l.expr(c)
}

// exprOr lowers c, or makes an Other at the end of i when recovery has lost the operand.
func (l *lowerer) exprOr(c, i uint32) Expr {
	if c == none {
		return &Other{exprNode: exprNode{l.between(l.nodes[i].End, l.nodes[i].End)}}
	}
	return l.expr(c)
}
