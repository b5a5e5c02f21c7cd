package checks

import (
	"strings"

	"github.com/gatebot/gatebot/internal/pyast"
)

// A switch of the environment that looks into a run is off in production: os.environ.get("X_VERIFY", "0") == "1". What
// says so is the name, of the variable of the environment or of what holds it, and a default that is not on.

// watchWords are what such switches are for. They count for switches of the environment only: a parameter `check` may
// well be on.
var watchWords = set("debug dbg verbose verbosity trace tracing verify verifying validate validation check checks checker " +
	"checking diagnostics diagnostic dump dumps dumper profile profiler profiling sanity assert asserts nan nans canary " +
	"perturb audit inject fault log logging logs stats test testing")

func watchName(name string) bool {
	for w := range strings.FieldsFuncSeq(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '.' }) {
		if watchWords[w] {
			return true
		}
	}
	return false
}

// switchedOff reports whether the variable id, of the module or bound once in the function, holds such a switch.
func (fr *frame) switchedOff(id string, depth int) int {
	if depth == 0 {
		return 0
	}
	if _, local := fr.env.get(id); local {
		return fr.switchIn(fr.boundOnce(id), depth-1)
	}
	if s := fr.in.lookup(fr.u.mod, id); s.val != nil && fr.in.envSwitch(*s.val) {
		return 1
	}
	return 0
}

// switchIn judges what a variable is bound to.
func (fr *frame) switchIn(e pyast.Expr, depth int) int {
	switch e := e.(type) {
	case *pyast.Name:
		return fr.switchedOff(e.ID, depth)
	case *pyast.Attr:
		return fr.envField(e)
	case *pyast.Bool:
		if e.Op == "and" && (fr.switchIn(e.L, depth) > 0 || fr.switchIn(e.R, depth) > 0) {
			return 1
		}
	case *pyast.Call:
		if a, ok := e.Func.(*pyast.Attr); ok && a.Name == "get" && len(e.Args) == 0 {
			return fr.envField(a.X)
		}
		if readsSwitch(e, "") {
			return 1
		}
	}
	return 0
}

// envSwitch reports whether a variable of a module is bound to what an environment variable says, once.
func (in *interp) envSwitch(g globalVar) bool {
	if off, ok := in.switches[g]; ok {
		return off
	}
	in.switches[g] = false
	in.asked.values[g] = true
	u := in.unit(g.mod)
	if u == nil {
		return false
	}
	var bound []pyast.Expr
	walkStmts(u.tree.Body, func(n pyast.Node) bool {
		switch s := n.(type) {
		case *pyast.FuncDef, *pyast.ClassDef, pyast.Expr:
			return false
		case *pyast.Assign:
			for _, t := range s.Targets {
				if id, ok := t.(*pyast.Name); ok && id.ID == g.name {
					bound = append(bound, s.Value)
				}
			}
		case *pyast.AnnAssign:
			if id, ok := s.Target.(*pyast.Name); ok && id.ID == g.name {
				bound = append(bound, s.Value)
			}
		}
		return true
	})
	in.switches[g] = len(bound) == 1 && (readsSwitch(bound[0], g.name) || in.moduleFrame(u).switchIn(bound[0], 1) > 0)
	return in.switches[g]
}

// readsSwitch reports whether e asks the environment for a switch that is not on by default.
func readsSwitch(e pyast.Expr, name string) bool {
	off := false
	pyast.Walk(e, func(n pyast.Node) bool {
		call, ok := n.(*pyast.Call)
		if !ok {
			return true
		}
		if len(call.Args) == 0 {
			return true
		}
		key, ok := call.Args[0].Value.(*pyast.Const)
		if !ok || key.Kind != pyast.ConstString {
			return true
		}
		fn, _ := dotted(call.Func)
		if !strings.HasSuffix(fn, "getenv") && !strings.HasSuffix(fn, "environ.get") && !strings.Contains(fn, "env_var") ||
			!watchName(key.Text) && !watchName(name) {
			return true
		}
		off = len(call.Args) < 2 || !isOn(call.Args[1].Value)
		return false
	})
	return off
}

// isOn reports whether a default of a switch turns it on.
func isOn(e pyast.Expr) bool {
	c, ok := e.(*pyast.Const)
	if !ok {
		return true // who knows
	}
	switch strings.ToLower(strings.Trim(c.Text, `"'`)) {
	case "", "0", "false", "no", "off", "none":
		return false
	}
	return true
}

// envField judges envs.X and envs.X.get(), the ways in which serving engines read their environment.
func (fr *frame) envField(e pyast.Expr) int {
	a, ok := e.(*pyast.Attr)
	if !ok || !isConstantName(a.Name) || !watchName(a.Name) {
		return 0
	}
	owner, ok := dotted(a.X)
	if !ok || last(owner) != "envs" && last(owner) != "env" {
		return 0
	}
	var v *Value
	fr.quietly(func() { v = fr.eval(a) })
	if v.Kind == KindInstance {
		if on, known := v.Attr("default").Bool(); known && on {
			return 0
		}
	}
	if on, known := v.Bool(); known && on {
		return 0
	}
	return 1
}
