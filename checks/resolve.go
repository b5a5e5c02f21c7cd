package checks

import (
	"path"
	"slices"
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

// outside are packages that are never taken for a folder of the project that happens to have the same name.
var outside = map[string]bool{"torch": true, "numpy": true, "math": true, "os": true, "sys": true, "time": true,
	"typing": true, "collections": true, "functools": true, "itertools": true, "random": true, "logging": true,
	"json": true, "re": true, "operator": true, "triton": true, "cupy": true, "jax": true, "copy": true, "types": true,
	"dataclasses": true, "enum": true, "abc": true, "warnings": true, "contextlib": true, "einops": true}

// nameModules gives every module the dotted names it can be imported by: from its import root (the folder above its
// topmost package) first, then every longer and shorter tail of its path.
func (p *project) nameModules() {
	pkgs := map[string]bool{}
	for _, m := range p.modules {
		if m.pkg {
			pkgs[path.Dir(m.path)] = true
		}
	}
	p.byName = map[string][]*module{}
	for _, m := range p.modules {
		full := strings.TrimSuffix(m.path, ".py")
		if m.pkg {
			full = path.Dir(m.path)
			if full == "." {
				continue
			}
		}
		parts := strings.Split(full, "/")
		root := len(parts) - 1
		for root > 0 && pkgs[strings.Join(parts[:root], "/")] {
			root--
		}
		m.names = append(m.names, strings.Join(parts[root:], "."))
		for i := range parts {
			// A tail of one part is importable only from its own folder: see lookupModule.
			if i != root && (len(parts)-i > 1 || i == 0) {
				m.names = append(m.names, strings.Join(parts[i:], "."))
			}
		}
		if root != len(parts)-1 && len(parts) > 1 {
			m.names = append(m.names, parts[len(parts)-1])
		}
		for _, n := range m.names {
			p.byName[n] = append(p.byName[n], m)
		}
	}
}

// lookupModule finds the module that `name` means in from. Names can be ambiguous (every folder has its utils.py):
// the best is a module whose own root gives that name, then the one that is nearest in the tree.
func (p *project) lookupModule(name string, from *module) *module {
	first, _, more := strings.Cut(name, ".")
	var best *module
	bestScore := -1
	for _, m := range p.byName[name] {
		score := 0
		exact := m.names[0] == name
		switch {
		case exact && (!outside[first] || strings.HasPrefix(m.path, first)):
			score = 1000
		case outside[first]:
			continue
		case !more && path.Dir(m.path) != path.Dir(from.path):
			continue
		}
		if path.Dir(m.path) == path.Dir(from.path) && !more {
			score += 2000 // a script's own folder comes first on sys.path
		}
		score += commonParts(m.path, from.path)
		if score > bestScore {
			best, bestScore = m, score
		}
	}
	return best
}

func commonParts(a, b string) int {
	n := 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			n++
		}
	}
	return n
}

// absolute turns a relative import into a path-based module, or an absolute one into a name.
func (p *project) importedModule(name string, from *module) (*module, string) {
	level := 0
	for strings.HasPrefix(name[level:], ".") {
		level++
	}
	if level == 0 {
		return p.lookupModule(name, from), name
	}
	dir := path.Dir(from.path)
	for i := 1; i < level; i++ {
		dir = path.Dir(dir)
	}
	file := path.Join(append([]string{dir}, strings.Split(name[level:], ".")...)...)
	if m := p.byPath[file+".py"]; m != nil {
		return m, name
	}
	return p.byPath[path.Join(file, "__init__.py")], name
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
	if m.vars[name] {
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
		if f := s.cls.method(name); f != nil {
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

// method finds a method along the ancestors.
func (c *Class) method(name string) *Func {
	for _, k := range c.mro {
		if f := k.methods[name]; f != nil {
			return f
		}
	}
	return nil
}

// methodAfter finds super().name as seen from a method of owner on an object of class c.
func (c *Class) methodAfter(owner *Class, name string) *Func {
	i := slices.Index(c.mro, owner)
	for _, k := range c.mro[i+1:] {
		if f := k.methods[name]; f != nil {
			return f
		}
	}
	return nil
}

// linkClasses resolves bases, ancestors and subclasses.
func (p *project) linkClasses() {
	bases := map[*Class][]*Class{}
	for _, m := range p.modules {
		for _, c := range m.allCls {
			for _, b := range c.bases {
				switch s := p.lookup(m, b); {
				case s.cls != nil && s.cls != c:
					bases[c] = append(bases[c], s.cls)
					s.cls.subs = append(s.cls.subs, c)
				case s.ext != "":
					c.ext = append(c.ext, s.ext)
				case s.cls == nil:
					c.ext = append(c.ext, b)
				}
			}
		}
	}
	own := map[*Class][]string{}
	for _, m := range p.modules {
		for _, c := range m.allCls {
			own[c] = c.ext
		}
	}
	for _, m := range p.modules {
		for _, c := range m.allCls {
			c.ext = nil
			seen := map[*Class]bool{}
			var add func(*Class)
			add = func(k *Class) {
				if seen[k] || len(c.mro) > 64 {
					return
				}
				seen[k] = true
				c.mro = append(c.mro, k)
				c.ext = append(c.ext, own[k]...)
				c.data = c.data || k.data
				for _, b := range bases[k] {
					add(b)
				}
			}
			add(c)
		}
	}
}

// isModule reports whether objects of c are torch modules: by an ancestor outside that says so, or by a forward.
func (c *Class) isModule() bool {
	for _, e := range c.ext {
		if strings.HasSuffix(e, "Module") || strings.HasSuffix(e, "PreTrainedModel") {
			return true
		}
	}
	return c.method("forward") != nil
}
