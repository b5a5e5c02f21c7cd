package checks

import (
	"time"

	"github.com/gatebot/gatebot/internal/cppast"
)

// memoryFormat is part of every saved memory. Raise it with every change of what the coder writes.
const memoryFormat = "gatebot.scan-memory/v15"

// Save gives what the memory knows of the newest trees, for LoadMemory in another process: the pieces are to be written
// one after the other. Trees in their short form are not part of it, and are dropped: what is saved is much already, and
// a scan after it makes again the few that it needs.
func (m *Memory) Save() [][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready()
	m.spent, m.trees = 0, nil
	for _, ks := range m.files {
		for _, k := range ks {
			k.mod.packed = packedTree{}
		}
	}
	m.forget()
	c := &coder{numbers: map[string]uint64{}}
	m.codeFiles(c)
	m.codeWiring(c, nil)
	c.part()
	m.codeTables(c, nil)
	return append([][]byte{m.head()}, c.pack()...)
}

func (m *Memory) codeFiles(c *coder) {
	mapped(c, &m.files, func(c *coder, ks *[]*known) {
		series(c, ks, func(c *coder, k **known) {
			if c.reading {
				*k = &known{mod: &module{}}
			}
			(*k).code(c)
		})
	})
}

func (m *Memory) codeTables(c *coder, rules map[string]*Rule) {
	mapped(c, &m.tables, func(c *coder, t **table) {
		if c.reading {
			*t = &table{ids: map[fact]uint32{}, states: map[uint32][]*memo{}}
		} else {
			(*t).newest = m.wired && (*t).scan == m.scans
		}
		(*t).code(c, rules)
	})
}

func (k *known) code(c *coder) {
	word(c, &k.id)
	codeModule(c, k.mod)
	series(c, &k.bad, codeUnreadable)
}

func codeUnreadable(c *coder, u *unreadable) {
	word(c, &u.path)
	word(c, &u.why)
	count(c, &u.line)
	c.flag(&u.transient)
}

func codeTarget(c *coder, t *target) {
	word(c, &t.module)
	word(c, &t.name)
}

func codeModule(c *coder, m *module) {
	word(c, &m.path)
	word(c, &m.file.ID)
	signed(c, &m.size)
	m.file.Path = m.path
	if c.reading {
		m.texts = c.texts
	}
	c.flag(&m.pkg)
	c.flag(&m.setsDev)
	c.flag(&m.entersDev)
	c.digest(&m.sum)
	told := m.told.Load()
	has := told != nil
	if c.flag(&has); has {
		if c.reading {
			told = &digest{}
			m.told.Store(told)
		}
		c.digest(told)
	}
	mapped(c, &m.imports, codeTarget)
	series(c, &m.stars, codeTarget)
	mapped(c, &m.vars, func(c *coder, v *bool) { c.flag(v) })
	mapped(c, &m.values, func(c *coder, d *digest) { c.digest(d) })
	texts(c, &m.kept)
	series(c, &m.marks, codeMark)
	series(c, &m.allowed, func(c *coder, l *lines) { count(c, &l.from); count(c, &l.to) })
	series(c, &m.allCls, func(c *coder, k **Class) {
		if c.reading {
			*k = &Class{Path: m.path, mod: m, methods: map[string]*Func{}}
		}
	})
	series(c, &m.all, func(c *coder, f **Func) {
		if c.reading {
			*f = &Func{Path: m.path, mod: m}
		}
	})
	for _, k := range m.allCls {
		codeClass(c, m, k)
	}
	for i, f := range m.all {
		f.ord = i
		codeFunc(c, m, f)
	}
	series(c, &m.loans, func(c *coder, l *loan) {
		pick(c, m.all, &l.fn, funcNumber)
		word(c, &l.attr)
		word(c, &l.owner)
		pick(c, m.allCls, &l.class, m.classNumber)
		c.flag(&l.beside)
		c.bad = c.bad || l.fn == nil
	})
	if c.reading && !c.bad {
		m.relink(c)
	}
}

func codeMark(c *coder, m *mark) {
	count(c, &m.line)
	count(c, &m.target)
	count(c, &m.column)
	texts(c, &m.ids)
	word(c, &m.reason)
	day := ""
	if !m.until.IsZero() {
		day = m.until.Format(time.DateOnly)
	}
	if word(c, &day); c.reading && day != "" {
		var err error
		if m.until, err = time.Parse(time.DateOnly, day); err != nil {
			c.bad = true
		}
	}
	word(c, &m.bad)
	c.flag(&m.vllm)
}

// pick is a place in a list: the number of *v, or *v from its number.
func pick[T any](c *coder, all []*T, v **T, number func(*T) int) {
	var n uint64
	if *v != nil {
		n = uint64(number(*v)) + 1
	}
	if c.number(&n); !c.reading {
		return
	}
	switch {
	case n == 0:
		*v = nil
	case n > uint64(len(all)):
		c.bad = true
	default:
		*v = all[n-1]
	}
}

