package pyast

import "github.com/gatebot/gatebot/internal/treesitter"

// stmts lowers the children of a module or block that are statements.
func (l *lowerer) stmts(i uint32) []Stmt {
	if i != 0 && !l.enter(i) {
		l.leave()
		return []Stmt{&BadStmt{stmtNode: stmtNode{l.span(i)}}}
	}
	out := l.stmtsIn(i, nil)
	if i != 0 {
		l.leave()
	}
	return out
}

func (l *lowerer) stmtsIn(i uint32, out []Stmt) []Stmt {
	if out == nil {
		n := 0
		for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
			if l.part(c) {
				n++
			}
		}
		if n == 0 {
			return nil
		}
		out = make([]Stmt, 0, n)
	}
	var bad *BadStmt // the current run of what is no statement
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		n := &l.nodes[c]
		switch {
		case n.Flags&treesitter.Error != 0:
			bad = nil
			out = l.recovered(c, out)
		case n.Flags&(treesitter.Named|treesitter.Extra) != treesitter.Named:
		case l.kind(c) == kBlock: // recovery can leave a block without its head
			bad = nil
			out = append(out, l.stmts(c)...)
		default:
			if s := l.stmt(c); s != nil {
				bad = nil
				out = append(out, s)
				continue
			}
			if bad == nil {
				bad = &BadStmt{stmtNode: stmtNode{l.span(c)}}
				out = append(out, bad)
			}
			bad.End, bad.EndOff = l.pos.At(n.End), n.End
			bad.Children = append(bad.Children, l.expr(c))
		}
	}
	return out
}

// recovered lowers an ERROR node among statements: the statements in it are kept as they are, the rest becomes BadStmt.
func (l *lowerer) recovered(i uint32, out []Stmt) []Stmt {
	if !l.enter(i) {
		l.leave()
		return append(out, &BadStmt{stmtNode: stmtNode{l.span(i)}})
	}
	defer l.leave()
	before := len(out)
	if out = l.stmtsIn(i, out); len(out) == before {
		out = append(out, &BadStmt{stmtNode: stmtNode{l.span(i)}})
	}
	return out
}

// statementKinds are the kinds that stmt lowers.
var statementKinds = [256]bool{kExpressionStatement: true, kReturnStatement: true, kAssertStatement: true,
	kDeleteStatement: true, kRaiseStatement: true, kPassStatement: true, kBreakStatement: true, kContinueStatement: true,
	kGlobalStatement: true, kNonlocalStatement: true, kImportStatement: true, kImportFromStatement: true,
	kFutureImportStatement: true, kTypeAliasStatement: true, kPrintStatement: true, kExecStatement: true,
	kIfStatement: true, kWhileStatement: true, kForStatement: true, kWithStatement: true, kTryStatement: true,
	kFunctionDefinition: true, kClassDefinition: true, kDecoratedDefinition: true, kMatchStatement: true}

// stmt lowers one statement, or returns nil when the node is none.
func (l *lowerer) stmt(i uint32) Stmt {
	at := stmtNode{l.span(i)}
	f := &l.g.fields
	switch l.kind(i) {
	case kExpressionStatement:
		return l.exprStmt(i, at)
	case kReturnStatement:
		return &Return{stmtNode: at, X: l.exprIf(l.lastPart(i))}
	case kAssertStatement:
		c, n := l.operands(i)
		x := &Assert{stmtNode: at, Test: l.exprOr(c[0], i)}
		if n > 1 {
			x.Msg = l.expr(c[1])
		}
		return x
	case kDeleteStatement:
		return l.del(i, at)
	case kRaiseStatement:
		cause := l.field(i, f.cause)
		x := &Raise{stmtNode: at, From: l.exprIf(cause)}
		if c, n := l.operands(i); n > 0 && c[0] != cause {
			x.X = l.expr(c[0])
		}
		return x
	case kPassStatement:
		return &Jump{stmtNode: at, Keyword: "pass"}
	case kBreakStatement:
		return &Jump{stmtNode: at, Keyword: "break"}
	case kContinueStatement:
		return &Jump{stmtNode: at, Keyword: "continue"}
	case kGlobalStatement, kNonlocalStatement:
		x := &Scope{stmtNode: at, Nonlocal: l.kind(i) == kNonlocalStatement}
		for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
			if l.kind(c) == kIdentifier {
				x.Names = append(x.Names, l.name(c))
			}
		}
		return x
	case kImportStatement:
		return &Import{stmtNode: at, Names: l.aliases(i)}
	case kImportFromStatement, kFutureImportStatement:
		return l.importFrom(i, at)
	case kTypeAliasStatement:
		return l.typeAlias(i, at)
	case kPrintStatement, kExecStatement:
		return l.python2(i, at)
	case kIfStatement:
		return l.ifStmt(i, at)
	case kWhileStatement:
		return l.while(i, at)
	case kForStatement:
		return l.forStmt(i, at)
	case kWithStatement:
		return l.with(i, at)
	case kTryStatement:
		return l.try(i, at)
	case kFunctionDefinition:
		return l.function(i, at, nil)
	case kClassDefinition:
		return l.class(i, at, nil)
	case kDecoratedDefinition:
		return l.decorated(i, at)
	case kMatchStatement:
		return l.match(i, at)
	}
	return nil
}

