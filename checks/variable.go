package checks

import (
	"strings"

	"github.com/gatebot/gatebot/internal/pyast"
)

// name is the value of a variable: local, of a function around, global, builtin.
func (fr *frame) name(id string) *Value {
	if v, ok := fr.env.get(id); ok {
		return v
	}
	if v := fr.in.globalValue(fr.u.mod, id); v != nil {
		return v
	}
	v := fr.in.plain[id]
	if v == nil {
		v = plainName(id)
		fr.in.plain[id] = v
	}
	return v
}

// plainName is a name that nothing in the project gives a meaning.
func plainName(id string) *Value {
	if builtins[id] || strings.HasSuffix(id, "Error") || strings.HasSuffix(id, "Exception") || strings.HasSuffix(id, "Warning") {
		return external("builtins." + id)
	}
	return hint(id)
}

var builtins = set("abs all any ascii bin bool breakpoint bytearray bytes callable chr classmethod complex delattr dict " +
	"dir divmod enumerate eval exec filter float format frozenset getattr globals hasattr hash help hex id input int " +
	"isinstance issubclass iter len list locals map max memoryview min next object oct open ord pow print property range " +
	"repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip __import__ " +
	"NotImplemented __name__ __file__ __debug__")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// globalValue is the value of a name at the top level of a module, nil when there is no such name.
func (in *interp) globalValue(m *module, name string) *Value {
	key := nameIn{m, name}
	v, ok := in.named[key]
	if !ok {
		s := in.lookup(m, name)
		v = in.symbolValue(s)
		if s.val == nil { // a variable may be in the middle of being found out
			in.named[key] = v
		}
	}
	return v
}

func (in *interp) symbolValue(s symbol) *Value {
	switch {
	case s.fn != nil:
		return &Value{Kind: KindFunc, Rank: -1, Place: PlaceHost, Sure: Likely, Func: s.fn}
	case s.cls != nil:
		return &Value{Kind: KindClass, Rank: -1, Place: PlaceHost, Sure: Likely, Class: s.cls}
	case s.mod != nil:
		return &Value{Kind: KindModule, Rank: -1, Place: PlaceHost, Sure: Likely, Name: s.mod.path}
	case s.ext != "":
		return external(s.ext)
	case s.val != nil:
		return in.variable(*s.val)
	}
	return nil
}

// variable evaluates the assignments to a variable at the top level of a module.
func (in *interp) variable(g globalVar) *Value {
	if v, ok := in.globals[g]; ok {
		return v
	}
	in.asked.values[g] = true
	in.globals[g] = unknown // while it is being computed: a cycle
	u := in.unit(g.mod)
	if u == nil {
		return unknown
	}
	fr := in.moduleFrame(u)
	var v *Value
	in.quiet++
	in.frames = append(in.frames, fr)
	walkStmts(u.tree.Body, func(n pyast.Node) bool {
		switch s := n.(type) {
		case *pyast.FuncDef, *pyast.ClassDef, pyast.Expr:
			return false
		case *pyast.Assign:
			for _, t := range s.Targets {
				if id, ok := t.(*pyast.Name); ok && id.ID == g.name {
					v = join(v, fr.eval(s.Value))
				}
			}
		case *pyast.AnnAssign:
			if id, ok := s.Target.(*pyast.Name); ok && id.ID == g.name && s.Value != nil {
				v = join(v, fr.eval(s.Value))
			}
		}
		return true
	})
	fr.ended()
	in.frames = in.frames[:len(in.frames)-1]
	in.quiet--
	if v == nil || v.IsUnknown() {
		v = hint(g.name)
	}
	in.globals[g] = v
	return v
}

// atTop is what an expression is at the top level of a module: a default of a parameter, mostly a literal.
func (in *interp) atTop(u *unit, e pyast.Expr) *Value {
	if c, ok := e.(*pyast.Const); ok && in.trace == nil {
		if !in.budget(1) {
			return unknown
		}
		return literal(c)
	}
	fr := in.moduleFrame(u)
	in.quiet++
	in.frames = append(in.frames, fr)
	v := fr.eval(e)
	fr.ended()
	in.frames = in.frames[:len(in.frames)-1]
	in.quiet--
	return v
}

// moduleFrame evaluates expressions at the top level of a module.
func (in *interp) moduleFrame(u *unit) *frame {
	fr := &frame{in: in, u: u, env: newEnv(nil), values: takeValues(0)}
	fr.pass.in, fr.pass.fr = in, fr
	return fr
}