func (m *module) classNumber(k *Class) int {
	for i, o := range m.allCls {
		if o == k {
			return i
		}
	}
	return -1
}

func funcNumber(f *Func) int { return f.ord }

func codeClass(c *coder, m *module, k *Class) {
	word(c, &k.Name)
	word(c, &k.short)
	count(c, &k.Line)
	count(c, &k.off)
	count(c, &k.dup)
	c.flag(&k.ownData)
	texts(c, &k.bases)
	texts(c, &k.fields)
	mapped(c, &k.attrs, texts)
	mapped(c, &k.stores, func(c *coder, fs *[]*Func) {
		series(c, fs, func(c *coder, f **Func) { pick(c, m.all, f, funcNumber) })
	})
	mapped(c, &k.body, func(c *coder, d *digest) { c.digest(d) })
}

func codeFunc(c *coder, m *module, f *Func) {
	word(c, &f.Name)
	word(c, &f.short)
	count(c, &f.Line)
	count(c, &f.Kind)
	count(c, &f.off)
	count(c, &f.from)
	count(c, &f.end)
	count(c, &f.dup)
	c.flag(&f.kernel)
	pick(c, m.allCls, &f.Class, m.classNumber)
	pick(c, m.all, &f.outer, funcNumber)
	pick(c, m.all, &f.top, funcNumber)
	if f.top == f {
		c.digest(&f.sum)
	}
	codeRefs(c, f)
	texts(c, &f.decos)
	texts(c, &f.params)
	series(c, &f.locals, func(c *coder, l *local) { word(c, &l.name); word(c, &l.class) })
}

// relink makes the tables that follow from the lists, as the index does.
func (m *module) relink(c *coder) {
	m.funcs, m.classes = map[string]*Func{}, map[string]*Class{}
	for _, k := range m.allCls {
		if _, dup := m.classes[k.short]; !dup && k.Name == k.short {
			m.classes[k.short] = k
		}
	}
	for _, f := range m.all {
		switch {
		case f.outer != nil:
			if f.outer.inner == nil {
				f.outer.inner = map[string]*Func{}
			}
			f.outer.inner[f.short] = f
		case f.Class == nil || f.lent():
			m.funcs[f.short] = f
		default:
			if prev, dup := f.Class.methods[f.short]; !dup || prev.Kind != FuncProperty {
				f.Class.methods[f.short] = f
			}
		}
		if f.top == nil {
			c.bad = true
			return
		}
		if f.top == f {
			m.tops = append(m.tops, f)
		}
	}
	m.lend()
}

func (t *table) code(c *coder, rules map[string]*Rule) {
	var room []state // what is read is put there: a hundred thousand lists of one are no objects each
	series(c, &t.slots, func(c *coder, s *factSlot) {
		f := &s.fact
		count(c, &f.kind)
		word(c, &f.path)
		word(c, &f.name)
		count(c, &f.dup)
		count(c, &f.ask)
		word(c, &f.arg)
		n := c.length(len(s.states))
		if c.reading {
			if n > len(room) {
				room = make([]state, max(n, 1<<10))
			}
			s.states, room = room[:n:n], room[n:]
		}
		for i := range s.states {
			codeState(c, &s.states[i])
		}
	})
	count(c, &t.dense)
	t.codeTold(c)
	t.codeWords(c)
	mapped(c, &t.units, func(c *coder, ms *[]*memo) {
		series(c, ms, func(c *coder, m **memo) {
			if c.reading {
				*m = &memo{out: &outcome{}}
			}
			t.codeRests(c, *m)
			codeOutcome(c, (*m).out)
		})
	})
	t.codeStates(c)
	t.codeKept(c)
	t.codeParts(c)
	mapped(c, &t.native, func(c *coder, ks *[]*knownNative) {
		series(c, ks, func(c *coder, k **knownNative) {
			if c.reading {
				*k = &knownNative{}
			}
			(*k).code(c, rules)
		})
	})
}

func codeState(c *coder, st *state) {
	has := st.sum != digest{}
	if c.flag(&has); has {
		c.digest(&st.sum)
	}
	word(c, &st.text)
}

