package checks

import (
	"fmt"
	"strings"

	"github.com/gatebot/gatebot/internal/pyast"
)

// callFunc calls a function or lambda of the project.
func (fr *frame) callFunc(f *Value, args []Arg, e pyast.Node) *Value {
	if len(f.partial) > 0 {
		args = append(append([]Arg{}, f.partial...), args...)
	}
	if f.lambda != nil {
		return fr.callLambda(f, args, e)
	}
	if f.Recv != nil {
		return fr.callUser(f.Func, f.Recv, args, e)
	}
	return fr.callClosure(f.Func, nil, args, e, f.closure)
}

func (fr *frame) callLambda(f *Value, args []Arg, e pyast.Node) *Value {
	in := fr.in
	if len(in.frames) > maxDepth || !in.budget(4) {
		return unknown
	}
	u := in.unit(f.lambda.mod)
	if u == nil {
		return unknown
	}
	node := u.lambda(f.lambda.off)
	if node == nil {
		return unknown
	}
	for _, o := range in.frames {
		if o.u.mod == f.lambda.mod && o.node != nil && o.node.Pos().Off == f.lambda.off {
			return unknown
		}
	}
	g := in.activate(u, f.Func, node, nil, f.closure, e)
	g.loop = fr.loop
	bind(g, node.Params, args)
	in.frames = append(in.frames, g)
	v := g.eval(node.Body)
	in.frames = in.frames[:len(in.frames)-1]
	return v
}

// callUser calls a function of the project with a receiver (nil for plain functions).
func (fr *frame) callUser(f *Func, recv *Value, args []Arg, e pyast.Node) *Value {
	return fr.callClosure(f, recv, args, e, nil)
}

func (fr *frame) callClosure(f *Func, recv *Value, args []Arg, e pyast.Node, closure *env) *Value {
	in := fr.in
	if f.kernel {
		return unknown
	}
	if len(in.frames) > maxDepth || in.quiet > 0 && len(in.frames) > maxQuietDepth+2 || in.active(f) >= maxRecurse ||
		!in.budget(8) {
		return in.promised(f)
	}
	if recv != nil && (f.Kind == FuncMethod || f.Kind == FuncProperty || f.Kind == FuncClassMethod) {
		args = append([]Arg{{Value: recv}}, args...)
	}
	cold := in.quiet == 0 && in.hot.cold(f)
	if cold {
		in.quiet++
		defer func() { in.quiet-- }()
	}
	key := ""
	if closure == nil {
		key = in.signature(f, args)
		if v, ok := in.memo[key]; ok {
			return v
		}
		if len(in.memo) >= maxMemo {
			clear(in.memo) // it is a cache; what it holds on to is most of the memory
		}
		in.memo[key] = unknown // recursion with the same arguments
	}
	u, node := in.syntax(f)
	if node == nil {
		return unknown
	}
	if in.quiet == 0 {
		in.callers[f] = true
	}
	g := in.activate(u, f, node, node.Body, closure, e)
	if recv != nil && recv.Kind == KindInstance {
		g.self = recv
	}
	in.defaults(g, node)
	bind(g, node.Params, args)
	v := in.run(g, node.Body)
	if v.IsUnknown() || v.IsNone() && isAbstract(node) {
		if p := in.promised(f); !p.IsUnknown() {
			v = p
		}
	}
	if key != "" {
		in.memo[key] = v
	}
	return v
}

// promised is what the return annotation says.
func (in *interp) promised(f *Func) *Value {
	u, node := in.syntax(f)
	if node == nil || node.Returns == nil {
		return unknown
	}
	if v := in.annotation(f.mod, u.tree.Text(node.Returns), false); v != nil {
		if v.Kind == KindTensor {
			// Nothing says where the result lives; on the hot path it is the device.
			return v.with(func(c *Value) { c.Sure = Likely })
		}
		return v
	}
	return unknown
}

// isAbstract reports whether a body is only a docstring, pass, or raise NotImplementedError.
func isAbstract(node *pyast.FuncDef) bool {
	for _, s := range node.Body {
		switch s := s.(type) {
		case *pyast.ExprStmt:
			if _, ok := s.X.(*pyast.Const); !ok {
				return false
			}
		case *pyast.Jump, *pyast.Raise:
		default:
			return false
		}
	}
	return true
}

// defaults binds parameters that are not given.
func (in *interp) defaults(g *frame, node *pyast.FuncDef) {
	for _, p := range node.Params {
		switch {
		case p.Star == 1:
			g.env.set(p.Name, list(nil))
		case p.Star == 2:
			g.env.set(p.Name, &Value{Kind: KindDict, Rank: -1, Sure: Likely, Obj: in.newObject()})
		case p.Default != nil:
			m := in.moduleFrame(g.u)
			in.quiet++
			in.frames = append(in.frames, m)
			g.env.set(p.Name, m.eval(p.Default))
			in.frames = in.frames[:len(in.frames)-1]
			in.quiet--
		default:
			g.env.set(p.Name, unknown)
		}
	}
}

