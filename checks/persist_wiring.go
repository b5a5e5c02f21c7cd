package checks

import "slices"

// wiringCoder writes where the references of the newest tree lead, and reads it back into the modules that were read before.
// Functions and classes have numbers: those of the modules of that tree in the order of their paths.
type wiringCoder struct {
	*coder
	mods    []*module
	funcs   []*Func
	classes []*Class
	first   map[*module]int // number of the first function, when writing
	number  map[*Class]int  // when writing
	rules   map[string]*Rule
}

// codeWiring is the wiring of the memory. What cannot be written is left out, and is found out anew.
func (m *Memory) codeWiring(c *coder, rules map[string]*Rule) {
	w := &wiringCoder{coder: c, rules: rules}
	has := !c.reading && w.listed(m)
	m.wired = has
	if c.flag(&has); !has {
		return
	}
	w.modules(m)
	if c.bad {
		return
	}
	if w.numbers(); c.reading {
		m.wiring.begin(w)
	}
	for _, mod := range w.mods {
		w.module(mod, m.wiring)
	}
	for _, k := range w.classes {
		s := m.wiring.shapes[k.slot]
		c.digest(&s.mro)
		c.digest(&s.call)
		if c.digest(&k.slot.made); c.reading {
			m.wiring.shapes[k.slot] = s
		}
	}
	m.wiring.said.code(c)
}

// listed finds the modules of the tree, which all have to be written.
func (w *wiringCoder) listed(m *Memory) bool {
	for _, path := range sortedKeys(m.wiring.mods) {
		mod := m.wiring.mods[path]
		if !slices.ContainsFunc(m.files[path], func(k *known) bool { return k.mod == mod }) {
			return false
		}
		w.mods = append(w.mods, mod)
	}
	return len(w.mods) > 0
}

// modules names the contents of files that the tree has.
func (w *wiringCoder) modules(m *Memory) {
	series(w.coder, &w.mods, func(c *coder, mod **module) {
		path, at := "", 0
		if !c.reading {
			path = (*mod).path
			at = slices.IndexFunc(m.files[path], func(k *known) bool { return k.mod == *mod })
		}
		word(c, &path)
		if count(c, &at); !c.reading {
			return
		}
		if ks := m.files[path]; at < len(ks) && ks[at].mod != nil {
			*mod = ks[at].mod
		} else {
			c.bad = true
		}
	})
}

func (w *wiringCoder) numbers() {
	w.first, w.number = make(map[*module]int, len(w.mods)), map[*Class]int{}
	for _, m := range w.mods {
		w.first[m] = len(w.funcs)
		w.funcs = append(w.funcs, m.all...)
		for _, k := range m.allCls {
			if !w.reading {
				w.number[k] = len(w.classes)
			}
			w.classes = append(w.classes, k)
		}
	}
}

// begin makes the wiring that of the modules that are read, which stand for themselves.
func (w *wiring) begin(c *wiringCoder) {
	funcs, classes := make([]funcSlot, len(c.funcs)), make([]classSlot, len(c.classes))
	for i, f := range c.funcs {
		funcs[i].cur, f.slot = f, &funcs[i] // of no turn so far
	}
	for i, k := range c.classes {
		classes[i].cur, k.slot = k, &classes[i]
	}
	for _, m := range c.mods {
		w.mods[m.path] = m
	}
	w.turns = 1
	w.shapes = make(map[*classSlot]classShape, len(classes))
}

// module is what was found out of the functions of one module.
func (w *wiringCoder) module(m *module, of *wiring) {
	c := w.coder
	names := ""
	known := m.wantedFor != nil
	if known {
		names = *m.wantedFor
	}
	c.flag(&known)
	if word(c, &names); c.reading && known {
		m.wantedFor = &names
	}
	for _, f := range m.all {
		count(c, &f.nature)
		hot := f.slot.hot == of.turns
		if c.flag(&hot); hot && c.reading {
			f.slot.hot = of.turns
			of.hot = append(of.hot, f.slot)
		}
		w.wanted(f)
		w.wires(f)
	}
}

func (w *wiringCoder) wanted(f *Func) {
	var ids []string
	for _, r := range f.wanted {
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	if texts(w.coder, &ids); !w.reading || len(ids) == 0 {
		return
	}
	f.wanted = make([]*Rule, len(ids))
	for i, id := range ids {
		if f.wanted[i] = w.rules[id]; f.wanted[i] == nil {
			w.bad = true
		}
	}
}

// wires is where the references of a function lead.
func (w *wiringCoder) wires(f *Func) {
	c, x := w.coder, f.wires
	if x == nil {
		x = &wires{}
	}
	called, made := x.called, x.made
	if !c.reading {
		called = called && !slices.ContainsFunc(x.callees, func(s *funcSlot) bool { return s.cur == nil })
		made = made && !slices.ContainsFunc(x.classes, func(r classRef) bool { return r.slot != nil && r.slot.cur == nil })
	}
	c.flag(&called)
	if c.flag(&made); called {
		series(c, &x.callees, w.callee)
	}
	if made {
		series(c, &x.classes, w.class)
	}
	if c.reading && (called || made) {
		x.called, x.made = called, made
		f.wires = x
	}
}

func (w *wiringCoder) callee(c *coder, s **funcSlot) {
	n := 0
	if !c.reading {
		n = w.first[(*s).cur.mod] + (*s).cur.ord
	}
	if count(c, &n); !c.reading {
		return
	}
	if c.bad = c.bad || n >= len(w.funcs); !c.bad {
		*s = w.funcs[n].slot
	}
}

func (w *wiringCoder) class(c *coder, r *classRef) {
	n := 0
	if r.slot != nil {
		n = w.number[r.slot.cur] + 1
	}
	count(c, &n)
	word(c, &r.last)
	if c.flag(&r.like); !c.reading || n == 0 {
		return
	}
	if c.bad = c.bad || n > len(w.classes); !c.bad {
		r.slot = w.classes[n-1].slot
	}
}
