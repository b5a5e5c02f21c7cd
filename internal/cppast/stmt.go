package cppast

import "github.com/gatebot/gatebot/internal/treesitter"

// stmts lowers the statements among the children of i.
func (l *lowerer) stmts(i uint32) []Stmt {
	if i == none {
		return nil
	}
	return l.stmtsBetween(i, i+1, l.nodes[i].Next)
}

func (l *lowerer) stmtsBetween(i, from, to uint32) []Stmt {
	if !l.enter(i) {
		l.leave()
		return nil
	}
	defer l.leave()
	var out []Stmt
	for c := from; c < to; c = l.nodes[c].Next {
		if l.part(c) {
			out = l.stmt(c, out)
		}
	}
	return out
}

// body lowers the statement c as a list: a compound statement is its statements.
func (l *lowerer) body(c uint32) []Stmt {
	switch {
	case c == none:
		return nil
	case l.kind(c) == kCompound:
		return l.stmts(c)
	}
	if !l.enter(c) {
		l.leave()
		return nil
	}
	defer l.leave()
	return l.stmt(c, nil)
}

// stmt appends the statement c to out; a declaration of several variables becomes several.
func (l *lowerer) stmt(c uint32, out []Stmt) []Stmt {
	at := stmtNode{l.span(c)}
	f := &l.g.fields
	switch l.kind(c) {
	case kExpressionStatement:
		for k := c + 1; k < l.nodes[c].Next; k = l.nodes[k].Next {
			if l.part(k) {
				out = append(out, &ExprStmt{at, l.expr(k)})
			}
		}
	case kDeclaration:
		out = l.declaration(c, out)
	case kIf:
		s := &If{stmtNode: at, Then: l.body(l.field(c, f.consequence))}
		s.Init, s.Test = l.clause(l.field(c, f.condition))
		if e := l.field(c, f.alternative); e != none {
			s.Else = l.elseBody(e)
		}
		out = append(out, s)
	case kFor:
		s := &Loop{stmtNode: at, Test: l.exprIf(l.field(c, f.condition)), Step: l.exprIf(l.field(c, f.update)), Body: l.body(l.field(c, f.body))}
		if k := l.field(c, f.initializer); k != none {
			s.Init = l.body(k)
		}
		out = append(out, s)
	case kForRange:
		s := &Loop{stmtNode: at, Over: l.exprIf(l.field(c, f.right)), Body: l.body(l.field(c, f.body))}
		if d := l.field(c, f.declarator); d != none {
			v := &Decl{stmtNode: stmtNode{l.span(d)}, Type: l.typeText(l.field(c, f.typ))}
			var suffix string
			v.Name, suffix = l.declared(d)
			v.Type += suffix
			s.Init = []Stmt{v}
		}
		out = append(out, s)
	case kWhile, kDo:
		s := &Loop{stmtNode: at, Body: l.body(l.field(c, f.body))}
		s.Init, s.Test = l.clause(l.field(c, f.condition))
		out = append(out, s)
	case kSwitch:
		s := &Switch{stmtNode: at, Body: l.body(l.field(c, f.body))}
		_, s.Test = l.clause(l.field(c, f.condition))
		out = append(out, s)
	case kCase:
		from := c + 1
		if v := l.field(c, f.value); v != none {
			from = l.nodes[v].Next
		}
		out = append(out, l.stmtsBetween(c, from, l.nodes[c].Next)...)
	case kCompound, kLabeled:
		out = append(out, &Block{at, l.stmts(c)})
	case kReturn:
		out = append(out, &Return{at, l.exprIf(l.firstPart(c))})
	case kThrow:
		out = append(out, &Throw{at, l.exprIf(l.firstPart(c))})
	case kBreak, kContinue, kGoto:
		out = append(out, &Jump{at, map[kind]string{kBreak: "break", kContinue: "continue", kGoto: "goto"}[l.kind(c)]})
	case kTry:
		s := &Try{stmtNode: at, Body: l.body(l.field(c, f.body))}
		for k := c + 1; k < l.nodes[c].Next; k = l.nodes[k].Next {
			if l.kind(k) == kCatch {
				s.Handlers = append(s.Handlers, l.body(l.field(k, f.body)))
			}
		}
		out = append(out, s)
	case kPreprocIf, kPreprocIfdef, kPreprocElif, kPreprocElifdef:
		out = append(out, l.preproc(c, at))
	case kPreprocElse:
		out = append(out, l.stmts(c)...)
	case kPreprocFunction, kPreprocDef:
		l.macro(c)
	case kFunctionDefinition: // of a local class, or what recovery made of a macro with a block behind it
		l.function(c)
	case kTypeSpec:
		l.inside(c, l.nameOf(l.field(c, f.name)), true)
	case kIdentifier: // the label of a statement
	default:
		switch {
		case l.nodes[c].Flags&treesitter.Error != 0:
			out = append(out, l.stmts(c)...)
		case l.statementLike(c):
			out = append(out, l.stmts(c)...)
		default:
			out = append(out, &ExprStmt{at, l.expr(c)})
		}
	}
	return out
}

