package checks

import "strings"

// env holds the variables of one function at one point of it. Attributes and dict entries that the function has
// stored itself are kept here too, under their object, so that they are flow-sensitive like variables.
type env struct {
	vars bindings
	// refs counts the points that have these very vars: each has its own from when it changes them. Nil for one.
	refs *int
	up   *env // of the function around, for closures
	dead bool // this point is not reached: after a return, raise, break or continue
}

// bindings are what names hold, in their order: a function has few variables, and most of what is done with them is to
// copy them for another point and to put two points together.
type bindings []binding

type binding struct {
	holder
	v *Value
}

// holder is what holds a value: a variable, whose object is 0, or an attribute of an object.
type holder struct {
	object int
	name   string
}

// compare orders what holds values: variables first, and short names, since that is told without looking at them.
func (h holder) compare(o holder) int {
	switch {
	case h.object != o.object:
		return h.object - o.object
	case len(h.name) != len(o.name):
		return len(h.name) - len(o.name)
	}
	return strings.Compare(h.name, o.name)
}

// find is where something is, or would be.
func (b bindings) find(h holder) (int, bool) {
	lo, hi := 0, len(b)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		switch c := b[mid].compare(h); {
		case c == 0:
			return mid, true
		case c < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return lo, false
}

// variables are the bindings that are no attributes.
func (b bindings) variables() bindings {
	n := 0
	for n < len(b) && b[n].object == 0 {
		n++
	}
	return b[:n]
}

func newEnv(up *env) *env { return &env{up: up} }

// get finds a variable of the function or of one around it.
func (e *env) get(name string) (*Value, bool) {
	for ; e != nil; e = e.up {
		if v := e.local(name); v != nil {
			return v, true
		}
	}
	return nil, false
}

// local is a variable of the function itself, nil when there is none.
func (e *env) local(name string) *Value { return e.at(holder{name: name}) }

// at is nil for what holds nothing.
func (e *env) at(h holder) *Value {
	if i, ok := e.vars.find(h); ok {
		return e.vars[i].v
	}
	return nil
}

func (e *env) set(name string, v *Value) { e.put(holder{name: name}, v) }

func (e *env) put(h holder, v *Value) {
	if v == nil {
		v = unknown
	}
	i, ok := e.vars.find(h)
	if ok && e.vars[i].v == v {
		return
	}
	e.own()
	if ok {
		e.vars[i].v = v
		return
	}
	if e.vars == nil {
		e.vars = make(bindings, 0, 8)
	}
	e.vars = append(e.vars, binding{})
	copy(e.vars[i+1:], e.vars[i:])
	e.vars[i] = binding{h, v}
}

func (e *env) unset(name string) {
	if i, ok := e.vars.find(holder{name: name}); ok {
		e.own()
		e.vars = append(e.vars[:i], e.vars[i+1:]...)
	}
}

func (e *env) clone() *env {
	out := &env{up: e.up, dead: e.dead}
	out.share(e)
	return out
}

// share gives e the variables of o: most points are left before one of them changes.
func (e *env) share(o *env) {
	if e.refs != nil {
		*e.refs--
	}
	if o.refs == nil {
		one := 1
		o.refs = &one
	}
	*o.refs++
	e.vars, e.refs = o.vars, o.refs
}

// own is called before a variable changes.
func (e *env) own() {
	if e.refs != nil && *e.refs > 1 {
		*e.refs--
		e.vars, e.refs = append(make(bindings, 0, len(e.vars)+len(e.vars)/4+2), e.vars...), nil
	}
}

// merge makes e what holds after e or o.
func (e *env) merge(o *env) {
	switch {
	case o == nil || o.dead:
	case e.dead:
		e.share(o)
		e.dead = false
	case e.refs != nil && e.refs == o.refs: // nothing has changed in either
	default:
		e.add(o.vars)
	}
}

// add joins o to what e has. Where that says nothing new e goes on sharing its variables.
func (e *env) add(o bindings) {
	i := 0
	for j := range o {
		for i < len(e.vars) && e.vars[i].compare(o[j].holder) < 0 {
			i++
		}
		if i == len(e.vars) || e.vars[i].holder != o[j].holder { // from here on there is more in o
			e.own()
			e.vars = append(e.vars[:i:i], e.vars[i:].with(o[j:])...)
			return
		}
		if v := join(e.vars[i].v, o[j].v); v != e.vars[i].v {
			e.own()
			e.vars[i].v = v
		}
		i++
	}
}

// with is what is in b or o.
func (b bindings) with(o bindings) bindings {
	out := make(bindings, 0, len(b)+len(o))
	for len(b) > 0 && len(o) > 0 {
		switch c := b[0].compare(o[0].holder); {
		case c == 0:
			out = append(out, binding{b[0].holder, join(b[0].v, o[0].v)})
			b, o = b[1:], o[1:]
		case c < 0:
			out, b = append(out, b[0]), b[1:]
		default:
			out, o = append(out, o[0]), o[1:]
		}
	}
	return append(append(out, b...), o...)
}

// equal reports whether nothing has changed.
func (e *env) equal(o *env) bool {
	if e.refs != nil && e.refs == o.refs {
		return true
	}
	if len(e.vars) != len(o.vars) {
		return false
	}
	for i, b := range e.vars {
		if w := o.vars[i]; b.holder != w.holder || !same(b.v, w.v) {
			return false
		}
	}
	return true
}
