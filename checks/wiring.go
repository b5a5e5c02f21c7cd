package checks

import "slices"

// wiring is what the functions of the tree that was scanned last refer to. Where a reference leads depends on words
// alone: on the ones in it, and on the ones that these stand for. From one tree to the next the words that mean something
// else are found in the files that differ, and only functions that use one of them are resolved again.
type wiring struct {
	mods   map[string]*module // of that tree, by path
	funcs  map[string]map[ref]*funcSlot
	class  map[string]map[ref]*classSlot
	said   tally // files that call or name a word, see hotPath.mentions
	shapes map[*classSlot]classShape
	turns  int         // trees so far
	hot    []*funcSlot // of the tree that was scanned last
	step   step        // to the tree that is scanned
}

// funcSlot stands for a function whatever its text: cur is the one of the tree that is scanned.
type funcSlot struct {
	cur *Func
	hot int // the newest turn in which it was on the hot path
}

type classSlot struct {
	cur  *Class
	made digest // see Class.madeSum
}

// classShape is what links a class to others: its ancestors, and what calling an object of it runs.
type classShape struct{ mro, call digest }

// classRef is a reference that leads to a class; a nil slot stands for the class itself, as cls.
type classRef struct {
	slot *classSlot
	last string
	like bool // it looks like a class
}

func newWiring() *wiring {
	return &wiring{mods: map[string]*module{}, funcs: map[string]map[ref]*funcSlot{}, class: map[string]map[ref]*classSlot{},
		shapes: map[*classSlot]classShape{}}
}

// manyFiles differ between trees that have little to do with each other.
const manyFiles = 300

// turn moves the wiring on to the tree of p, whose classes are linked.
func (w *wiring) turn(p *project) {
	changed := map[string]bool{}
	now := make(map[string]*module, len(p.modules))
	for _, m := range p.modules {
		now[m.path] = m
		if w.mods[m.path] != m {
			changed[m.path] = true
		}
	}
	for path := range w.mods {
		if now[path] == nil {
			changed[path] = true
		}
	}
	paths := sortedKeys(changed)
	far := len(w.mods) == 0 || len(paths) > manyFiles
	words, stems := map[string]bool{}, map[string]bool{}
	w.turns++
	w.step = step{files: changed, classes: map[classID]bool{}}
	for _, path := range paths {
		old, m := w.mods[path], now[path]
		w.replace(old, m)
		if !far {
			differ(outlineOf(old), outlineOf(m), words)
		}
		if old == nil || m == nil {
			far = far || m != nil && m.pkg || old != nil && old.pkg
			stems[stem(path)], words[stem(path)] = true, true
			w.step.kept = true
		} else {
			far = far || !slices.Equal(old.stars, m.stars)
			w.step.kept = w.step.kept || !slices.Equal(old.kept, m.kept)
		}
	}
	w.mods = now
	all := w.reshape(p, words)
	for _, m := range p.modules {
		far = far || len(stems) > 0 && slices.ContainsFunc(m.stars, func(t target) bool { return stems[last(t.module)] })
	}
	set := newWordSet(words)
	if !far {
		set.spread(p)
	}
	w.step.far, w.step.words = far, set
	for _, m := range p.modules {
		if all || far || changed[m.path] {
			m.unwire(nil)
		} else if m.mayUse(set) {
			m.unwire(set.has)
		}
	}
}

// replace takes the functions and classes of one content of a file out and puts those of another in.
func (w *wiring) replace(old, m *module) {
	if old != nil {
		for _, f := range old.all {
			if f.slot != nil && f.slot.cur == f {
				f.slot.cur = nil
			}
		}
		for _, c := range old.allCls {
			if c.slot != nil && c.slot.cur == c {
				c.slot.cur = nil
			}
		}
		for word := range old.mentioned() {
			w.said.add(word, -1)
		}
	}
	if m == nil {
		return
	}
	funcs, classes := w.slots(m.path, old)
	for _, f := range m.all {
		key := ref{f.Name, f.dup}
		if funcs[key] == nil {
			funcs[key] = &funcSlot{}
		}
		f.slot = funcs[key]
		f.slot.cur = f
	}
	for _, c := range m.allCls {
		key := ref{c.Name, c.dup}
		if classes[key] == nil {
			classes[key] = &classSlot{}
		}
		c.slot = classes[key]
		c.slot.cur = c
	}
	for word := range m.mentioned() {
		w.said.add(word, 1)
	}
}

// slots are those of a file by name. After reading they are those of what the file held then.
func (w *wiring) slots(path string, old *module) (map[ref]*funcSlot, map[ref]*classSlot) {
	funcs, classes := w.funcs[path], w.class[path]
	if funcs == nil {
		funcs, classes = map[ref]*funcSlot{}, map[ref]*classSlot{}
		w.funcs[path], w.class[path] = funcs, classes
		if old != nil {
			for _, f := range old.all {
				funcs[ref{f.Name, f.dup}] = f.slot
			}
			for _, c := range old.allCls {
				classes[ref{c.Name, c.dup}] = c.slot
			}
		}
	}
	return funcs, classes
}

// reshape looks for classes that are linked in another way than before. It reports whether one has other ancestors; the
// names of those whose objects run something else when they are called are added to words.
func (w *wiring) reshape(p *project, words map[string]bool) (other bool) {
	for _, m := range p.modules {
		for _, c := range m.allCls {
			if slices.ContainsFunc(c.mro, func(k *Class) bool { return w.step.files[k.Path] }) {
				w.step.says(c)
			}
			s := c.linked()
			old, known := w.shapes[c.slot]
			if old == s {
				continue
			}
			w.step.says(c)
			w.shapes[c.slot] = s
			other = other || known && old.mro != s.mro
			words[c.short] = true
		}
	}
	return other
}

func (c *Class) linked() classShape {
	b := make([]byte, 0, 512)
	text := func(s string) { b = append(append(b, s...), 0) }
	for _, k := range c.mro {
		text(k.Path)
		text(k.Name)
		b = append(b, byte(k.dup))
	}
	for _, e := range c.ext {
		text(e)
	}
	if c.data {
		text("data")
	}
	s := classShape{mro: digestOf(b)}
	b = b[:0]
	for _, name := range []string{"__call__", "forward"} {
		if f := c.member(name); f != nil {
			text(f.Path)
			text(f.Name)
			b = append(b, byte(f.dup))
		}
		text(name)
	}
	s.call = digestOf(b)
	return s
}

// mentioned are the last names of everything that functions of m call or name.
func (m *module) mentioned() map[string]bool {
	out := map[string]bool{}
	for _, f := range m.all {
		for _, ref := range f.references() {
			if word := last(ref); word != f.short {
				out[word] = true
			}
		}
	}
	return out
}
