package checks

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// sumState is a digest of all that whoever takes a state can see of it. Where in the source its steps of evidence are is
// told by the lines there and not by their numbers: a constructor that gets a line more above leaves what it left.
func (in *interp) sumState(r *stateRun, facts []factWas) digest {
	s := &summer{in: in, objects: map[*Object]int{}, envs: map[*env]int{}, values: map[*Value]digest{}, classes: map[*Class]string{}}
	if r.broken != nil {
		return digestOf(fmt.Appendf(nil, "broken: %v", r.broken))
	}
	s.object(r.obj)
	s.drain()
	s.out = fmt.Appendf(s.out, "%t %d", r.whole, r.height)
	if s.syntax {
		s.out = append(s.out, in.states.s.table.textOf(facts)...)
	}
	return digestOf(s.out)
}

// drain writes what the objects and variables hold that have numbers.
func (s *summer) drain() {
	for len(s.queue) > 0 {
		next := s.queue[0]
		s.queue = s.queue[1:]
		next()
	}
}

// textOf is what facts are, in a form that another process gives too.
func (t *table) textOf(facts []factWas) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := make([]string, len(facts))
	for i, w := range facts {
		f, st := t.slots[w.id].fact, t.slots[w.id].states[w.state]
		if f.kind == factState {
			_, f.arg, _ = strings.Cut(f.arg, " ") // at which level it was found out is chance when it is whole
		}
		lines[i] = fmt.Sprintf("%v %v\n", f, st)
	}
	slices.Sort(lines)
	var out []byte
	for _, l := range slices.Compact(lines) {
		out = append(out, l...)
	}
	return out
}

// summer writes what is seen of values. Objects and variables around functions have numbers, in the order in which they
// are come upon: two values can share one, and one can hold itself.
type summer struct {
	in      *interp
	out     []byte
	queue   []func()
	objects map[*Object]int
	envs    map[*env]int
	values  map[*Value]digest
	classes map[*Class]string
	syntax  bool // a value holds syntax, which is not told: then the text that it comes from is
}

func (s *summer) object(o *Object) {
	s.attrs(o.attrs)
	s.out = append(s.out, s.value(o.elem)...)
	if s.flag(o.early); !o.early {
		s.attrs(o.load)
	}
}

func (s *summer) flag(b bool) { s.out = fmt.Appendf(s.out, "%t ", b) }

func (s *summer) attrs(vs map[string]*Value) {
	s.out = fmt.Appendf(s.out, "%d ", len(vs))
	for _, name := range sortedKeys(vs) {
		s.out = fmt.Appendf(s.out, "%q ", name)
		s.out = append(s.out, s.value(vs[name])...)
	}
}

// objectNumber names an object; what it holds is written later.
func (s *summer) objectNumber(o *Object) string {
	switch {
	case o == nil:
		return "-"
	case o.of != nil:
		return "of " + s.class(o.of)
	}
	n, ok := s.objects[o]
	if !ok {
		n = len(s.objects) + 1
		s.objects[o] = n
		s.queue = append(s.queue, func() { s.object(o) })
	}
	return fmt.Sprint(n)
}

func (s *summer) envNumber(e *env) string {
	if e == nil {
		return "-"
	}
	n, ok := s.envs[e]
	if !ok {
		n = len(s.envs) + 1
		s.envs[e] = n
		s.queue = append(s.queue, func() { s.env(e) })
	}
	return fmt.Sprint(n)
}

// env writes the variables around a function, without those that adoptEnv leaves out.
func (s *summer) env(e *env) {
	s.flag(e.dead)
	vars := slices.SortedFunc(slices.Values(e.vars.variables()), func(a, b binding) int { return strings.Compare(a.name, b.name) })
	for _, b := range vars {
		s.out = fmt.Appendf(s.out, "%q ", b.name)
		s.out = append(s.out, s.value(b.v)...)
	}
	s.out = fmt.Appendf(s.out, "up %s ", s.envNumber(e.up))
}

