package checks

import (
	"github.com/gatebot/gatebot/internal/pyast"
)

// defaults binds parameters that are not given.
func (in *interp) defaults(g *frame, node *pyast.FuncDef) {
	for _, p := range node.Params {
		switch {
		case p.Star == 1:
			g.env.set(p.Name, list(nil))
		case p.Star == 2:
			g.env.set(p.Name, &Value{Kind: KindDict, Rank: -1, Sure: Likely, Obj: in.newObject()})
		case p.Default != nil:
			g.env.set(p.Name, in.atTop(g.u, p.Default))
		default:
			g.env.set(p.Name, unknown)
		}
	}
}

// bind gives the parameters of g their arguments: what a method is called on, when there is such a thing, and then args.
func bind(g *frame, params []pyast.Param, recv *Value, args []Arg) {
	var rest, kw *pyast.Param
	free := params // by position
	for i := range params {
		p := &params[i]
		switch p.Star {
		case 1:
			rest = p
		case 2:
			kw = p
		}
		if (p.Star != 0 || p.KeywordOnly) && i < len(free) {
			free = params[:i]
		}
	}
	pos := 0
	var extra *Value
	if recv != nil && len(free) > 0 {
		g.env.set(free[0].Name, passed(g, Arg{Name: free[0].Name, Value: recv}))
		pos++
	} else if recv != nil {
		extra = recv
	}
	for _, a := range args {
		switch {
		case a.Star == 1:
			// An unpacked sequence of unknown length may fill every position that is left.
			for _, p := range free[pos:] {
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
				if d := g.env.local(kw.Name); d != nil && d.Obj != nil {
					d.Obj.split()
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
		} else if v.Obj == nil || v.Obj.elem != nil || len(v.Obj.all()) == 0 {
			if old := g.env.local(p.Name); old != nil && p.Default != nil {
				g.env.set(p.Name, old.with(func(c *Value) { c.Const = nil }))
			}
		}
	}
}

// passed is an argument as the function sees it: with the call as a step of its evidence.
func passed(g *frame, a Arg) *Value {
	g.in.handed(g.fn, a.Name, a.Value)
	if a.Value.Kind != KindTensor || a.Node == nil || g.from == nil {
		if a.Value.IsUnknown() {
			return annotatedOr(g, a)
		}
		return a.Value
	}
	v := g.from.step(a.Value, a.Node, "passed as ", a.Name)
	if v.Place == PlaceDevice {
		v = named(a.Name, v) // lens_cpu is on the CPU, whoever hands it in
	}
	if v.Sure == Likely && declaredHost(g, a.Name) {
		v = v.with(func(c *Value) { c.Sure = Possible }) // one of the two is wrong about it
	}
	return v
}

// declaredHost reports whether a parameter is declared as numbers: an int, or a list of tuples of ints.
func declaredHost(g *frame, name string) bool {
	node, ok := g.node.(*pyast.FuncDef)
	if !ok {
		return false
	}
	for _, p := range node.Params {
		if p.Name == name && p.Annotation != nil {
			v := g.in.annotation(g.u.mod, g.u.tree.Text(p.Annotation), true)
			return v != nil && !v.IsNone() && !v.IsUnknown() && (v.IsNumber() || v.IsSequence() && v.Element() != nil && v.HostData())
		}
	}
	return false
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
		if v := g.in.unannotated(g.u, g.fn, p, g.u.usesOf(node)); !v.IsUnknown() || v.Place == PlaceHost {
			return v
		}
	}
	return a.Value
}
