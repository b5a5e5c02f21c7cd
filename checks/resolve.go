package checks

import (
	"path"
	"strings"
)

// symbol is what a name stands for. Exactly one field is set; the zero value means "not known".
type symbol struct {
	fn  *Func
	cls *Class
	mod *module
	ext string // canonical dotted name outside the project
	val *globalVar
}

// globalVar is a variable at the top level of a module.
type globalVar struct {
	mod  *module
	name string
}

func (s symbol) known() bool {
	return s.fn != nil || s.cls != nil || s.mod != nil || s.ext != "" || s.val != nil
}

const importDepth = 8 // re-exports through packages; a cycle of imports ends here

// lookup finds what the dotted name means at the top level of m.
func (p *project) lookup(m *module, name string) symbol { return p.lookupDeep(m, name, importDepth) }

func (p *project) lookupDeep(m *module, name string, depth int) symbol {
	first, rest, _ := strings.Cut(name, ".")
	s := p.global(m, first, depth)
	for rest != "" && s.known() {
		first, rest, _ = strings.Cut(rest, ".")
		s = p.member(s, first, depth)
	}
	return s
}

// global finds one name at the top level of m.
func (p *project) global(m *module, name string, depth int) symbol {
	if depth <= 0 {
		return symbol{}
	}
	if f := m.funcs[name]; f != nil {
		return symbol{fn: f}
	}
	if c := m.classes[name]; c != nil {
		return symbol{cls: c}
	}
	if t, ok := m.imports[name]; ok {
		return p.imported(m, t, depth-1)
	}
	if _, ok := m.vars[name]; ok {
		return symbol{val: &globalVar{m, name}}
	}
	for _, t := range m.stars {
		if src, _ := p.importedModule(t.module, m); src != nil && src != m {
			if s := p.global(src, name, depth-1); s.known() {
				return s
			}
		}
	}
	if m.pkg {
		if sub := p.byPath[path.Join(path.Dir(m.path), name+".py")]; sub != nil {
			return symbol{mod: sub}
		}
		if sub := p.byPath[path.Join(path.Dir(m.path), name, "__init__.py")]; sub != nil {
			return symbol{mod: sub}
		}
	}
	return symbol{}
}

func (p *project) imported(m *module, t target, depth int) symbol {
	src, abs := p.importedModule(t.module, m)
	if src == nil {
		if strings.HasPrefix(abs, ".") {
			if t.name != "" { // from . import x where x is a module
				if sub, _ := p.importedModule(strings.TrimSuffix(abs, ".")+"."+t.name, m); sub != nil {
					return symbol{mod: sub}
				}
			}
			return symbol{}
		}
		if t.name != "" {
			if sub := p.lookupModule(abs+"."+t.name, m); sub != nil {
				return symbol{mod: sub}
			}
			return symbol{ext: canonical(abs + "." + t.name)}
		}
		return symbol{ext: canonical(abs)}
	}
	if t.name == "" {
		return symbol{mod: src}
	}
	if src == m {
		return symbol{}
	}
	if s := p.global(src, t.name, depth); s.known() {
		return s
	}
	name := abs + "." + t.name
	if strings.HasSuffix(abs, ".") { // from . import x
		name = abs + t.name
	}
	if sub, _ := p.importedModule(name, m); sub != nil {
		return symbol{mod: sub}
	}
	return symbol{}
}

// member is s.name.
func (p *project) member(s symbol, name string, depth int) symbol {
	switch {
	case s.ext != "":
		return symbol{ext: canonical(s.ext + "." + name)}
	case s.mod != nil:
		return p.global(s.mod, name, depth)
	case s.cls != nil:
		if f := s.cls.member(name); f != nil {
			return symbol{fn: f}
		}
	}
	return symbol{}
}

// canonical folds the aliases that torch and NumPy have for their own names.
func canonical(name string) string {
	for _, a := range aliases {
		if rest, ok := strings.CutPrefix(name, a.from); ok && (rest == "" || rest[0] == '.') {
			return a.to + rest
		}
	}
	return name
}

var aliases = []struct{ from, to string }{
	{"torch.nn.functional.softmax", "torch.softmax"},
	{"torch.nn.parameter.Parameter", "torch.nn.Parameter"},
	{"torch.nn.modules.module.Module", "torch.nn.Module"},
	{"torch.cuda.streams.Stream", "torch.cuda.Stream"},
	{"torch.cuda.streams.Event", "torch.cuda.Event"},
	{"torch.cuda.graphs", "torch.cuda"},
	{"torch._tensor.Tensor", "torch.Tensor"},
}
