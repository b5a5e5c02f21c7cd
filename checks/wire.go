package checks

import (
	"strings"
)

// wires are where the references of one function lead.
type wires struct {
	callees []*funcSlot
	classes []classRef
	called  bool // callees are known
	made    bool // classes are known
}

// eachUse calls f for each word on which the references of a function depend.
func (f *Func) eachUse(use func(string)) {
	for _, r := range f.references() {
		eachWord(r, use)
	}
	for _, d := range f.decos {
		eachWord(d, use)
	}
	for g := f; g != nil; g = g.outer {
		for _, l := range g.locals {
			eachWord(l.class, use)
		}
	}
}

// mayUse reports whether a function of m may use one of the words.
func (m *module) mayUse(words *wordSet) bool {
	if len(words.has) == 0 {
		return false
	}
	if m.filter == nil {
		m.filter = &wordFilter{}
		for _, f := range m.all {
			f.eachUse(m.filter.add)
		}
	}
	return m.filter.mayHold(words.bits)
}

// unwire forgets where the references of functions lead that use one of the words, or of all functions.
func (m *module) unwire(words map[string]bool) {
	for _, f := range m.all {
		if f.wires == nil {
			continue
		}
		hit := words == nil
		if !hit {
			f.eachUse(func(w string) { hit = hit || words[w] })
		}
		if hit {
			f.wires = nil
			m.makes = nil
		}
	}
}

// wired is callees, remembered.
func (h *hotPath) wired(f *Func) []*funcSlot {
	if f.wires == nil {
		f.wires = &wires{}
	}
	if !f.wires.called {
		fs := h.callees(f)
		f.wires.callees = make([]*funcSlot, len(fs))
		for i, g := range fs {
			f.wires.callees[i] = g.slot
		}
		f.wires.called = true
	}
	return f.wires.callees
}

// maker is a function with references to classes.
type maker struct {
	fn   *Func
	refs []classRef
}

// makers are the functions of m that refer to classes, in source order.
func (p *project) makers(m *module, names map[string]bool) []maker {
	if m.makes != nil {
		return m.makes
	}
	m.makes = []maker{}
	for _, f := range m.all {
		if f.wires == nil {
			f.wires = &wires{}
		}
		if !f.wires.made {
			f.wires.made = true
			for _, r := range f.references() {
				like := classLike(r)
				if r == "cls" && f.Class != nil {
					f.wires.classes = append(f.wires.classes, classRef{})
				}
				if !like && !names[last(r)] {
					continue
				}
				if s := p.lookup(m, r); s.cls != nil {
					f.wires.classes = append(f.wires.classes, classRef{s.cls.slot, strings.Clone(last(r)), like})
				}
			}
		}
		if len(f.wires.classes) > 0 {
			m.makes = append(m.makes, maker{f, f.wires.classes})
		}
	}
	return m.makes
}
