package checks

import (
	"strings"
)

// callees lists what f calls, mentions by name, or reads as a property, in source order.
func (h *hotPath) callees(f *Func) []*Func {
	var out []*Func
	add := func(fs ...*Func) {
		for _, g := range fs {
			if g != nil && g != f {
				out = append(out, g)
			}
		}
	}
	for _, ref := range f.references() {
		h.resolveRef(f, ref, add)
	}
	f.stands(add)
	// A decorator's inner functions run around the function.
	for _, d := range f.decos {
		if s := h.p.lookup(f.mod, d); s.fn != nil {
			for _, name := range sortedKeys(s.fn.inner) {
				add(s.fn.inner[name])
			}
		}
	}
	return out
}

func (h *hotPath) resolveRef(f *Func, ref string, add func(...*Func)) {
	if name, ok := strings.CutPrefix(ref, "super()."); ok {
		if f.Class != nil {
			add(f.Class.methodAfter(f.Class, name))
		}
		return
	}
	if name, ok := strings.CutPrefix(ref, "."); ok {
		h.byName(name, add)
		return
	}
	if op, ok := strings.CutPrefix(ref, "torch.ops."); ok {
		h.operator(last(op), add)
		return
	}
	first, rest, more := strings.Cut(ref, ".")
	if first == "self" && f.Class != nil && more {
		h.selfRef(f.Class, rest, add)
		return
	}
	for g := f; g != nil; g = g.outer {
		if in := g.inner[first]; in != nil {
			add(in)
			return
		}
		for _, l := range g.locals {
			if l.name != first {
				continue
			}
			found := false
			for _, c := range h.classesIn(g.mod, l.class) {
				found = true
				h.classRef(c, rest, add)
			}
			if found {
				return
			}
		}
	}
	switch s := h.p.lookup(f.mod, ref); {
	case s.fn != nil:
		add(s.fn)
	case s.cls != nil && !more: // constructing is load time; calling the object is not seen here
	case !s.known() && more:
		h.byName(last(ref), add)
	}
}

// operator follows torch.ops.lib.name: what is registered under a name is mostly the one function of that name.
func (h *hotPath) operator(name string, add func(...*Func)) {
	if h.plain == nil {
		h.plain = map[string]*Func{}
		for _, m := range h.p.modules {
			for n, f := range m.funcs {
				if _, dup := h.plain[n]; dup {
					f = nil
				}
				h.plain[n] = f
			}
		}
	}
	add(h.plain[name]) // nil when two modules have one
}

// selfRef follows self.rest in class c: a method (with what overrides it), or an attribute that holds an object.
func (h *hotPath) selfRef(c *Class, rest string, add func(...*Func)) {
	if prefix, ok := strings.CutSuffix(rest, "*"); ok {
		add(c.prefixed(prefix)...)
		return
	}
	name, more, deeper := strings.Cut(rest, ".")
	if m := c.member(name); m != nil {
		add(m)
		h.overrides(c, name, add, 0)
		return
	}
	found := false
	for _, k := range c.mro {
		for _, text := range k.attrs[name] {
			for _, held := range h.classesIn(k.mod, text) {
				found = true
				h.classRef(held, more, add)
			}
		}
	}
	if !found && deeper {
		h.byName(last(rest), add)
	}
}

// overrides adds the methods of subclasses with that name: a template method reaches them.
func (h *hotPath) overrides(c *Class, name string, add func(...*Func), depth int) {
	if depth > 8 {
		return
	}
	for _, s := range c.subs {
		if m := s.methods[name]; m != nil {
			add(m)
		}
		h.overrides(s, name, add, depth+1)
	}
}

// classRef follows an object of class c: c.rest, or the call of a module when nothing follows.
func (h *hotPath) classRef(c *Class, rest string, add func(...*Func)) {
	if rest != "" {
		h.selfRef(c, rest, add)
		return
	}
	if m := c.member("__call__"); m != nil {
		add(m)
	} else if m := c.member("forward"); m != nil && c.isModule() {
		add(m)
	}
}

// classesIn finds the classes of the project that a source text names: `Optional["MoE"]`, `nn.ModuleList`.
func (h *hotPath) classesIn(m *module, text string) []*Class {
	var out []*Class
	for _, word := range strings.FieldsFunc(text, func(r rune) bool {
		return r != '.' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r < 128
	}) {
		if s := h.p.lookup(m, word); s.cls != nil {
			out = append(out, s.cls)
		}
	}
	return out
}

// byName is the last resort for obj.name(…): it is taken for a method when one class of the project has it, and the
// name is not one that tensors and containers have too.
func (h *hotPath) byName(name string, add func(...*Func)) {
	if len(name) <= 3 || commonMethod(name) {
		return
	}
	if h.count == nil {
		h.count = map[string][]*Func{}
		for _, m := range h.p.modules {
			for _, c := range m.allCls {
				for name, f := range c.methods {
					h.count[name] = append(h.count[name], f)
				}
			}
		}
	}
	if fs := h.count[name]; len(fs) == 1 {
		add(fs[0])
	}
}