func (k *knownNative) code(c *coder, rules map[string]*Rule) {
	word(c, &k.id)
	c.digest(&k.want)
	c.flag(&k.rest)
	series(c, &k.bad, codeUnreadable)
	has := k.file != nil
	if c.flag(&has); !has {
		return
	}
	if c.reading {
		k.file = &nativeFile{mod: &module{}}
		k.file.mod.native = k.file
	}
	n, m := k.file, k.file.mod
	word(c, &m.path)
	signed(c, &m.size)
	series(c, &m.marks, codeMark)
	texts(c, &n.bound)
	series(c, &n.funcs, func(c *coder, f **nativeFunc) {
		if c.reading {
			*f = &nativeFunc{Func: &Func{Path: m.path, mod: m}, file: n}
			m.all = append(m.all, (*f).Func)
		}
		x := *f
		word(c, &x.Name)
		word(c, &x.short)
		count(c, &x.Line)
		kind := int(x.kind)
		count(c, &kind)
		x.kind = cppast.FuncKind(kind)
		word(c, &x.class)
		count(c, &x.from)
		count(c, &x.to)
		word(c, &x.own)
		texts(c, &x.refs)
		series(c, &x.found, func(c *coder, h **raw) {
			if c.reading {
				*h = &raw{}
			}
			codeRaw(c, *h, rules)
		})
	})
}

// codeRaw is a hazard of a native file, which has no flow.
func codeRaw(c *coder, h *raw, rules map[string]*Rule) {
	id := ""
	if h.rule != nil {
		id = h.rule.ID
	}
	if word(c, &id); c.reading {
		if h.rule = rules[id]; h.rule == nil {
			c.bad = true
		}
	}
	word(c, &h.path)
	count(c, &h.span.Off)
	count(c, &h.span.EndOff)
	count(c, &h.span.Start.Line)
	count(c, &h.span.Start.Col)
	count(c, &h.span.End.Line)
	count(c, &h.span.End.Col)
	word(c, &h.function)
	word(c, &h.message)
	word(c, &h.fix)
	word(c, &h.code)
	word(c, &h.severity)
	word(c, &h.confidence)
	texts(c, &h.tokens)
	has := h.guard != nil
	if c.flag(&has); has {
		if c.reading {
			h.guard = &guard{}
		}
		word(c, &h.guard.text)
		word(c, &h.guard.path)
		count(c, &h.guard.line)
	}
}

func codeOutcome(c *coder, o *outcome) {
	series(c, &o.Reports, codeReport)
	series(c, &o.Names, codeName)
	series(c, &o.Callers, func(c *coder, f *uint32) { c.among(f, o.Names) })
	series(c, &o.Blocks, func(c *coder, b *savedBlock) { codeBlock(c, b, o.Names) })
	series(c, &o.Handed, func(c *coder, h *savedHanding) {
		c.among(&h.Func, o.Names)
		word(c, &h.Name)
		c.flag(&h.Host)
		c.flag(&h.Device)
		c.flag(&h.Untold)
	})
	series(c, &o.Broken, func(c *coder, e *savedError) { codeName(c, &e.Func); word(c, &e.Why) })
}

// among is a place in a list that is written before.
func (c *coder) among(at *uint32, names []funcName) {
	if count(c, at); c.reading && int(*at) >= len(names) {
		c.bad = true
	}
}

func codeBlock(c *coder, b *savedBlock, names []funcName) {
	fn, top := uint32(b.Func), uint32(b.Top)
	c.among(&fn, names)
	file := b.Top < 0
	if c.flag(&file); !file {
		c.among(&top, names)
	}
	signed(c, &b.Off)
	signed(c, &b.From)
	signed(c, &b.End)
	if signed(c, &b.Ran); !c.reading {
		return
	}
	if b.Func, b.Top = int32(fn), int32(top); file {
		b.Top = -1
	}
}

func codeName(c *coder, n *funcName) {
	word(c, &n.Path)
	word(c, &n.Name)
	count(c, &n.Dup)
}

func codeSpot(c *coder, s *spot) {
	word(c, &s.Path)
	word(c, &s.Top)
	count(c, &s.Dup)
	signed(c, &s.Off)
	signed(c, &s.End)
	signed(c, &s.Line)
	signed(c, &s.Start)
	signed(c, &s.EndLine)
	signed(c, &s.EndCol)
}

func codeReport(c *coder, r *savedReport) {
	word(c, &r.Rule)
	codeSpot(c, &r.At)
	word(c, &r.Function)
	word(c, &r.Message)
	word(c, &r.Fix)
	word(c, &r.Code)
	word(c, &r.Severity)
	word(c, &r.Confidence)
	texts(c, &r.Tokens)
	series(c, &r.Flow, func(c *coder, s *savedStep) { codeSpot(c, &s.At); word(c, &s.Note); word(c, &s.Code) })
	series(c, &r.Stack, codeName)
	has := r.Guard != nil
	if c.flag(&has); has {
		if c.reading {
			r.Guard = &savedGuard{}
		}
		codeSpot(c, &r.Guard.At)
		word(c, &r.Guard.Text)
	}
	series(c, &r.Params, func(c *coder, p *savedParam) { codeName(c, &p.Func); word(c, &p.Name) })
	c.flag(&r.Firm)
}
