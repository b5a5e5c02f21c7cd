package checks

import "strconv"

// heat notes which functions have come to the hot path or left it, and which classes are made by others, since the tree
// that was scanned last.
func (w *wiring) heat(h *hotPath) {
	before := w.hot
	w.hot = make([]*funcSlot, 0, len(h.order))
	for _, f := range h.order {
		if f.slot.hot != w.turns-1 {
			w.step.tops = append(w.step.tops, f.top)
		}
		f.slot.hot = w.turns
		w.hot = append(w.hot, f.slot)
	}
	for _, s := range before {
		if s.hot != w.turns && s.cur != nil {
			w.step.tops = append(w.step.tops, s.cur.top)
		}
	}
	for _, m := range h.p.modules {
		for _, c := range m.allCls {
			if made := c.madeSum(); made != c.slot.made {
				c.slot.made = made
				w.step.says(c)
			}
		}
	}
}

// says notes that a class says something else.
func (s *step) says(c *Class) { s.classes[classID{c.Path, ref{c.Name, c.dup}}] = true }

// madeSum stands for what makes objects of a class; zero when nothing is known to.
func (c *Class) madeSum() digest {
	if len(c.makers) == 0 && !c.madeHot {
		return digest{}
	}
	b := strconv.AppendBool(make([]byte, 0, 256), c.madeHot)
	for i, f := range c.makers {
		b = strconv.AppendBool(b, c.makersHot[i])
		b = append(append(b, f.Path...), 0)
		b = append(append(b, f.Name...), 0, byte(f.dup))
	}
	return digestOf(b)
}
