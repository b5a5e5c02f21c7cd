package checks

import (
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/pyast"
)

// Graphs are captured and replayed by code beside the hot path: a capture at start-up, a runner that fills inputs and
// replays. Rules with Setup set look at such functions too, at each by itself; what they call is evaluated for its
// values only.

// wanted notes which functions mention what a rule waits for.
func (h *hotPath) wanted() {
	rules := map[string][]*Rule{}
	for _, r := range h.opts.Rules {
		for _, name := range r.Mentions {
			rules[name] = append(rules[name], r)
		}
	}
	names := strings.Join(sortedKeys(rules), " ")
	for _, m := range h.p.modules {
		if m.wantedFor != nil && *m.wantedFor == names {
			continue
		}
		m.wantedFor = &names
		for _, f := range m.all {
			f.wanted = nil
			for _, ref := range f.references() {
				for _, r := range rules[last(ref)] {
					if !slices.Contains(f.wanted, r) {
						f.wanted = append(f.wanted, r)
					}
				}
			}
		}
	}
}

// around are the tasks that look at the functions beside the hot path that a rule with Setup wants to see. Tests and
// benchmarks capture as they like.
func (s *scan) around() []*task {
	var out []*task
	for _, m := range s.p.modules {
		if !s.p.opts.AllFunctions && m.outsideStep() {
			continue
		}
		t := &task{mod: m, around: true}
		for _, f := range m.all {
			if _, hot := s.hot.info[f]; !hot && !s.callers[f] && !deviceCode(f) && f.setup() {
				t.funcs = append(t.funcs, f)
			}
		}
		if len(t.funcs) > 0 {
			out = append(out, t)
		}
	}
	return out
}

func (f *Func) setup() bool {
	for _, r := range f.wanted {
		if r.Setup {
			return true
		}
	}
	return false
}

// Callee is the canonical name of what a call calls, once the call has been evaluated: "torch.cuda.graph",
// "Tensor.copy_"; "user" for code of the project, "?" when nothing is known.
func (p *Pass) Callee(c *pyast.Call) string {
	v := p.fr.values.get(c.Func)
	switch {
	case v == nil:
		return "?"
	case v.Kind == KindExternal:
		return v.Name
	case v.Kind == KindFunc, v.Kind == KindClass, v.Kind == KindInstance && v.Class != nil:
		return "user"
	}
	return "?"
}

// Methods are the functions of the class that the function belongs to, itself included, as far as they stand in the same
// file; for a plain function that function alone.
func (p *Pass) Methods() []*pyast.FuncDef {
	fn, ok := p.fr.node.(*pyast.FuncDef)
	if !ok {
		return nil
	}
	if p.fr.fn == nil || p.fr.fn.Class == nil {
		return []*pyast.FuncDef{fn}
	}
	p.in.asked.of(p.fr.fn.Class, askMethods, "")
	var out []*pyast.FuncDef
	for _, name := range sortedKeys(p.fr.fn.Class.methods) {
		m := p.fr.fn.Class.methods[name]
		if m.mod != p.fr.u.mod {
			continue
		}
		p.in.asked.funcs[m.top] = true
		if d := p.fr.u.function(m); d != nil {
			out = append(out, d)
		}
	}
	if !slices.Contains(out, fn) {
		out = append(out, fn)
	}
	return out
}

// Def is the syntax of a function that v is, when it stands in the file that is looked at.
func (p *Pass) Def(v *Value) *pyast.FuncDef {
	if v == nil || v.Kind != KindFunc || v.Func == nil || v.lambda() != nil || v.Func.mod != p.fr.u.mod {
		return nil
	}
	p.in.asked.funcs[v.Func.top] = true
	return p.fr.u.function(v.Func)
}

// Setup reports whether the function is not on the hot path and is looked at because of Rule.Setup.
func (p *Pass) Setup() bool { return p.in.around }

// Module reports whether the function is a method of a class that derives from torch.nn.Module: what graphs are made of,
// as opposed to the runners and schedulers around them.
func (p *Pass) Module() bool {
	return p.fr.fn != nil && p.fr.fn.Class != nil && p.fr.fn.Class.isTorchModule() && !p.in.around
}
