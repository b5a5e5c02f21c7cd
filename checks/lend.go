package checks

import "strings"

// Patches at load time put a function where a step finds it, under a name that says nothing of the function's own:
// vLLM's compiler does so with __call__, and forks of models with forward and attention.

// loan says that a function is put somewhere under another name: `MoE.forward = fast_forward`, `setattr(MoE, "forward", f)`,
// `block.forward = types.MethodType(f, block)`. Only functions of the same file are seen, by the name that they have there.
type loan struct {
	fn    *Func
	attr  string
	class *Class // at the top level of the same file; nil for anything else, which may be a class of another project
	owner string // what that is called, without what stands before it
	// beside is set where the statement may not run, or runs later: what the class has itself is in use too.
	beside bool
}

// lend gives classes the methods that they get from elsewhere in the file.
func (m *module) lend() {
	for _, l := range m.loans {
		if l.class != nil && (!l.beside || l.class.methods[l.attr] == nil) {
			l.class.methods[l.attr] = l.fn
		}
	}
}

// lentTo calls each with the names under which f is used elsewhere.
func (f *Func) lentTo(each func(loan)) {
	for _, l := range f.mod.loans {
		if l.fn == f {
			each(l)
		}
	}
}

// stands are the functions that are used in place of f at times.
func (f *Func) stands(add func(...*Func)) {
	for _, l := range f.mod.loans {
		if l.beside && l.class != nil && l.fn != f && l.class.methods[l.attr] == f {
			add(l.fn)
		}
	}
}

// root reports whether a step starts in what was put there.
func (l *loan) root() bool {
	return lentRoot(l.attr) || classLike(l.owner) && rootMethod(l.owner, l.attr)
}

// lentRoot reports whether a step starts in what an object has under that name.
func lentRoot(attr string) bool {
	return rootName(attr) || attr == "__call__" || strings.HasPrefix(strings.TrimPrefix(attr, "_"), "forward")
}

// lent reports whether f is a function of the top level that a class has as a method.
func (f *Func) lent() bool {
	found := false
	f.lentTo(func(l loan) { found = found || l.class != nil && f.outer == nil && !strings.Contains(f.Name, ".") })
	return found
}
