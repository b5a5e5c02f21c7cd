package cppast

// Children calls fn for each direct part of n, in source order.
func Children(n Node, fn func(Node)) {
	expr := func(xs ...Expr) {
		for _, x := range xs {
			if x != nil {
				fn(x)
			}
		}
	}
	stmts := func(list []Stmt) {
		for _, s := range list {
			fn(s)
		}
	}
	switch n := n.(type) {
	case *Func:
		expr(n.Inits...)
		stmts(n.Body)
	case *Member:
		expr(n.X)
	case *Call:
		expr(n.Func)
		expr(n.Config...)
		expr(n.Args...)
	case *Index:
		expr(n.X)
		expr(n.Args...)
	case *Unary:
		expr(n.X)
	case *Binary:
		expr(n.L, n.R)
	case *Assign:
		expr(n.L, n.R)
	case *Cond:
		expr(n.Test, n.Then, n.Else)
	case *Cast:
		expr(n.X)
	case *New:
		expr(n.Args...)
	case *Init:
		expr(n.Elts...)
	case *Lambda:
		stmts(n.Body)
	case *Other:
		expr(n.Children...)
	case *ExprStmt:
		expr(n.X)
	case *Decl:
		expr(n.Init)
		expr(n.Args...)
	case *If:
		stmts(n.Init)
		expr(n.Test)
		stmts(n.Then)
		stmts(n.Else)
	case *Loop:
		stmts(n.Init)
		expr(n.Test, n.Step, n.Over)
		stmts(n.Body)
	case *Switch:
		expr(n.Test)
		stmts(n.Body)
	case *Block:
		stmts(n.Body)
	case *Return:
		expr(n.X)
	case *Throw:
		expr(n.X)
	case *Try:
		stmts(n.Body)
		for _, h := range n.Handlers {
			stmts(h)
		}
	case *Preproc:
		stmts(n.Then)
		stmts(n.Else)
	}
}

// Walk calls fn for n and everything below it, parents first; below a node for which fn returns false it does not look.
func Walk(n Node, fn func(Node) bool) {
	if fn(n) {
		Children(n, func(c Node) { Walk(c, fn) })
	}
}