// bind gives the parameters of g their arguments.
func bind(g *frame, params []pyast.Param, args []Arg) {
	var free []pyast.Param
	var rest, kw *pyast.Param
	for i := range params {
		switch p := params[i]; {
		case p.Star == 1:
			rest = &params[i]
		case p.Star == 2:
			kw = &params[i]
		case !p.KeywordOnly:
			free = append(free, p)
		}
	}
	pos := 0
	var extra *Value
	for _, a := range args {
		switch {
		case a.Star == 1:
			// An unpacked sequence of unknown length may fill every position that is left.
			for _, p := range free[min(pos, len(free)):] {
				g.env.set(p.Name, spread(g, p, a.Value.Element()))
			}
			extra = join(extra, a.Value.Element())
			pos = len(free)
		case a.Star == 2:
			bindKeywords(g, params, a.Value)
			if kw != nil && a.Value.Obj != nil {
				g.env.set(kw.Name, a.Value)
			}
		case a.Name != "":
			if hasParam(params, a.Name) {
				g.env.set(a.Name, passed(g, a))
			} else if kw != nil {
				if d, ok := g.env.vars[kw.Name]; ok && d.Obj != nil {
					d.Obj.attrs[a.Name] = a.Value
				}
			}
		case pos < len(free):
			g.env.set(free[pos].Name, passed(g, Arg{Name: free[pos].Name, Value: a.Value, Node: a.Node}))
			pos++
		default:
			extra = join(extra, a.Value)
		}
	}
	if rest != nil && extra != nil {
		g.env.set(rest.Name, list(extra))
	}
}

// spread is what a parameter gets from a sequence of unknown length: what its type says, else perhaps an element.
func spread(g *frame, p pyast.Param, elem *Value) *Value {
	if v := annotatedOr(g, Arg{Name: p.Name, Value: unknown}); !v.IsUnknown() {
		return v
	}
	if p.Default != nil || elem == nil {
		return unknown
	}
	return elem.with(func(c *Value) { c.Sure = Possible })
}

func hasParam(params []pyast.Param, name string) bool {
	for _, p := range params {
		if p.Name == name && p.Star == 0 {
			return true
		}
	}
	return false
}

func bindKeywords(g *frame, params []pyast.Param, v *Value) {
	for _, p := range params {
		if p.Star != 0 {
			continue
		}
		if held := v.Attr(p.Name); held != nil {
			g.env.set(p.Name, held)
		} else if v.Obj == nil || v.Obj.elem != nil || len(v.Obj.attrs) == 0 {
			if old, ok := g.env.vars[p.Name]; ok && p.Default != nil {
				g.env.vars[p.Name] = old.with(func(c *Value) { c.Const = nil })
			}
		}
	}
}

// passed is an argument as the function sees it: with the call as a step of its evidence.
func passed(g *frame, a Arg) *Value {
	if a.Value.Kind != KindTensor || a.Node == nil || g.from == nil {
		if a.Value.IsUnknown() {
			return annotatedOr(g, a)
		}
		return a.Value
	}
	return g.from.step(a.Value, a.Node, "passed as "+a.Name)
}

// annotatedOr takes the annotation of a parameter for an argument of which nothing is known.
func annotatedOr(g *frame, a Arg) *Value {
	node, ok := g.node.(*pyast.FuncDef)
	if !ok || a.Value.Place == PlaceHost {
		return a.Value
	}
	for _, p := range node.Params {
		if p.Name != a.Name {
			continue
		}
		if p.Annotation != nil {
			if v := g.in.annotation(g.u.mod, g.u.tree.Text(p.Annotation), true); v != nil {
				return g.in.placed(g.u, v, p)
			}
		}
		if v := g.in.unannotated(g.u, g.fn, p, g.in.usesOf(g.fn, node)); !v.IsUnknown() || v.Place == PlaceHost {
			return v
		}
	}
	return a.Value
}

// signature identifies a call for the memo: the function, whether it is looked at for its value only, the guards it
// stands under, and the abstract arguments.
func (in *interp) signature(f *Func, args []Arg) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%p", f)
	if in.quiet > 0 {
		b.WriteByte('q')
	}
	if t := in.top(); t != nil && len(t.guards) > 0 {
		b.WriteByte('g')
	}
	for _, a := range args {
		b.WriteByte('|')
		b.WriteString(a.Name)
		if a.Star > 0 {
			b.WriteByte('*')
		}
		describe(&b, a.Value, 3)
	}
	return b.String()
}

func describe(b *strings.Builder, v *Value, depth int) {
	if v == nil || depth == 0 {
		b.WriteByte('?')
		return
	}
	b.WriteByte(byte('a' + v.Kind))
	b.WriteByte(byte('0' + v.Place))
	switch v.Kind {
	case KindTensor:
		b.WriteByte(byte('A' + v.Rank + 1))
		b.WriteByte(byte('0' + v.DType))
		b.WriteByte(byte('0' + v.Sure))
	case KindNumber, KindString:
		if v.Const != nil {
			fmt.Fprintf(b, "=%v", v.Const)
		}
	case KindInstance, KindDict:
		if v.Obj != nil {
			fmt.Fprintf(b, "#%d", v.Obj.id)
		}
		if v.Class != nil {
			b.WriteString(v.Class.Name)
		}
	case KindFunc, KindClass, KindExternal, KindModule:
		fmt.Fprintf(b, "%p%p%s", v.Func, v.Class, v.Name)
	}
	if v.Optional {
		b.WriteByte('o')
	}
	for _, it := range v.Items {
		describe(b, it, depth-1)
	}
	if v.Elem != nil {
		b.WriteByte('[')
		describe(b, v.Elem, depth-1)
	}
}
