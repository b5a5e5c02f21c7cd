package checks

import (
	"github.com/gatebot/gatebot/internal/pyast"
)

// callFunc calls a function or lambda of the project.
func (fr *frame) callFunc(f *Value, args []Arg, e pyast.Node) *Value {
	if fixed := f.partial(); len(fixed) > 0 {
		args = append(append([]Arg{}, fixed...), args...)
	}
	if f.lambda() != nil {
		return fr.callLambda(f, args, e)
	}
	if f.Recv != nil {
		return fr.callUser(f.Func, f.Recv, args, e)
	}
	return fr.callClosure(f.Func, nil, args, e, f.closure())
}

func (fr *frame) callLambda(f *Value, args []Arg, e pyast.Node) *Value {
	in := fr.in
	if len(in.frames) > maxDepth || !in.budget(4) {
		return unknown
	}
	at := f.lambda()
	u := in.unit(at.mod)
	if u == nil {
		return unknown
	}
	node := u.lambda(at.off)
	if node == nil {
		return unknown
	}
	for _, o := range in.frames {
		if o.u.mod == at.mod && o.node != nil && o.node.Pos().Off == at.off {
			return unknown
		}
	}
	g := in.activate(u, f.Func, node, nil, f.closure(), e)
	g.loop = fr.loop
	bind(g, node.Params, nil, args)
	in.frames = append(in.frames, g)
	v := g.eval(node.Body)
	g.ended()
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
	if len(in.frames) > maxDepth || in.quiet > 0 && in.depth() > maxQuietDepth+2 || in.active(f) >= maxRecurse ||
		!in.budget(8) {
		return in.promised(f)
	}
	first := recv
	if f.Kind != FuncMethod && f.Kind != FuncProperty && f.Kind != FuncClassMethod {
		first = nil
	}
	cold := in.quiet == 0 && (in.around || in.hot.cold(f))
	if cold {
		in.quiet++
		defer func() { in.quiet-- }()
	}
	var key callKey
	if closure == nil {
		sig := in.signature(first, args)
		if v, ok := in.memo[callKey{f, string(sig)}]; ok {
			return v
		}
		key = callKey{f, string(sig)}
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
		in.follow(f)
	}
	g := in.activate(u, f, node, node.Body, closure, e)
	if recv != nil && recv.Kind == KindInstance {
		g.self = recv
	}
	in.defaults(g, node)
	bind(g, node.Params, first, args)
	v := in.run(g, node.Body)
	if v.IsUnknown() || v.IsNone() && isAbstract(node) {
		if p := in.promised(f); !p.IsUnknown() {
			v = p
		}
	}
	if key.fn != nil {
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
