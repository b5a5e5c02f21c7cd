package checks

import (
	"strings"

	"github.com/gatebot/gatebot/internal/pyast"
)

// entryArgs are the values of the parameters of a function that is looked at on its own.
func (in *interp) entryArgs(u *unit, f *Func, node *pyast.FuncDef) map[string]*Value {
	out := map[string]*Value{}
	for i, p := range node.Params {
		switch {
		case i == 0 && f.Class != nil && f.outer == nil && f.Kind != FuncStatic:
			if f.Kind == FuncClassMethod || f.short == "__new__" || f.short == "__init_subclass__" {
				out[p.Name] = &Value{Kind: KindClass, Rank: -1, Place: PlaceHost, Sure: Likely, Class: f.Class}
			} else {
				out[p.Name] = in.generic(f.Class)
			}
			continue
		case p.Star == 1:
			out[p.Name] = list(nil)
			continue
		case p.Star == 2:
			out[p.Name] = &Value{Kind: KindDict, Rank: -1, Sure: Likely, Obj: in.newObject()}
			continue
		}
		if p.Annotation != nil {
			if v := in.annotation(f.mod, u.tree.Text(p.Annotation), true); v != nil {
				if isNone(p.Default) { // `x: float = None` is older than Optional
					v = optionalOf(v)
				}
				v = assumed(in.placed(u, v, p), param{f, p.Name})
				switch {
				case !v.OnDevice():
				case u.usesOf(node).host[p.Name]:
					v = v.with(func(c *Value) { c.Place = PlaceCPU })
				case hostSide(f):
					v = v.with(func(c *Value) { c.Sure = Possible })
				}
				out[p.Name] = v
				continue
			}
		}
		out[p.Name] = assumed(in.unannotated(u, f, p, u.usesOf(node)), param{f, p.Name})
	}
	if v := in.protocolState(f); v != nil && len(node.Params) == 2 {
		out[node.Params[0].Name] = v
		out[node.Params[1].Name] = hostInt
	}
	return out
}

// hostSide reports whether f keeps something in host memory, by the name of its class or file: what it is handed may be
// there too.
func hostSide(f *Func) bool {
	if c := f.Class; c != nil && (strings.Contains(c.short, "Host") || strings.Contains(c.short, "CPU") || strings.Contains(c.short, "Cpu")) {
		return true
	}
	return strings.Contains(f.Path, "pool_host") || strings.Contains(f.Path, "host_pool")
}

// placed gives a tensor parameter its place: where its name says host, it is on the host.
func (in *interp) placed(u *unit, v *Value, p pyast.Param) *Value {
	if v.Kind == KindDevice || v.Kind == KindString || v.Kind == KindNumber { // device: str
		if h := hint(p.Name); h.Kind == KindDevice {
			return h
		}
		return v
	}
	if v.Kind != KindTensor {
		return v
	}
	if h := hint(p.Name); h.OnCPU() {
		return h
	}
	if in.kept(u.mod, p.Name, true) {
		v = v.with(func(c *Value) { c.Place = PlaceCPU })
	}
	if v.DType == DTypeUnknown {
		v = v.with(func(c *Value) { c.DType = typeByName(p.Name) })
	}
	if v.Place == PlaceDevice && gridName(p.Name) {
		v = v.with(func(c *Value) { c.Sure = Possible })
	}
	return flowAt(u, v, p, "parameter of a function on the hot path")
}

func flowAt(u *unit, v *Value, n pyast.Node, note string) *Value {
	pos := n.Pos()
	return v.with(func(c *Value) {
		c.Flow = &Flow{Path: u.mod.path, Line: int(pos.Start.Line), Note: note, off: pos.Off, end: pos.EndOff, n: 1}
	})
}

// protocolState is the state of a step module: what its build returns.
func (in *interp) protocolState(f *Func) *Value {
	if f.Class != nil || f.outer != nil || (f.short != "step" && f.short != "prepare" && f.short != "bucket") || !in.hot.protocol(f.mod) {
		return nil
	}
	key := globalVar{f.mod, "build()"}
	if v, ok := in.globals[key]; ok {
		return v
	}
	u, node := in.syntax(f.mod.funcs["build"])
	if node == nil {
		return nil
	}
	in.quiet++
	work := in.work
	in.work = maxWork
	fr := in.activate(u, f.mod.funcs["build"], node, node.Body, nil, nil)
	fr.env.set(node.Params[0].Name, device(PlaceDevice, ""))
	v := in.run(fr, node.Body)
	in.work = work
	in.quiet--
	in.globals[key] = v
	return v
}

// bindEntry puts the parameters into the frame.
func (in *interp) bindEntry(fr *frame, node *pyast.FuncDef, args map[string]*Value) {
	for i, p := range node.Params {
		fr.env.set(p.Name, args[p.Name])
		if i == 0 && args[p.Name] != nil && args[p.Name].Kind == KindInstance {
			fr.self = args[p.Name]
		}
	}
}

func isNone(e pyast.Expr) bool {
	c, ok := e.(*pyast.Const)
	return ok && c.Kind == pyast.ConstNone
}
