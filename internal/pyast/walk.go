package pyast

// Walk calls f for n and, when f returns true, for everything below it: a node before its children, children in the
// order of the source. Parameters, arguments, aliases, handlers, clauses and cases are not nodes of their own; what
// they contain is visited. It accepts a *Module and does nothing for nil.
func Walk(n Node, f func(Node) bool) {
	var each func(Node) // one for the whole walk
	each = func(n Node) {
		if present(n) && f(n) {
			Children(n, each)
		}
	}
	each(n)
}

// present is false for nil and for the nil pointers that optional fields of concrete type hold.
func present(n Node) bool {
	switch n := n.(type) {
	case nil:
		return false
	case *Name:
		return n != nil
	case *Module:
		return n != nil
	}
	return true
}

// Children calls f for each expression and statement directly below n, in the order of the source.
func Children(n Node, f func(Node)) {
	if e, ok := n.(Expr); ok {
		exprChildren(e, f)
		return
	}
	switch n := n.(type) {
	case *Module:
		stmts(n.Body, f)
	case Stmt:
		stmtChildren(n, f)
	}
}

func one(e Expr, f func(Node)) {
	if e != nil {
		f(e)
	}
}

func exprs(es []Expr, f func(Node)) {
	for _, e := range es {
		one(e, f)
	}
}

func stmts(ss []Stmt, f func(Node)) {
	for _, s := range ss {
		f(s)
	}
}

func args(as []Arg, f func(Node)) {
	for i := range as {
		one(as[i].Value, f)
	}
}

func params(ps []Param, f func(Node)) {
	for i := range ps {
		one(ps[i].Annotation, f)
		one(ps[i].Default, f)
	}
}

func exprChildren(n Expr, f func(Node)) {
	switch n := n.(type) {
	case *Name, *Const:
	case *Attr:
		one(n.X, f)
	case *Call:
		one(n.Func, f)
		args(n.Args, f)
	case *Subscript:
		one(n.X, f)
		exprs(n.Index, f)
	case *Slice:
		one(n.Lo, f)
		one(n.Hi, f)
		one(n.Step, f)
	case *Binary:
		one(n.L, f)
		one(n.R, f)
	case *Unary:
		one(n.X, f)
	case *Bool:
		one(n.L, f)
		one(n.R, f)
	case *Compare:
		one(n.First, f)
		exprs(n.Rest, f)
	case *IfExp:
		one(n.Then, f)
		one(n.Test, f)
		one(n.Else, f)
	case *Lambda:
		params(n.Params, f)
		one(n.Body, f)
	case *FString:
		for i := range n.Values {
			one(n.Values[i].X, f)
		}
	case *Tuple:
		exprs(n.Elts, f)
	case *List:
		exprs(n.Elts, f)
	case *Set:
		exprs(n.Elts, f)
	case *Dict:
		for i := range n.Values {
			one(n.Keys[i], f)
			one(n.Values[i], f)
		}
	case *Comp:
		one(n.Elt, f)
		one(n.Value, f)
		for i := range n.Clauses {
			one(n.Clauses[i].Target, f)
			one(n.Clauses[i].Iter, f)
			exprs(n.Clauses[i].Ifs, f)
		}
	case *Walrus:
		f(n.Target)
		one(n.Value, f)
	case *Starred:
		one(n.X, f)
	case *Await:
		one(n.X, f)
	case *Yield:
		one(n.X, f)
	case *Bad:
		exprs(n.Children, f)
	}
}

func stmtChildren(n Stmt, f func(Node)) {
	switch n := n.(type) {
	case *Assign:
		exprs(n.Targets, f)
		one(n.Value, f)
	case *AnnAssign:
		one(n.Target, f)
		one(n.Annotation, f)
		one(n.Value, f)
	case *AugAssign:
		one(n.Target, f)
		one(n.Value, f)
	case *ExprStmt:
		one(n.X, f)
	case *Return:
		one(n.X, f)
	case *If:
		one(n.Test, f)
		stmts(n.Body, f)
		stmts(n.Else, f)
	case *While:
		one(n.Test, f)
		stmts(n.Body, f)
		stmts(n.Else, f)
	case *For:
		one(n.Target, f)
		one(n.Iter, f)
		stmts(n.Body, f)
		stmts(n.Else, f)
	case *With:
		for i := range n.Items {
			one(n.Items[i].X, f)
			one(n.Items[i].As, f)
		}
		stmts(n.Body, f)
	case *Try:
		tryChildren(n, f)
	case *Raise:
		one(n.X, f)
		one(n.From, f)
	case *Assert:
		one(n.Test, f)
		one(n.Msg, f)
	case *Delete:
		exprs(n.Targets, f)
	case *FuncDef:
		exprs(n.Decorators, f)
		params(n.TypeParams, f)
		params(n.Params, f)
		one(n.Returns, f)
		stmts(n.Body, f)
	case *ClassDef:
		exprs(n.Decorators, f)
		params(n.TypeParams, f)
		args(n.Bases, f)
		stmts(n.Body, f)
	case *Match:
		matchChildren(n, f)
	case *BadStmt:
		exprs(n.Children, f)
	}
}

func tryChildren(n *Try, f func(Node)) {
	stmts(n.Body, f)
	for i := range n.Handlers {
		one(n.Handlers[i].Type, f)
		stmts(n.Handlers[i].Body, f)
	}
	stmts(n.Else, f)
	stmts(n.Final, f)
}

func matchChildren(n *Match, f func(Node)) {
	one(n.Subject, f)
	for i := range n.Cases {
		c := &n.Cases[i]
		exprs(c.Values, f)
		exprs(c.Classes, f)
		one(c.Guard, f)
		stmts(c.Body, f)
	}
}
