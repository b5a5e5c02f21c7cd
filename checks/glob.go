package checks

import "strings"

// matchGlob reports whether name matches pattern. `*` and `?` stop at sep, `**` does not, `[…]` is literal: qualified
// names and paths contain no brackets that anyone globs over. A `**/` also matches nothing, so `**/x` matches `x`.
func matchGlob(pattern, name string, sep byte) bool {
	g := globber{sep: sep, steps: 1 << 16}
	return g.try(pattern, name)
}

// globber bounds the work: patterns come from a configuration file and must not be able to hang a scan.
type globber struct {
	sep   byte
	steps int
}

func (g *globber) try(p, s string) bool {
	for len(p) > 0 {
		if g.steps--; g.steps < 0 {
			return false
		}
		switch {
		case strings.HasPrefix(p, "**"):
			rest := strings.TrimLeft(p, "*")
			if rest == "" {
				return true
			}
			if rest[0] == g.sep && g.try(rest[1:], s) {
				return true
			}
			for i := 0; i <= len(s); i++ {
				if rest[0] != '?' && (i == len(s) || s[i] != rest[0]) {
					continue // most places of most names, and cheaply
				}
				if g.try(rest, s[i:]) {
					return true
				}
			}
			return false
		case p[0] == '*':
			for i := 0; ; i++ {
				if g.try(p[1:], s[i:]) {
					return true
				}
				if i == len(s) || s[i] == g.sep {
					return false
				}
			}
		case len(s) == 0:
			return false
		case p[0] == '?' && s[0] != g.sep, p[0] == s[0]:
			p, s = p[1:], s[1:]
		default:
			return false
		}
	}
	return len(s) == 0
}

// matchPath matches a path glob. A pattern without a slash matches the base name as well, and one that names a folder
// matches everything below it.
func matchPath(pattern, path string) bool {
	pattern = strings.TrimPrefix(pattern, "./")
	if matchGlob(pattern, path, '/') {
		return true
	}
	if !strings.HasSuffix(pattern, "/**") && matchGlob(strings.TrimSuffix(pattern, "/")+"/**", path, '/') {
		return true
	}
	if !strings.Contains(pattern, "/") {
		return matchGlob(pattern, path[strings.LastIndexByte(path, '/')+1:], '/')
	}
	return false
}

func matchAnyPath(patterns []string, path string) bool {
	for _, p := range patterns {
		if matchPath(p, path) {
			return true
		}
	}
	return false
}

// match reports whether the selector picks the function. An empty part matches everything; a name
// without a dot also matches the last part of the qualified name, so that `**::load_weights` means every load_weights.
func (s Selector) match(path, name string) bool {
	if s.Path != "" && s.Path != "**" && !matchPath(s.Path, path) {
		return false
	}
	if s.Name == "" || matchGlob(s.Name, name, '.') {
		return true
	}
	return !strings.Contains(s.Name, ".") && matchGlob(s.Name, name[strings.LastIndexByte(name, '.')+1:], '.')
}

func matchAnySelector(ss []Selector, path, name string) bool {
	for _, s := range ss {
		if s.match(path, name) {
			return true
		}
	}
	return false
}
