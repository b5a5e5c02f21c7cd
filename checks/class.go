package checks

import (
	"strconv"
	"strings"

	"github.com/gatebot/gatebot/internal/pyast"
)

// classState is what is known about the objects of a class that somebody else made: the attributes that __init__ and
// the other methods store, joined.
type classState struct {
	obj    *Object
	begun  bool // the constructor has been heard
	busy   bool
	ran    map[*Func]bool
	sought map[string]bool   // attributes whose storing methods have all run
	static map[string]*Value // class variables
	vars   map[string]*Value // and those of ancestors, once they are known
}

func (in *interp) state(c *Class) *classState {
	s := in.objects[c]
	if s == nil {
		s = &classState{obj: in.newObject(), ran: map[*Func]bool{}, sought: map[string]bool{}, static: map[string]*Value{}, vars: map[string]*Value{}}
		s.obj.of = c
		in.objects[c] = s
	}
	return s
}

// generic is an object of class c about whose making nothing is known.
func (in *interp) generic(c *Class) *Value {
	in.asked.of(c, askShape, "")
	return &Value{Kind: KindInstance, Rank: -1, Place: PlaceHost, Sure: Likely, Class: c, Obj: in.state(c).obj}
}

// instanceState finds an attribute that v itself has not stored: from what __init__ stores without arguments, then the
// methods that store it, then from the class body.
func (in *interp) instanceState(c *Class, v *Value, name string) *Value {
	s := in.state(c)
	if s.busy {
		if held := s.obj.attr(name); held != nil {
			return held
		}
		return in.classVar(c, name)
	}
	if !s.begun {
		s.begun = true
		if init := in.method(c, "__init__"); init != nil {
			s.ran[init] = true
			in.work -= 64
			in.take(s, stateKey{c, init}, in.level-1)
		}
	}
	held := s.obj.attr(name)
	if v.Obj != s.obj && v.Obj != nil && v.Obj.attr(name) != nil {
		held = v.Obj.attr(name) // None so far
	}
	if held == nil || held.IsNone() || held.IsUnknown() || held.IsTensor() && held.Place == PlaceUnknown {
		if !s.sought[name] {
			in.storeAll(s, c, name)
			s.sought[name] = true
		}
		held = join(held, s.obj.attrs[name])
		if held != nil && held.Sure == Possible && s.obj.attrs[name] != nil && !s.obj.attrs[name].IsNone() {
			held = s.obj.attrs[name]
		}
	}
	if held != nil && !held.IsUnknown() && !held.IsNone() {
		return held
	}
	if cv := in.classVar(c, name); cv != nil {
		return join(held, cv)
	}
	return held
}

// storeAll adds what the methods store that assign self.name.
func (in *interp) storeAll(s *classState, c *Class, name string) {
	for _, k := range c.mro {
		for _, m := range in.storing(k, name) {
			if !s.ran[m] {
				s.ran[m] = true
				in.work -= 64
				in.take(s, stateKey{c, m}, in.level-1)
			}
		}
	}
}

// storing lists the methods of this class that assign self.name, in source order.
func (in *interp) storing(c *Class, name string) []*Func {
	in.asked.of(c, askStores, name)
	if _, ok := c.attrs[name]; !ok {
		return nil
	}
	return c.stores[name]
}

// runForState runs a method for what it stores on self, without events.
func (in *interp) runForState(s *classState, c *Class, m *Func) {
	u, node := in.syntax(m)
	if node == nil {
		return
	}
	s.busy = true
	in.quiet++
	args := in.entryArgs(u, m, node)
	fr := in.activate(u, m, node, node.Body, nil, nil)
	fr.guards = nil
	in.bindEntry(fr, node, args)
	self := in.generic(c)
	if len(node.Params) > 0 && m.Kind != FuncStatic {
		fr.env.set(node.Params[0].Name, self)
		fr.self = self
	}
	in.run(fr, node.Body)
	in.quiet--
	s.busy = false
}

// classVar is a variable of a class body, or what its annotation says.
func (in *interp) classVar(c *Class, name string) *Value {
	known := in.state(c).vars
	if v, ok := known[name]; ok {
		return v
	}
	v := in.findClassVar(c, name)
	if in.making == 0 {
		known[name] = v
	}
	return v
}

func (in *interp) findClassVar(c *Class, name string) *Value {
	for _, k := range c.mro {
		s := in.state(k)
		v, ok := s.static[name]
		if !ok {
			v = in.classBody(k, name)
			if in.making == 0 { // before the makers have been heard it is not the last word
				s.static[name] = v
			}
		}
		if v != nil {
			return v
		}
	}
	return nil
}

