package checks

import "maps"

// env holds the variables of one function at one point of it. Attributes and dict entries that the function has
// stored itself are kept here too, under "#object.name", so that they are flow-sensitive like variables.
type env struct {
	vars map[string]*Value
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
	e.vars[name] = v
}

func (e *env) clone() *env { return &env{vars: maps.Clone(e.vars), up: e.up, dead: e.dead} }

// merge makes e what holds after e or o.
func (e *env) merge(o *env) {
	switch {
	case o == nil || o.dead:
	case e.dead:
		e.vars, e.dead = maps.Clone(o.vars), false
	default:
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
