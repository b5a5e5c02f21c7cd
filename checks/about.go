package checks

import "github.com/gatebot/gatebot/internal/pyast"

// about is what the syntax of a function says as a whole. Finding it out takes a walk through the function; it is kept
// with the tree, since hundreds of tasks come through the same functions.
type about struct {
	uses     *paramUse
	bound    map[string]assignments
	captures *bool
}

// assignments are those to one variable.
type assignments struct {
	first pyast.Expr // of plain ones
	n     int        // plain and augmented
}

// about gives what is known of a function, under the lock of the unit.
func (u *unit) about(node *pyast.FuncDef, f func(*about)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	a := u.known[node]
	if a == nil {
		if u.known == nil {
			u.known = map[*pyast.FuncDef]*about{}
		}
		a = &about{}
		u.known[node] = a
	}
	f(a)
}

func (u *unit) usesOf(node *pyast.FuncDef) (use *paramUse) {
	u.about(node, func(a *about) {
		if a.uses == nil {
			a.uses = countUses(node)
		}
		use = a.uses
	})
	return use
}

// captures reports whether a function records a graph.
func (u *unit) captures(node *pyast.FuncDef) (on bool) {
	u.about(node, func(a *about) {
		if a.captures == nil {
			found := captures(node.Body)
			a.captures = &found
		}
		on = *a.captures
	})
	return on
}

// bound are the assignments to a variable in the function, without those in functions inside it.
func (fr *frame) bound(name string) (out assignments) {
	node, ok := fr.node.(*pyast.FuncDef)
	if !ok {
		return out
	}
	fr.u.about(node, func(a *about) {
		if a.bound == nil {
			a.bound = assignmentsIn(node)
		}
		out = a.bound[name]
	})
	return out
}

func assignmentsIn(node *pyast.FuncDef) map[string]assignments {
	out := map[string]assignments{}
	note := func(t, value pyast.Expr) {
		if id, ok := t.(*pyast.Name); ok {
			a := out[id.ID]
			if a.first == nil {
				a.first = value
			}
			a.n++
			out[id.ID] = a
		}
	}
	walkStmts(node.Body, func(n pyast.Node) bool {
		switch s := n.(type) {
		case *pyast.FuncDef, *pyast.ClassDef, pyast.Expr:
			return false
		case *pyast.Assign:
			for _, t := range s.Targets {
				note(t, s.Value)
			}
		case *pyast.AugAssign:
			note(s.Target, nil)
		}
		return true
	})
	return out
}

// boundOnce is what the function assigns to a variable, when there is one assignment only.
func (fr *frame) boundOnce(name string) pyast.Expr {
	if a := fr.bound(name); a.n == 1 {
		return a.first
	}
	return nil
}

// boundTo is what the function assigns to a variable first.
func (fr *frame) boundTo(name string) pyast.Expr { return fr.bound(name).first }
