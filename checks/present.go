package checks

import (
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/pyast"
)

// Decorators are the dotted names of what decorates f, outermost first, without arguments: "functools.lru_cache".
func (f *Func) Decorators() []string { return f.decos }

// tuned reports whether f is a kernel that an autotuner measures.
func (f *Func) tuned() bool {
	return f.kernel && slices.ContainsFunc(f.decos, func(d string) bool { return last(d) == "autotune" })
}

// cached reports whether a call of f with arguments that have been seen does not run it again.
func cached(f *Func, node pyast.Node) bool {
	if _, def := node.(*pyast.FuncDef); !def || f == nil {
		return false
	}
	return slices.ContainsFunc(f.Decorators(), func(d string) bool {
		name := last(d)
		return name == "cache" || name == "cached" || strings.HasSuffix(name, "_cache")
	})
}

// present reports whether the branch s leaves when something is in a place that the function fills otherwise, so that
// what follows runs once and not per step:
//
//	if (t := TABLES.get(key)) is not None:
//	    return t
//	t = TABLES[key] = torch.tensor(…)
func (fr *frame) present(s *pyast.If) bool {
	fn, ok := fr.node.(*pyast.FuncDef)
	if !ok {
		return false
	}
	base := fr.found(s.Test)
	return base != "" && fr.fills(fn.Body, base)
}

// found is the place whose content a test finds, as source text.
func (fr *frame) found(test pyast.Expr) string {
	switch t := test.(type) {
	case *pyast.Bool:
		if t.Op != "and" {
			return ""
		}
		if base := fr.found(t.L); base != "" {
			return base
		}
		return fr.found(t.R)
	case *pyast.Compare:
		switch {
		case len(t.Ops) != 1:
		case t.Ops[0] == "is not" && isNone(t.Rest[0]):
			return fr.cacheOf(t.First, 1)
		case t.Ops[0] == "in":
			return fr.cacheOf(t.Rest[0], 0)
		}
	}
	return ""
}

// cacheOf is the lasting place that e reads: an attribute, a global, what is in a dict that is one of these, and a
// variable that was bound to one of these.
func (fr *frame) cacheOf(e pyast.Expr, depth int) string {
	switch e := e.(type) {
	case *pyast.Attr:
		return squeeze(fr.u.tree.Text(e))
	case *pyast.Subscript:
		return fr.cacheOf(e.X, depth)
	case *pyast.Walrus:
		return fr.cacheOf(e.Value, depth)
	case *pyast.Call:
		if a, ok := e.Func.(*pyast.Attr); ok && a.Name == "get" {
			return fr.cacheOf(a.X, 0)
		}
		if f, ok := e.Func.(*pyast.Name); ok && f.ID == "getattr" && len(e.Args) > 2 { // getattr(self, "_cached", None)
			if c, ok := e.Args[1].Value.(*pyast.Const); ok && c.Kind == pyast.ConstString {
				return squeeze(fr.u.tree.Text(e.Args[0].Value)) + "." + strings.Trim(c.Text, `"'`)
			}
		}
	case *pyast.Name:
		if fr.env.local(e.ID) == nil {
			return e.ID
		}
		if depth > 0 {
			return fr.cacheOf(fr.boundTo(e.ID), 0)
		}
	}
	return ""
}

// fills reports whether body assigns to the place, or to an entry of it.
func (fr *frame) fills(body []pyast.Stmt, base string) bool {
	found := false
	walkStmts(body, func(n pyast.Node) bool {
		switch s := n.(type) {
		case *pyast.FuncDef, *pyast.ClassDef, pyast.Expr:
			return false
		case *pyast.Assign:
			for _, t := range s.Targets {
				if sub, ok := t.(*pyast.Subscript); ok {
					t = sub.X
				}
				found = found || fr.says(t, base)
			}
		case *pyast.ExprStmt: // self.done.add(key)
			if call, ok := s.X.(*pyast.Call); ok {
				if a, ok := call.Func.(*pyast.Attr); ok && (a.Name == "add" || a.Name == "append") {
					found = found || fr.says(a.X, base)
				}
			}
		}
		return !found
	})
	return found
}

// hotness is that of the root the interpreter came from.
func (fr *frame) hotness() hotness {
	st := fr.in.stack()
	if len(st) == 0 {
		return hotness{}
	}
	return fr.in.hot.info[st[0]]
}
