package pyast

import "strings"

// stmt writes a simple statement, or the head of a compound one.
func (t *tokens) stmt(s Stmt) {
	switch s := s.(type) {
	case *Assign:
		for _, x := range s.Targets {
			t.expr(x)
			t.add("=")
		}
		t.expr(s.Value)
	case *AnnAssign:
		t.expr(s.Target)
		t.add(":")
		t.expr(s.Annotation)
		if s.Value != nil {
			t.add("=")
			t.expr(s.Value)
		}
	case *AugAssign:
		t.expr(s.Target)
		t.add(s.Op + "=")
		t.expr(s.Value)
	case *ExprStmt:
		t.expr(s.X)
	case *Return:
		t.add("return")
		t.expr(s.X)
	case *If:
		t.add("if")
		t.expr(s.Test)
	case *While:
		t.add("while")
		t.expr(s.Test)
	case *For:
		t.async(s.Async)
		t.add("for")
		t.expr(s.Target)
		t.add("in")
		t.expr(s.Iter)
	case *With:
		t.with(s)
	case *Try:
		t.add("try")
	case *Raise:
		t.add("raise")
		t.expr(s.X)
		if s.From != nil {
			t.add("from")
			t.expr(s.From)
		}
	case *Assert:
		t.add("assert")
		t.expr(s.Test)
		if s.Msg != nil {
			t.add(",")
			t.expr(s.Msg)
		}
	case *Delete:
		t.list("del", ";", s.Targets)
	case *Import:
		t.add("import")
		t.aliases(s.Names)
	case *ImportFrom:
		t.add("from", strings.Repeat(".", s.Level)+s.Module, "import")
		t.aliases(s.Names)
	case *Scope:
		t.add(map[bool]string{false: "global", true: "nonlocal"}[s.Nonlocal])
		t.add(s.Names...)
	case *FuncDef:
		t.async(s.Async)
		t.add("def", s.Name, "(")
		t.params(s.Params)
		t.add(")")
		if s.Returns != nil {
			t.add("->")
			t.expr(s.Returns)
		}
	case *ClassDef:
		t.add("class", s.Name)
		t.args(s.Bases)
	case *Match:
		t.add("match")
		t.expr(s.Subject)
	case *Jump:
		t.add(s.Keyword)
	case *BadStmt:
		t.add(strings.Fields(t.m.Text(s))...)
	}
}

func (t *tokens) async(is bool) {
	if is {
		t.add("async")
	}
}

func (t *tokens) with(s *With) {
	t.async(s.Async)
	t.add("with")
	for i, item := range s.Items {
		if i > 0 {
			t.add(",")
		}
		t.expr(item.X)
		if item.As != nil {
			t.add("as")
			t.expr(item.As)
		}
	}
}

func (t *tokens) aliases(as []Alias) {
	for i, a := range as {
		if i > 0 {
			t.add(",")
		}
		t.add(a.Name)
		if a.As != "" {
			t.add("as", a.As)
		}
	}
}
