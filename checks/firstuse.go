package checks

import (
	"strings"

	"github.com/gatebot/gatebot/internal/pyast"
)

// firstUse reports whether the body of s makes what its test finds missing, so that it runs once and not per step:
//
//	if self.buf is None:
//	    self.buf = torch.empty(…)
//
// The other forms are `not hasattr(self, "buf")` and `key not in self.cache`. A local variable or parameter is no such
// place: it is missing again in the next step.
func (fr *frame) firstUse(s *pyast.If) bool {
	if t, ok := s.Test.(*pyast.Compare); ok && len(t.Ops) == 1 && t.Ops[0] == "is" && isNone(t.Rest[0]) {
		if base := fr.cacheOf(t.First, 1); base != "" && fr.fills(s.Body, base) {
			return true // x = self.cache.get(key); if x is None: … self.cache[key] = x
		}
	}
	var want string
	switch t := s.Test.(type) {
	case *pyast.Compare:
		if len(t.Ops) != 1 {
			return false
		}
		c, isConst := t.Rest[0].(*pyast.Const)
		switch {
		case t.Ops[0] == "is" && isConst && c.Kind == pyast.ConstNone && fr.lasting(t.First):
			want = fr.u.tree.Text(t.First)
		case t.Ops[0] == "not in" && fr.lasting(t.Rest[0]):
			want = fr.u.tree.Text(t.Rest[0]) + "[" + fr.u.tree.Text(t.First) + "]"
		}
	case *pyast.Unary:
		if t.Op == "not" && fr.lasting(t.X) { // a flag: if not self.ready: …; self.ready = True
			want = fr.u.tree.Text(t.X)
		}
		if call, ok := t.X.(*pyast.Call); ok && t.Op == "not" && fr.calleeName(call) == "builtins.hasattr" && len(call.Args) == 2 {
			if c, ok := call.Args[1].Value.(*pyast.Const); ok && c.Kind == pyast.ConstString {
				want = fr.u.tree.Text(call.Args[0].Value) + "." + c.Text
			}
		}
	}
	return want != "" && fr.stores(s.Body, squeeze(want))
}

// lasting reports whether e outlives the step: an attribute, or a name that the function declares global.
func (fr *frame) lasting(e pyast.Expr) bool {
	switch e := e.(type) {
	case *pyast.Attr:
		return true
	case *pyast.Subscript:
		return fr.lasting(e.X)
	case *pyast.Name:
		fn, ok := fr.node.(*pyast.FuncDef)
		if !ok {
			return false
		}
		for _, s := range fn.Body {
			if scope, ok := s.(*pyast.Scope); ok && !scope.Nonlocal {
				for _, name := range scope.Names {
					if name == e.ID {
						return true
					}
				}
			}
		}
	}
	return false
}

// stores reports whether body assigns to the target with that text.
func (fr *frame) stores(body []pyast.Stmt, target string) bool {
	found := false
	walkStmts(body, func(n pyast.Node) bool {
		switch s := n.(type) {
		case *pyast.FuncDef, *pyast.ClassDef, pyast.Expr:
			return false
		case *pyast.Assign:
			for _, t := range s.Targets {
				found = found || fr.says(t, target)
			}
		case *pyast.AnnAssign:
			found = found || fr.says(s.Target, target)
		}
		return !found
	})
	return found
}

// leftOut reports whether test comes out as want when an argument is missing, in a function that nobody was seen to call:
// the place that makes up for it may be one that no step comes to.
func (fr *frame) leftOut(test pyast.Expr, want bool) bool {
	t, ok := test.(*pyast.Compare)
	fn, def := fr.node.(*pyast.FuncDef)
	if !ok || !def || fr.from != nil || fr.in.opts.AllFunctions || len(t.Ops) != 1 || !isNone(t.Rest[0]) ||
		want && t.Ops[0] != "is" || !want && t.Ops[0] != "is not" {
		return false
	}
	name, ok := t.First.(*pyast.Name)
	if !ok {
		return false
	}
	for _, p := range fn.Params {
		if p.Name == name.ID {
			return isNone(p.Default)
		}
	}
	return false
}

// captures reports whether a body records a graph: see unit.captures.
func captures(body []pyast.Stmt) bool {
	found := false
	walkStmts(body, func(n pyast.Node) bool {
		if w, ok := n.(*pyast.With); ok {
			for _, it := range w.Items {
				if call, ok := it.X.(*pyast.Call); ok {
					name, _ := dotted(call.Func)
					found = found || strings.HasSuffix(name, "cuda.graph")
				}
			}
		}
		return !found
	})
	return found
}