// statementLike reports whether an unknown node holds statements, as attributed statements do.
func (l *lowerer) statementLike(c uint32) bool {
	for k := c + 1; k < l.nodes[c].Next; k = l.nodes[k].Next {
		switch l.kind(k) {
		case kExpressionStatement, kDeclaration, kIf, kFor, kForRange, kWhile, kDo, kSwitch, kCompound, kReturn, kTry:
			return true
		}
	}
	return false
}

// clause lowers the parentheses of an if, while or switch: an initializer and a test, which may be a declaration.
func (l *lowerer) clause(c uint32) (init []Stmt, test Expr) {
	if c == none {
		return nil, nil
	}
	if l.kind(c) != kCondition {
		return nil, l.expr(c)
	}
	for k := c + 1; k < l.nodes[c].Next; k = l.nodes[k].Next {
		switch {
		case !l.part(k):
		case l.kind(k) == kInitStatement:
			init = append(init, l.stmts(k)...)
		case l.kind(k) == kDeclaration:
			init = l.declaration(k, init)
		default:
			test = l.expr(k)
		}
	}
	return init, test
}

func (l *lowerer) elseBody(e uint32) []Stmt {
	if l.kind(e) != kElse {
		return l.body(e)
	}
	for k := e + 1; k < l.nodes[e].Next; k = l.nodes[k].Next {
		if l.part(k) {
			return l.body(k)
		}
	}
	return nil
}

func (l *lowerer) preproc(c uint32, at stmtNode) Stmt {
	s := &Preproc{stmtNode: at, Cond: l.condition(c)}
	f := &l.g.fields
	alternative := l.field(c, f.alternative)
	from, to := c+1, l.nodes[c].Next
	for _, head := range []uint32{l.field(c, f.condition), l.field(c, f.name)} {
		if head != none {
			from = l.nodes[head].Next
			break
		}
	}
	if alternative != none {
		to = alternative
		if l.enter(alternative) {
			s.Else = l.stmt(alternative, nil)
		}
		l.leave()
	}
	s.Then = l.stmtsBetween(c, from, to)
	return s
}

// declaration appends one Decl for each declarator.
func (l *lowerer) declaration(i uint32, out []Stmt) []Stmt {
	f := &l.g.fields
	typ := l.field(i, f.typ)
	static := false
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if l.kind(c) == kStorage && l.text(c) == "static" {
			static = true
		}
	}
	if typ != none && l.kind(typ) == kTypeSpec {
		l.inside(typ, l.nameOf(l.field(typ, f.name)), true)
	}
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if l.nodes[c].Field != f.declarator || !l.part(c) {
			continue
		}
		d := &Decl{stmtNode: stmtNode{l.span(c)}, Static: static, Type: l.typeText(typ)}
		var suffix string
		if l.kind(c) == kInitDeclarator {
			l.initialized(c, d)
		}
		d.Name, suffix = l.declared(c)
		if fn := l.declarator(c); fn != none && l.kind(c) != kInitDeclarator {
			d.Name, suffix = l.declared(l.field(fn, f.declarator))
			d.Args = l.parameterArgs(l.field(fn, f.parameters))
		}
		d.Type += suffix
		out = append(out, d)
	}
	return out
}

func (l *lowerer) initialized(c uint32, d *Decl) {
	f := &l.g.fields
	if s := l.field(c, f.declarator); s != none && l.kind(s) == kStructured {
		for k := s + 1; k < l.nodes[s].Next; k = l.nodes[k].Next {
			if l.kind(k) == kIdentifier {
				d.Names = append(d.Names, l.text(k))
			}
		}
	}
	v := l.field(c, f.value)
	switch {
	case v == none:
	case l.kind(v) == kArgumentList:
		d.Args = l.exprs(v)
	default:
		d.Init = l.expr(v)
	}
}

// parameterArgs lowers the parameters of what looks like a declaration of a function and is that of a variable.
func (l *lowerer) parameterArgs(i uint32) []Expr {
	if i == none {
		return nil
	}
	var out []Expr
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if l.part(c) {
			out = append(out, &Name{exprNode: exprNode{l.span(c)}, ID: squeeze(l.text(c))})
		}
	}
	return out
}

// firstPart returns the first operand of i, or none.
func (l *lowerer) firstPart(i uint32) uint32 {
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if l.part(c) {
			return c
		}
	}
	return none
}