func (in *interp) classBody(c *Class, name string) *Value {
	in.asked.of(c, askBody, name)
	u := in.unit(c.mod)
	if u == nil {
		return nil
	}
	node := u.class(c)
	if node == nil {
		return nil
	}
	fr := in.moduleFrame(u)
	in.quiet++
	in.frames = append(in.frames, fr)
	defer func() {
		fr.ended()
		in.frames = in.frames[:len(in.frames)-1]
		in.quiet--
	}()
	var out *Value
	for _, s := range node.Body {
		switch s := s.(type) {
		case *pyast.Assign:
			for _, t := range s.Targets {
				if id, ok := t.(*pyast.Name); ok && id.ID == name {
					out = join(out, fr.eval(s.Value))
				}
			}
		case *pyast.AnnAssign:
			id, ok := s.Target.(*pyast.Name)
			if !ok || id.ID != name {
				continue
			}
			if s.Value != nil && !c.data {
				out = join(out, fr.eval(s.Value))
			}
			if out == nil || out.IsNone() || out.IsUnknown() {
				if a := in.annotation(c.mod, u.tree.Text(s.Annotation), in.isModule(c)); a != nil {
					out = remarked(a, u.tree.Source, s.EndOff)
					if out.IsTensor() && in.kept(c.mod, name, false) {
						out = out.with(func(v *Value) { v.Place = PlaceCPU })
					}
					if c.data && named(name, out) == out {
						out = in.asMade(c, name, out)
					}
				}
			}
		}
	}
	return out
}

// classAttr is Class.name.
func (in *interp) classAttr(c *Class, name string) *Value {
	if m := in.method(c, name); m != nil {
		v := &Value{Kind: KindFunc, Rank: -1, Place: PlaceHost, Sure: Likely, Func: m}
		if m.Kind == FuncClassMethod {
			v.Recv = &Value{Kind: KindClass, Rank: -1, Place: PlaceHost, Sure: Likely, Class: c}
		}
		return v
	}
	for _, e := range c.ext {
		if strings.HasSuffix(e, "Enum") || strings.HasSuffix(e, "Flag") {
			return hostUnknown
		}
	}
	in.asked.of(c, askNested, name)
	if nested := c.mod.nested(c.Name + "." + name); nested != nil {
		return &Value{Kind: KindClass, Rank: -1, Place: PlaceHost, Sure: Likely, Class: nested}
	}
	return in.classVar(c, name)
}

func (m *module) nested(name string) *Class {
	for _, c := range m.allCls {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// firstFields are the first parameters of a constructor that is made.
func (c *Class) firstFields(n int) []string {
	var out []string
	for i := len(c.mro) - 1; i >= 0; i-- {
		out = append(out, c.mro[i].fields...)
	}
	return out[:min(n, len(out))]
}

// construct is Class(args).
func (fr *frame) construct(c *Class, args []Arg, n pyast.Expr) *Value {
	fr.in.asked.of(c, askShape, "")
	v := &Value{Kind: KindInstance, Rank: -1, Place: PlaceHost, Sure: Likely, Class: c, Obj: fr.objectAt(n)}
	if init := fr.in.method(c, "__init__"); init != nil {
		if fr.in.quiet > 0 && fr.in.depth() > maxQuietDepth {
			return fr.in.generic(c) // an object inside an object inside an object
		}
		work := fr.in.work
		fr.in.work = min(work, maxInitWork)
		fr.quietly(func() { fr.callUser(init, v, args, n) })
		fr.in.work = work - (min(work, maxInitWork) - fr.in.work)
		return v
	}
	if !c.data {
		return v
	}
	pos := 0
	for _, a := range args {
		if a.Star == 0 && a.Name == "" {
			pos++
		}
	}
	fields := c.firstFields(pos)
	if pos > 0 { // one more behind them changes nothing
		fr.in.asked.of(c, askFields, strconv.Itoa(pos))
	}
	pos = 0
	for _, a := range args {
		switch {
		case a.Star != 0:
		case a.Name != "":
			fr.in.stored(c, a.Name, a.Value)
			v.Obj.set(a.Name, a.Value)
		case pos < len(fields):
			fr.in.stored(c, fields[pos], a.Value)
			v.Obj.set(fields[pos], a.Value)
			pos++
		}
	}
	return v
}
