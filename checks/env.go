package checks

import "maps"

// env holds the variables of one function at one point of it. Attributes and dict entries that the function has
// stored itself are kept here too, under "#object.name", so that they are flow-sensitive like variables.
type env struct {
	vars map[string]*Value
	// refs counts the points that have these very vars: each has its own from when it changes them. Nil for one.
	refs *int
	up   *env // of the function around, for closures
	dead bool // this point is not reached: after a return, raise, break or continue
}

func newEnv(up *env) *env { return &env{vars: map[string]*Value{}, up: up} }

func (e *env) get(name string) (*Value, bool) {
	for ; e != nil; e = e.up {
		if v, ok := e.vars[name]; ok {
			return v, true
		}
	}
	return nil, false
}

func (e *env) set(name string, v *Value) {
	if v == nil {
		v = unknown
	}
	e.own()
	e.vars[name] = v
}

func (e *env) unset(name string) {
	if _, ok := e.vars[name]; ok {
		e.own()
		delete(e.vars, name)
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
		e.vars, e.refs = maps.Clone(e.vars), nil
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
		e.own()
		for k, v := range o.vars {
			e.vars[k] = join(e.vars[k], v)
		}
	}
}

// equal reports whether nothing has changed.
func (e *env) equal(o *env) bool {
	if len(e.vars) != len(o.vars) {
		return false
	}
	for k, v := range e.vars {
		w, ok := o.vars[k]
		if !ok || !same(v, w) {
			return false
		}
	}
	return true
}
