package checks

import "slices"

// adopt is a value of another interpreter with objects of this one's own: what is stored in them here must not be seen
// elsewhere. The object that stands for all objects of a class is the one of this interpreter.
func (in *interp) adopt(v *Value) *Value {
	if v.plain() {
		return v
	}
	if out, ok := in.adopted[v]; ok {
		return out
	}
	c := *v
	c.Obj, c.Elem, c.Recv, c.more = in.adoptObject(v.Obj), in.adopt(v.Elem), in.adopt(v.Recv), in.adoptMore(v.more)
	changed := c.Obj != v.Obj || c.Elem != v.Elem || c.Recv != v.Recv || c.more != v.more
	c.Items = in.adoptAll(v.Items, &changed)
	out := v
	if changed {
		out = &c
	}
	in.adopted[v] = out
	return out
}

func (in *interp) adoptMore(m *moreValue) *moreValue {
	if m == nil {
		return nil
	}
	own := &moreValue{lambda: m.lambda, closure: in.adoptEnv(m.closure)}
	changed := own.closure != m.closure || len(m.partial) > 0
	own.also = in.adoptAll(m.also, &changed)
	for _, a := range m.partial {
		own.partial = append(own.partial, Arg{Name: a.Name, Star: a.Star, Value: in.adopt(a.Value), Node: a.Node})
	}
	if !changed {
		return m
	}
	return own
}

func (in *interp) adoptAll(vs []*Value, changed *bool) []*Value {
	out := vs
	for i, v := range vs {
		w := in.adopt(v)
		if w == v {
			continue
		}
		if &out[0] == &vs[0] {
			out = append([]*Value{}, vs...)
		}
		out[i], *changed = w, true
	}
	return out
}

func (in *interp) adoptObject(o *Object) *Object {
	if o == nil {
		return nil
	}
	if o.of != nil {
		return in.state(o.of).obj
	}
	if own, ok := in.objectOf[o]; ok {
		return own
	}
	own := in.newObject()
	in.objectOf[o] = own
	in.adoptAttrs(own.attrs, o.attrs)
	own.elem = in.adopt(o.elem)
	if own.early = o.early; !o.early && len(o.load) > 0 {
		own.load = make(map[string]*Value, len(o.load))
		in.adoptAttrs(own.load, o.load)
	}
	return own
}

// adoptAttrs copies what an object holds. Objects get their numbers in the order of names.
func (in *interp) adoptAttrs(own, from map[string]*Value) {
	var rest []string
	for name, v := range from {
		if v.plain() {
			own[name] = v
		} else {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	for _, name := range rest {
		own[name] = in.adopt(from[name])
	}
}

// plain reports whether a value leads to no other.
func (v *Value) plain() bool {
	return v == nil || v.Obj == nil && v.Elem == nil && len(v.Items) == 0 && v.Recv == nil && v.more == nil
}

// adoptEnv copies the variables around a function. What they say of objects at that point is left out: objects are known
// under other numbers here, and say it themselves.
func (in *interp) adoptEnv(e *env) *env {
	if e == nil {
		return nil
	}
	if own, ok := in.envOf[e]; ok {
		return own
	}
	own := newEnv(nil)
	in.envOf[e] = own
	own.up, own.dead = in.adoptEnv(e.up), e.dead
	for _, b := range e.vars.variables() {
		own.vars = append(own.vars, binding{b.holder, in.adopt(b.v)})
	}
	return own
}
