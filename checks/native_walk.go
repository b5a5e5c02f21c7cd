package checks

import (
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/cppast"
)

// nativeWalk goes through one function in source order and keeps what is known of its variables. Branches are read one
// after the other; that is enough for what the rules ask.
type nativeWalk struct {
	rules  *nativeRules
	file   *cppast.File
	fn     *cppast.Func
	env    map[string]*NativeValue
	values map[cppast.Expr]*NativeValue
	guards []guard
	once   int // > 0 where code runs on the first call only
	dead   int // > 0 where the way leads to an error that ends the call
	found  map[place]*raw
	refs   []string
	issues string // device work that the function issues itself
}

// run looks at the whole function.
func (w *nativeWalk) run() {
	w.env = map[string]*NativeValue{}
	w.values = map[cppast.Expr]*NativeValue{}
	for _, g := range w.fn.Guards {
		if then, _ := w.preprocGuard(g, w.fn); then != nil {
			w.guards = append(w.guards, *then)
		}
	}
	w.declareParams(w.fn.Params)
	for _, x := range w.fn.Inits {
		w.eval(x)
	}
	w.stmts(w.fn.Body)
}

func (w *nativeWalk) declareParams(ps []cppast.Param) {
	for _, p := range ps {
		if p.Name == "" {
			continue
		}
		v := ofType(p.Type, p.Name)
		if v.Kind == NativeNumber && lengthName.MatchString(strings.ToLower(p.Name)) {
			v.Length = p.Name
		}
		w.env[p.Name] = v
	}
}

// stmts reads a list. What follows `if (capturing) return;` runs outside of captures only.
func (w *nativeWalk) stmts(body []cppast.Stmt) {
	n := len(w.guards)
	for _, s := range body {
		w.stmt(s)
		if f, ok := s.(*cppast.If); ok && len(f.Else) == 0 && leaves(f.Then) {
			if _, els := w.testGuard(f.Test); els != nil {
				w.guards = append(w.guards, *els)
			}
		}
	}
	w.guards = w.guards[:n]
}

// under reads a list under a guard, on the first use, or on the way to an error.
func (w *nativeWalk) under(body []cppast.Stmt, g *guard, once bool) {
	n := len(w.guards)
	if g != nil {
		w.guards = append(w.guards, *g)
	}
	if once {
		w.once++
	}
	if aborts(body) {
		w.dead++
	}
	w.stmts(body)
	if aborts(body) {
		w.dead--
	}
	if once {
		w.once--
	}
	w.guards = w.guards[:n]
}

func (w *nativeWalk) stmt(s cppast.Stmt) {
	switch s := s.(type) {
	case *cppast.ExprStmt:
		w.eval(s.X)
	case *cppast.Decl:
		w.decl(s)
	case *cppast.If:
		w.stmts(s.Init)
		w.eval(s.Test)
		then, els := w.testGuard(s.Test)
		first := firstUse(s.Test) || w.staticUnset(s.Test)
		w.under(s.Then, then, first)
		w.under(s.Else, els, false)
	case *cppast.Loop:
		for _, i := range s.Init {
			w.stmt(i)
		}
		over := w.eval(s.Over)
		if d, ok := firstDecl(s.Init); ok && over.IsTensor() {
			w.env[d.Name] = over
		}
		w.eval(s.Test)
		w.stmts(s.Body)
		w.eval(s.Step)
	case *cppast.Switch:
		w.eval(s.Test)
		w.stmts(s.Body)
	case *cppast.Block:
		w.stmts(s.Body)
	case *cppast.Return:
		w.eval(s.X)
	case *cppast.Throw:
		w.dead++
		w.eval(s.X)
		w.dead--
	case *cppast.Try:
		w.stmts(s.Body)
		w.dead++
		for _, h := range s.Handlers {
			w.stmts(h)
		}
		w.dead--
	case *cppast.Preproc:
		then, els := w.preprocGuard(s.Cond, s)
		switch strings.TrimSpace(s.Cond) {
		case "0", "false":
			w.stmts(s.Else)
			return
		}
		w.under(s.Then, then, false)
		w.under(s.Else, els, false)
	}
}

func firstDecl(ss []cppast.Stmt) (*cppast.Decl, bool) {
	if len(ss) != 1 {
		return nil, false
	}
	d, ok := ss[0].(*cppast.Decl)
	return d, ok
}

