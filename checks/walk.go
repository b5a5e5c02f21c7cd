package checks

import "github.com/gatebot/gatebot/internal/pyast"

func walkStmts(body []pyast.Stmt, f func(pyast.Node) bool) {
	for _, s := range body {
		pyast.Walk(s, f)
	}
}

// dotted is the text of a chain of names, "a.b.c"; ok is false for anything else.
func dotted(e pyast.Expr) (string, bool) {
	switch e := e.(type) {
	case *pyast.Name:
		return e.ID, true
	case *pyast.Attr:
		if x, ok := dotted(e.X); ok {
			return x + "." + e.Name, true
		}
	}
	return "", false
}

// lastName is last of dotted, without the text.
func lastName(e pyast.Expr) (string, bool) {
	switch e := e.(type) {
	case *pyast.Name:
		return e.ID, true
	case *pyast.Attr:
		_, ok := lastName(e.X)
		return e.Name, ok
	}
	return "", false
}
