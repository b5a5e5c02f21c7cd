package region

import "github.com/gatebot/gatebot/internal/pyast"

// Blocks are the suites directly below a compound statement; none for functions and classes, which run at another time.
func Blocks(s pyast.Stmt) [][]pyast.Stmt {
	switch s := s.(type) {
	case *pyast.If:
		return [][]pyast.Stmt{s.Body, s.Else}
	case *pyast.For:
		return [][]pyast.Stmt{s.Body, s.Else}
	case *pyast.While:
		return [][]pyast.Stmt{s.Body, s.Else}
	case *pyast.With:
		return [][]pyast.Stmt{s.Body}
	case *pyast.Try:
		out := [][]pyast.Stmt{s.Body}
		for _, h := range s.Handlers {
			out = append(out, h.Body)
		}
		return append(out, s.Else, s.Final)
	case *pyast.Match:
		var out [][]pyast.Stmt
		for i := range s.Cases {
			out = append(out, s.Cases[i].Body)
		}
		return out
	}
	return nil
}

// Walk is pyast.Walk without the bodies of functions, lambdas and classes below root.
func Walk(root pyast.Node, f func(pyast.Node)) {
	pyast.Walk(root, func(n pyast.Node) bool {
		switch n.(type) {
		case *pyast.FuncDef, *pyast.Lambda, *pyast.ClassDef:
			return n == root
		}
		f(n)
		return true
	})
}

// Stmts is Walk for statements only: what they are made of is not looked into.
func Stmts(root pyast.Node, f func(pyast.Stmt)) {
	pyast.Walk(root, func(n pyast.Node) bool {
		switch n := n.(type) {
		case *pyast.FuncDef, *pyast.ClassDef:
			return n == root
		case pyast.Stmt:
			f(n)
			return true
		}
		return false
	})
}

// Calls lists the calls below n in source order, without those of functions inside it.
func Calls(n pyast.Node) []*pyast.Call {
	var out []*pyast.Call
	Walk(n, func(n pyast.Node) {
		if c, ok := n.(*pyast.Call); ok {
			out = append(out, c)
		}
	})
	return out
}

// CallsIn is Calls for a suite.
func CallsIn(body []pyast.Stmt) []*pyast.Call {
	var out []*pyast.Call
	for _, s := range body {
		if _, ok := s.(*pyast.FuncDef); !ok {
			out = append(out, Calls(s)...)
		}
	}
	return out
}

// Method is the receiver and the name of a method call; the name alone for a call of a plain function.
func Method(c *pyast.Call) (recv pyast.Expr, name string) {
	switch f := c.Func.(type) {
	case *pyast.Attr:
		return f.X, f.Name
	case *pyast.Name:
		return nil, f.ID
	}
	return nil, ""
}

// Arg is the argument at a position or with a keyword, nil when it is not written.
func Arg(c *pyast.Call, pos int, name string) pyast.Expr {
	for i, a := range c.Args {
		switch {
		case a.Star > 0:
		case a.Name != "" && a.Name == name, a.Name == "" && i == pos:
			return a.Value
		}
	}
	return nil
}

// True reports whether e is the literal True.
func True(e pyast.Expr) bool {
	c, ok := e.(*pyast.Const)
	return ok && c.Kind == pyast.ConstTrue
}

// Last is the last name of a chain: stream for self.copy.stream.
func Last(e pyast.Expr) string {
	switch e := e.(type) {
	case *pyast.Name:
		return e.ID
	case *pyast.Attr:
		return e.Name
	}
	return ""
}

// Root is the expression below subscripts: self.pinned for self.pinned[:n].
func Root(e pyast.Expr) pyast.Expr {
	for {
		s, ok := e.(*pyast.Subscript)
		if !ok {
			return e
		}
		e = s.X
	}
}

// Inside reports whether a lies within b.
func Inside(a, b pyast.Node) bool {
	return a.Pos().Off >= b.Pos().Off && a.Pos().EndOff <= b.Pos().EndOff
}