func (w *nativeWalk) decl(d *cppast.Decl) {
	if d.Static {
		w.once++
		defer func() { w.once-- }()
	}
	v := ofType(d.Type, d.Name)
	v.Static = d.Static
	v.Local = !d.Static && !strings.HasSuffix(d.Type, "&")
	init := w.eval(d.Init)
	var args []*NativeValue
	for _, a := range d.Args {
		args = append(args, w.eval(a))
	}
	switch {
	case len(args) == 1 && init == nil && (v.Kind == NativeUnknown || v.Kind == NativeNumber):
		init = args[0]
	case v.Kind == NativeObject && len(args) > 0, v.Kind == NativeObject && d.Init != nil && d.Type != "" && isInit(d.Init):
		m := mixed(args...)
		if x, ok := d.Init.(*cppast.Init); ok {
			for _, e := range x.Elts {
				m = mixed(m, w.values[e])
			}
		}
		v.Read, v.Length = m.Read, m.Length // dim3 grid(n, 2)
	}
	if x, ok := d.Init.(*cppast.Init); ok && len(x.Elts) == 1 && init != nil && init.Kind == NativeUnknown {
		init = w.values[x.Elts[0]]
	}
	if init != nil {
		v = refine(v, init)
	}
	for _, n := range append(slices.Clip(d.Names), d.Name) {
		if n != "" {
			w.env[n] = v
		}
	}
	for _, r := range w.rules.decl {
		r.Native.Decl(&NativePass{w, r}, &NativeDecl{d, v, args})
	}
}

func isInit(e cppast.Expr) bool { _, ok := e.(*cppast.Init); return ok }

// refine is a declared variable with what its initializer says.
func refine(declared, init *NativeValue) *NativeValue {
	return declared.with(func(v *NativeValue) {
		if v.Kind == NativeUnknown || v.Kind == NativeTensor && init.Kind == NativeTensor || v.Kind == NativeOptions {
			local, static, typ := v.Local, v.Static, v.Type
			*v = *init
			v.Local, v.Static, v.Type = local && init.Kind != NativePointer || init.Local && init.Kind == NativePointer, static, typ
			return
		}
		v.Read, v.Length, v.Cached = init.Read, init.Length, init.Cached || init.Static
		switch v.Kind {
		case NativeStream:
			v.Default = init.Default
		case NativePointer:
			v.Place, v.Managed, v.Local = init.Place, init.Managed, init.Local
			if init.Kind == NativeUnknown {
				v.Local = false
			}
		}
	})
}

// report keeps a hazard. Places on the way to an error that ends the call do not count.
func (w *nativeWalk) report(r *Rule, n cppast.Node, rep report) {
	if w.dead > 0 {
		return
	}
	span := n.Pos()
	key := place{r.ID, w.file.Path, span.Off, span.EndOff}
	h := &raw{rule: r, path: w.file.Path, span: span, fix: rep.fix, severity: rep.severity, confidence: rep.confidence,
		function: w.fn.Name, code: oneLine(w.file.Text(n))}
	if len(w.guards) > 0 {
		g := w.guards[0]
		h.guard = &g
	}
	if old := w.found[key]; old != nil && !h.better(old) {
		return
	}
	h.message = strings.ReplaceAll(rep.message, "{expr}", "`"+h.code+"`")
	h.tokens = cppast.Tokens(w.file.Source[span.Off:span.EndOff])
	w.found[key] = h
}

// aborts reports whether a block always ends the call with an error.
func aborts(body []cppast.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	switch s := body[len(body)-1].(type) {
	case *cppast.Throw:
		return true
	case *cppast.Block:
		return aborts(s.Body)
	case *cppast.If:
		return aborts(s.Then) && aborts(s.Else)
	case *cppast.ExprStmt:
		c, ok := s.X.(*cppast.Call)
		if !ok {
			return false
		}
		switch name := lastPart(calleeName(c)); name {
		case "abort", "exit", "_exit", "terminate", "quick_exit", "AT_ERROR", "TORCH_CHECK_NOT_IMPLEMENTED", "rethrow_exception":
			return true
		case "TORCH_CHECK", "STD_TORCH_CHECK", "TORCH_INTERNAL_ASSERT", "CHECK", "assert":
			if len(c.Args) > 0 {
				l, ok := c.Args[0].(*cppast.Lit)
				return ok && (l.Text == "false" || l.Text == "0")
			}
		}
	}
	return false
}

// leaves reports whether a block always leaves the function.
func leaves(body []cppast.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	if _, ok := body[len(body)-1].(*cppast.Return); ok {
		return true
	}
	return aborts(body)
}