func (l *lowerer) exprStmt(i uint32, at stmtNode) Stmt {
	c, n := l.operands(i)
	switch {
	case n == 0:
		return &BadStmt{stmtNode: at}
	case n == 1 && l.kind(c[0]) == kAssignment:
		return l.assignment(c[0], at)
	case n == 1 && l.kind(c[0]) == kAugmentedAssignment:
		f := &l.g.fields
		return &AugAssign{stmtNode: at, Target: l.exprOr(l.field(c[0], f.left), i), Op: l.augOp(c[0]),
			Value: l.exprOr(l.field(c[0], f.right), i)}
	case n > 1 || l.has(i, kTokComma):
		return &ExprStmt{stmtNode: at, X: &Tuple{exprNode: exprNode(at), Elts: l.exprs(i)}}
	}
	return &ExprStmt{stmtNode: at, X: l.expr(c[0])}
}

func (l *lowerer) augOp(i uint32) string {
	op := l.op(i)
	if op == "" {
		return ""
	}
	return op[:len(op)-1]
}

// assignment lowers a = b = c and a: T = b.
func (l *lowerer) assignment(i uint32, at stmtNode) Stmt {
	f := &l.g.fields
	if typ := l.field(i, f.typ); typ != none {
		return &AnnAssign{stmtNode: at, Target: l.exprOr(l.field(i, f.left), i), Annotation: l.expr(typ),
			Value: l.exprIf(l.field(i, f.right))}
	}
	x := &Assign{stmtNode: at}
	for {
		x.Targets = append(x.Targets, l.exprOr(l.field(i, f.left), i))
		right := l.field(i, f.right)
		if right == none || l.kind(right) != kAssignment || l.field(right, f.typ) != none {
			x.Value = l.exprOr(right, i)
			return x
		}
		i = right
	}
}

func (l *lowerer) del(i uint32, at stmtNode) Stmt {
	x := &Delete{stmtNode: at}
	c := l.lastPart(i)
	if c != none && l.kind(c) == kExpressionList {
		x.Targets = l.exprs(c)
	} else {
		x.Targets = []Expr{l.exprOr(c, i)}
	}
	return x
}

// typeAlias is type X[T: bound] = Y, an assignment for our purposes; the parameters are not kept.
func (l *lowerer) typeAlias(i uint32, at stmtNode) Stmt {
	left := l.exprOr(l.field(i, l.g.fields.left), i)
	if s, ok := left.(*Subscript); ok {
		left = s.X
	}
	return &Assign{stmtNode: at, Targets: []Expr{left}, Value: l.exprOr(l.field(i, l.g.fields.right), i)}
}

// python2 lowers print and exec statements. `print >> f, x` is an expression of Python 3 as well.
func (l *lowerer) python2(i uint32, at stmtNode) Stmt {
	x := &BadStmt{stmtNode: at}
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if !l.part(c) {
			continue
		}
		if l.kind(c) != kChevron {
			x.Children = append(x.Children, l.expr(c))
			continue
		}
		start := l.nodes[i].Start
		name := l.slabs.names.next()
		name.exprNode, name.ID = exprNode{l.between(start, start+uint32(len("print")))}, "print"
		x.Children = append(x.Children, &Binary{exprNode: exprNode{l.between(start, l.nodes[c].End)}, Op: ">>", L: name,
			R: l.exprOr(l.lastPart(c), c)})
	}
	if !l.has(i, kChevron) {
		l.errorAt(at.Span, "a print or exec statement of Python 2")
		return x
	}
	if len(x.Children) == 1 && !l.has(i, kTokComma) {
		return &ExprStmt{stmtNode: at, X: x.Children[0]}
	}
	return &ExprStmt{stmtNode: at, X: &Tuple{exprNode: exprNode(at), Elts: x.Children}}
}
