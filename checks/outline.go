package checks

import (
	"hash/maphash"
	"path"
	"strings"
)

// outline says what each word means in a module to those that refer to it from anywhere: what it is bound to at the top
// level, and the methods and attributes of that name. Two contents of a file with the same outline lead every reference
// of other files to the same place. Sums are of this process only; nobody can know beforehand what collides.
type outline map[string]uint64

var outlineSeed = maphash.MakeSeed()

func (o outline) add(word string, what ...string) {
	var h maphash.Hash
	h.SetSeed(outlineSeed)
	for _, w := range what {
		_, _ = h.WriteString(w) // a hash never fails
		_ = h.WriteByte(0)
	}
	o[word] += h.Sum64()
}

// outlineOf is empty for no module.
func outlineOf(m *module) outline {
	o := outline{}
	if m == nil {
		return o
	}
	protocol := ""
	if m.protocol() {
		protocol = "protocol"
	}
	for name, f := range m.funcs {
		o.add(name, append([]string{"func", f.manner(), protocol}, sortedKeys(f.inner)...)...)
	}
	for name := range m.vars {
		o.add(name, "var")
	}
	for name, t := range m.imports {
		o.add(name, "import", t.module, t.name)
	}
	for name, c := range m.classes {
		o.add(name, "class", string(rune(c.dup)))
	}
	for _, c := range m.allCls {
		o.add(c.short, append([]string{"bases", c.Name, string(rune(c.dup))}, c.bases...)...)
		for name, f := range c.methods {
			o.add(name, append([]string{"method", f.Name, f.manner(), protocol, c.Name, string(rune(c.dup))}, sortedKeys(f.inner)...)...)
		}
		for name, texts := range c.attrs {
			o.add(name, append([]string{"attr", c.Name, string(rune(c.dup))}, texts...)...)
		}
	}
	return o
}

// manner is what hotPath.meaning says of a function beside its name.
func (f *Func) manner() string {
	s := string(rune(f.dup)) + " " + string(rune(f.Kind))
	if f.kernel {
		s += " kernel"
	}
	if f.tuned() {
		s += " tuned"
	}
	return s
}

// differ adds to words those that mean something else in b than in a.
func differ(a, b outline, words map[string]bool) {
	for w, sum := range a {
		if b[w] != sum {
			words[w] = true
		}
	}
	for w := range b {
		if _, ok := a[w]; !ok {
			words[w] = true
		}
	}
}

// stem is the last part of the dotted names that a file can be imported by.
func stem(file string) string {
	if base := path.Base(file); base != "__init__.py" {
		return strings.TrimSuffix(base, ".py")
	}
	return path.Base(path.Dir(file))
}

// alias says that what one word means decides what another one means: an import under another name, an attribute that
// holds an object of a class.
type alias struct{ from, to string }

// aliases of a module, made once for each content.
func (m *module) aliasList() []alias {
	if m.aliases != nil {
		return m.aliases
	}
	out := []alias{}
	m.aliasFrom = &wordFilter{}
	seen := map[alias]bool{}
	add := func(from, to string) {
		if a := (alias{from, to}); from != "" && from != to && !seen[a] {
			seen[a] = true
			out = append(out, a)
			m.aliasFrom.add(from)
		}
	}
	for name, t := range m.imports {
		add(t.name, name)
		add(last(t.module), name)
	}
	for _, c := range m.allCls {
		for name, texts := range c.attrs {
			for _, text := range texts {
				eachWord(text, func(w string) { add(w, name) })
			}
		}
	}
	m.aliases = out
	return out
}

// eachWord calls f for the identifiers in a source text.
func eachWord(text string, f func(string)) {
	from := -1
	for i := 0; i <= len(text); i++ {
		if i < len(text) && wordByte(text[i]) {
			if from < 0 {
				from = i
			}
			continue
		}
		if from >= 0 {
			f(text[from:i])
			from = -1
		}
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 128
}
