package checks

import (
	"path"
	"strings"
)

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