// class names a class and says what it is. That is made on demand, under the lock of the table.
func (s *summer) class(c *Class) string {
	if c == nil {
		return "-"
	}
	text, ok := s.classes[c]
	if !ok {
		sc := s.in.states.s
		sc.table.mu.Lock()
		st := sc.hot.answer(c, askShape, "")
		sc.table.mu.Unlock()
		text = fmt.Sprintf("%q %q %d %x %s", c.Path, c.Name, c.dup, st.sum, st.text)
		s.classes[c] = text
	}
	return text
}

func (s *summer) value(v *Value) []byte {
	if v == nil {
		return []byte("nil ")
	}
	if d, ok := s.values[v]; ok {
		return d[:]
	}
	b := fmt.Appendf(nil, "%d %d %d %d %d %t %t %T %#v %q\n", v.Kind, v.Place, v.Rank, v.DType, v.Sure, v.NonDense, v.Optional, v.Const, v.Const, v.Name)
	b = s.all(b, v.Items)
	b = append(b, s.value(v.Elem)...)
	b = append(b, s.value(v.Recv)...)
	b = fmt.Appendf(b, "%s %s\n", s.objectNumber(v.Obj), s.class(v.Class))
	if v.Func != nil {
		b = append(b, s.in.hot.meaning(symbol{fn: v.Func})...)
	}
	if m := v.more; m != nil {
		b = s.all(b, m.also)
		b = fmt.Appendf(b, "%s ", s.envNumber(m.closure))
		if m.lambda != nil {
			b = append(b, s.place(m.lambda.mod, m.lambda.off, m.lambda.off, true)...)
		}
		for _, a := range m.partial {
			s.syntax = s.syntax || a.Node != nil
			b = fmt.Appendf(b, "%q %d ", a.Name, a.Star)
			b = append(b, s.value(a.Value)...)
		}
	}
	if v.Flow != nil {
		d := s.flow(v.Flow)
		b = append(b, d[:]...)
	}
	d := digestOf(b)
	s.values[v] = d
	return d[:]
}

func (s *summer) all(b []byte, vs []*Value) []byte {
	b = fmt.Appendf(b, "%d ", len(vs))
	for _, v := range vs {
		b = append(b, s.value(v)...)
	}
	return b
}

// flow is the digest of a chain of steps. It is kept in the steps: those that have none yet were made by the interpreter
// that is asking, and nobody else knows them.
func (s *summer) flow(fl *Flow) digest {
	if fl.sum != (digest{}) {
		return fl.sum
	}
	b := fmt.Appendf(nil, "%q %q %q ", fl.Path, fl.Note, fl.code)
	if m := s.in.p.byPath[fl.Path]; m != nil {
		b = append(b, s.place(m, fl.off, fl.end, false)...)
	}
	if fl.entry.fn != nil {
		b = fmt.Appendf(b, "%v %q ", nameOf(fl.entry.fn), fl.entry.name)
	}
	if fl.Prev != nil {
		d := s.flow(fl.Prev)
		b = append(b, d[:]...)
	}
	fl.sum = digestOf(b)
	return fl.sum
}

// place says where something is in the source: in which function, and there by its offset, when the text counts as well, or
// by the line it is in and how often that comes before it.
func (s *summer) place(m *module, off, end uint32, text bool) []byte {
	top := m.topAt(off)
	if top != nil && end > top.end {
		top = nil
	}
	from, name, dup, sum := uint32(0), "", 0, m.sum
	if top != nil {
		from, name, dup, sum = top.from, top.Name, top.dup, top.sum
	}
	b := fmt.Appendf(nil, "%q %q %d ", m.path, name, dup)
	if text {
		return fmt.Appendf(b, "%d %d %x ", off-from, end-off, sum)
	}
	u := s.in.unit(m)
	if u == nil || int(end) > len(u.tree.Source) || off > end {
		return b // and the file is among those that failed
	}
	src := u.tree.Source
	start := uint32(bytes.LastIndexByte(src[:off], '\n') + 1)
	line := src[start:lineEnd(src, off)]
	return fmt.Appendf(b, "%d %d %d %q %q ", bytes.Count(src[min(from, start):start], line), off-start, end-off, line, src[off:end])
}
