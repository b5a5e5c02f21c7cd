package checks

import (
	"fmt"
	"slices"
)

// parts are the digests of a state's attributes, each by itself, and of what else whoever takes the state can see. Two
// states with the same head are the same for who looks at attributes that have the same digests only.
type parts struct {
	head  digest
	names []uint32 // in the order of the names' numbers
	sums  []digest
}

// of is zero for an attribute that is not there.
func (p *parts) of(name uint32) digest {
	if i, ok := slices.BinarySearch(p.names, name); ok {
		return p.sums[i]
	}
	return digest{}
}

// partsOf are those of a state that rests on facts, nil when it can only be told as a whole.
func (in *interp) partsOf(r *stateRun, facts []factWas) *attrSums {
	if r.broken != nil {
		return nil
	}
	classes := map[*Class]string{}
	fresh := func() *summer {
		return &summer{in: in, objects: map[*Object]int{}, envs: map[*env]int{}, values: map[*Value]digest{}, classes: classes}
	}
	head := fresh()
	head.out = fmt.Appendf(head.out, "%t %d %t %t ", r.whole, r.height, r.obj.early, len(r.obj.attrs) == 0)
	head.out = append(head.out, head.value(r.obj.elem)...)
	head.drain()
	all := []*summer{head}
	out := &attrSums{names: sortedKeys(r.obj.attrs)}
	for name := range r.obj.load {
		if _, ok := r.obj.attrs[name]; !ok {
			out.names = append(out.names, name)
		}
	}
	slices.Sort(out.names)
	for _, name := range out.names {
		s := fresh()
		s.out = append(s.out, s.value(r.obj.attrs[name])...)
		if !r.obj.early {
			s.out = append(s.out, s.value(r.obj.load[name])...)
		}
		s.drain()
		all = append(all, s)
	}
	together(all, append([]string{""}, out.names...))
	var text []byte
	for _, s := range all {
		if s.syntax { // it is not told: then what it comes from is
			if text == nil {
				text = in.states.s.table.textOf(facts)
			}
			s.out = append(s.out, text...)
		}
	}
	out.head = digestOf(head.out)
	for _, s := range all[1:] {
		out.sums = append(out.sums, digestOf(s.out))
	}
	return out
}

// attrSums are parts by name.
type attrSums struct {
	head  digest
	names []string
	sums  []digest
}

// together adds to what is told of attributes which others lead to the same objects and variables.
func together(all []*summer, names []string) {
	objects, envs := map[*Object][]int{}, map[*env][]int{}
	for i, s := range all {
		for o := range s.objects {
			objects[o] = append(objects[o], i)
		}
		for e := range s.envs {
			envs[e] = append(envs[e], i)
		}
	}
	for i, s := range all {
		var lines []string
		say := func(kind string, n int, by []int) {
			if len(by) < 2 {
				return
			}
			line := fmt.Sprintf("%s %d", kind, n)
			for _, j := range by {
				if j != i {
					line += fmt.Sprintf(" %q", names[j])
				}
			}
			lines = append(lines, line)
		}
		for o, n := range s.objects {
			say("object", n, objects[o])
		}
		for e, n := range s.envs {
			say("env", n, envs[e])
		}
		slices.Sort(lines)
		for _, l := range lines {
			s.out = append(append(s.out, '\n'), l...)
		}
	}
}

// keepParts keeps the parts of a state. It is called with the lock.
func (t *table) keepParts(sum digest, a *attrSums) {
	if t.parts[sum] != nil {
		return
	}
	p := &parts{head: a.head, names: make([]uint32, len(a.names)), sums: make([]digest, len(a.names))}
	order := make([]int, len(a.names))
	ids := make([]uint32, len(a.names))
	for i, name := range a.names {
		order[i], ids[i] = i, t.words.id(name)
	}
	slices.SortFunc(order, func(i, j int) int { return int(ids[i]) - int(ids[j]) })
	for to, i := range order {
		p.names[to], p.sums[to] = ids[i], a.sums[i]
	}
	if t.parts == nil {
		t.parts = map[digest]*parts{}
	}
	t.parts[sum] = p
}

// same reports whether a fact, which is now what the number says, is what it was as far as a memo rests on it. It is called
// with the lock.
func (t *table) same(m *memo, w factWas, now int32) bool {
	x := &t.slots[w.id]
	switch {
	case now == int32(w.state):
		return true
	case now < 0, x.fact.kind != factState:
		return false
	}
	a, b := t.parts[x.states[w.state].sum], t.parts[x.states[now].sum]
	if a == nil || b == nil || a.head != b.head {
		return false
	}
	same := false
	eachRead(m.reads, func(id *uint32, names []uint32) {
		if *id == w.id {
			same = !slices.ContainsFunc(names, func(n uint32) bool { return a.of(n) != b.of(n) })
		}
	})
	return same
}

// forgetParts keeps those of states that facts have been.
func (t *table) forgetParts(slots []factSlot) {
	old := t.parts
	t.parts = map[digest]*parts{}
	for i := range slots {
		if slots[i].fact.kind != factState {
			continue
		}
		for _, st := range slots[i].states {
			if p := old[st.sum]; p != nil {
				t.parts[st.sum] = p
			}
		}
	}
}
