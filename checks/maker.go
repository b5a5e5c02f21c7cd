package checks

import "slices"

// A field of a data class that is declared as a tensor is on the device, unless what makes the objects says that it is
// on the host: builders of batches keep some of their tensors there.

const (
	maxMakers = 6     // functions that are looked at for one class
	makerWork = 6_000 // expressions for one of them
)

// findMakers notes which functions name a data class, which is how they make one. It runs while the index still knows
// what functions mention.
func (p *project) findMakers(hot map[*Func]hotness) {
	data, names := map[string]bool{}, map[string]bool{}
	for _, m := range p.modules {
		for _, c := range m.allCls {
			names[c.short] = true
			if c.data {
				data[c.short] = true
			}
		}
	}
	for _, m := range p.modules {
		for _, mk := range p.makers(m, names) {
			isHot := isHot(hot, mk.fn)
			for _, r := range mk.refs {
				c := mk.fn.Class
				if r.slot != nil {
					c = r.slot.cur
				}
				if isHot && r.like && !c.isModule() {
					c.madeHot = true
				}
				if c.data && (r.slot == nil || data[r.last]) {
					c.maker(mk.fn, isHot)
				}
			}
		}
	}
}

func (c *Class) maker(f *Func, hot bool) {
	c.madeHot = c.madeHot || hot
	if len(c.makers) < maxMakers && !slices.Contains(c.makers, f) {
		c.makers, c.makersHot = append(c.makers, f), append(c.makersHot, hot)
	}
}

// MadeInStep reports whether v is an object of a class of which a step makes objects: what it holds was not there when a
// graph was captured.
func (p *Pass) MadeInStep(v *Value) bool {
	if v == nil || v.Class == nil {
		return false
	}
	p.in.asked.of(v.Class, askShape, "") // which says that too
	return v.Class.madeHot
}

func isHot(hot map[*Func]hotness, f *Func) bool {
	_, ok := hot[f]
	return ok
}

// places are where the makers of a class put a field.
// hot is set when a maker on the hot path gives it a value.
type places struct{ device, host, hot bool }

// stored notes what a field of a data class is made with.
func (in *interp) stored(c *Class, field string, v *Value) {
	if v.IsNone() {
		return
	}
	hot := in.quiet == 0 || in.makerHot
	for _, k := range c.mro { // a field may be declared in an ancestor
		at := in.madeAt[k]
		if at == nil {
			at = map[string]places{}
			in.madeAt[k] = at
		}
		p := at[field]
		p.device = p.device || v.OnDevice()
		p.host = p.host || v.OnCPU() || v.IsArray()
		p.hot = p.hot || hot
		at[field] = p
	}
}

// made is where a field is, as far as the makers of the class say.
func (in *interp) made(c *Class, field string) places {
	if !in.makersRan[c] {
		in.makersRan[c] = true
		in.asked.of(c, askMakers, "")
		for i, f := range c.makers {
			if !in.runMaker(f, c.makersHot[i]) {
				in.untold[c] = true
			}
		}
	}
	p := in.madeAt[c][field]
	p.hot = p.hot || in.untold[c]
	return p
}

// runMaker looks at a function for what it stores in the objects that it makes; it is false when that cannot be done here.
func (in *interp) runMaker(f *Func, hot bool) bool {
	if len(in.frames) > 2*maxDepth || in.active(f) > 0 {
		return false
	}
	u, node := in.syntax(f)
	if node == nil {
		return false
	}
	in.quiet++
	in.making++
	before := in.makerHot
	in.makerHot = hot
	work := in.work
	in.work = makerWork
	fr := in.activate(u, f, node, node.Body, nil, nil)
	fr.guards, fr.from = nil, nil
	in.bindEntry(fr, node, in.entryArgs(u, f, node))
	in.run(fr, node.Body)
	in.work = work - 64
	in.quiet--
	in.making--
	in.makerHot = before
	return true
}

// asMade corrects the declared value of a field by what the makers say.
func (in *interp) asMade(c *Class, field string, v *Value) *Value {
	if !v.OnDevice() {
		return v
	}
	switch p := in.made(c, field); {
	case p.host && !p.device:
		return v.with(func(t *Value) { t.Place = PlaceCPU })
	case p.host, !p.device && !p.hot && len(c.makers) > 0 && (!c.madeHot || len(c.makers) < maxMakers):
		// made while requests are prepared, and no step is seen to give it a value
		return v.with(func(t *Value) { t.Sure = Possible })
	}
	return v
}
