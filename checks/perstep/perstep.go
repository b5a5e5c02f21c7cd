// Package perstep says which host numbers of a function differ from one step to the next: the step or position that the
// caller counts up, a counter that the code counts up itself, and what is computed from those. It is lexical and looks
// at one function; that an expression is a number, and no constant, is asked of the interpreter.
package perstep

import (
	"maps"
	"slices"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/pyast"
)

// names are the usual names of what grows in each step. A parameter or an attribute of such a name counts when it is a
// number on the host.
var names = map[string]bool{"i": true, "step": true, "step_idx": true, "step_id": true, "cur_step": true, "pos": true,
	"position": true, "cur_pos": true, "start_pos": true, "cur_len": true, "current_len": true, "past_len": true,
	"cache_len": true, "iteration": true, "step_num": true, "global_step": true, "past_length": true}

// Names lists them, for Rule.Mentions.
func Names() []string { return slices.Sorted(maps.Keys(names)) }

// Numbers are the per-step numbers of one function.
type Numbers struct {
	p    *checks.Pass
	vars map[string]bool // by the text of a name or attribute
}

// In finds them. Call it from Done.
func In(p *checks.Pass) *Numbers {
	n := &Numbers{p: p, vars: map[string]bool{}}
	fn, ok := p.Node().(*pyast.FuncDef)
	if !ok {
		return n
	}
	for _, param := range fn.Params {
		if names[param.Name] && param.Star == 0 && (param.Name != "i" || fn.Name == "step") {
			n.vars[param.Name] = true
		}
	}
	for range 3 { // chains of assignments are short
		before := len(n.vars)
		region.Walk(fn, n.assigned)
		if len(n.vars) == before {
			break
		}
	}
	return n
}

func (n *Numbers) assigned(x pyast.Node) {
	switch x := x.(type) {
	case *pyast.Assign:
		if _, ok := n.Varies(x.Value); !ok {
			return
		}
		for _, t := range x.Targets {
			if id, ok := t.(*pyast.Name); ok {
				n.vars[id.ID] = true
			}
		}
	case *pyast.Attr:
		if names[x.Name] && x.Name != "i" && region.Last(x.X) == "self" {
			n.vars[n.p.Text(x)] = true
		}
	}
}

// Any reports whether there are any.
func (n *Numbers) Any() bool { return len(n.vars) > 0 }

// Varies reports whether e is a host number that is computed from a per-step one, and the name of that.
func (n *Numbers) Varies(e pyast.Expr) (name string, ok bool) {
	if v := n.p.Value(e); v == nil || !v.IsNumber() || v.Const != nil || v.Optional {
		return "", false
	}
	return n.reads(e)
}

// reads looks through arithmetic and conversions; what a call returns is something else.
func (n *Numbers) reads(e pyast.Expr) (string, bool) {
	switch e := e.(type) {
	case *pyast.Name, *pyast.Attr:
		text := n.p.Text(e)
		v := n.p.Value(e)
		return text, n.vars[text] && v.IsNumber() && v.Const == nil
	case *pyast.Binary:
		if name, ok := n.reads(e.L); ok {
			return name, true
		}
		return n.reads(e.R)
	case *pyast.Unary:
		return n.reads(e.X)
	case *pyast.Call:
		switch n.p.Callee(e) {
		case "builtins.int", "builtins.float", "builtins.min", "builtins.max":
			for _, a := range e.Args {
				if name, ok := n.reads(a.Value); ok {
					return name, true
				}
			}
		}
	}
	return "", false
}
