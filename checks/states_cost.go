package checks

import (
	"cmp"
	"slices"
)

// shrink drops the states that were not used for longest. One that is asked for again is found out again.
func (st *states) shrink() {
	var all []*stateRun
	for _, e := range st.known {
		for _, r := range e.level {
			if r != nil && r.cost > 0 { // it is there
				all = append(all, r)
			}
		}
	}
	slices.SortFunc(all, func(a, b *stateRun) int { return cmp.Compare(a.used, b.used) })
	gone := map[*stateRun]bool{}
	for _, r := range all {
		if st.cost <= st.limit*3/4 {
			break
		}
		st.cost -= r.cost
		gone[r] = true
	}
	for _, e := range st.known {
		for i, r := range e.level {
			if gone[r] {
				e.level[i] = nil
			}
		}
		if gone[e.whole] {
			e.whole = nil
		}
	}
}

// What a state takes, in bytes: measured on vLLM.
const (
	valueCost  = 140
	flowCost   = 112
	objectCost = 160
	attrCost   = 40
	stateCost  = 500 // of an empty one
)

// costOf is about what an object and all that it leads to take.
func costOf(o *Object) int {
	c := coster{values: map[*Value]bool{}, objects: map[*Object]bool{}, envs: map[*env]bool{}, flows: map[*Flow]bool{}}
	c.object(o)
	return c.sum
}

type coster struct {
	values  map[*Value]bool
	objects map[*Object]bool
	envs    map[*env]bool
	flows   map[*Flow]bool
	sum     int
}

func (c *coster) object(o *Object) {
	if o == nil || c.objects[o] {
		return
	}
	c.objects[o] = true
	c.sum += objectCost
	c.all(o.attrs)
	c.all(o.load)
	c.value(o.elem)
}

func (c *coster) all(vs map[string]*Value) {
	c.sum += attrCost * len(vs)
	for _, v := range vs {
		c.value(v)
	}
}

func (c *coster) value(v *Value) {
	if v == nil || c.values[v] {
		return
	}
	c.values[v] = true
	c.sum += valueCost + 8*len(v.Items)
	for f := v.Flow; f != nil && !c.flows[f]; f = f.Prev {
		c.flows[f] = true
		c.sum += flowCost
	}
	c.object(v.Obj)
	c.value(v.Elem)
	c.value(v.Recv)
	for _, it := range v.Items {
		c.value(it)
	}
	for _, o := range v.also() {
		c.value(o)
	}
	for _, a := range v.partial() {
		c.value(a.Value)
	}
	for e := v.closure(); e != nil && !c.envs[e]; e = e.up {
		c.envs[e] = true
		c.sum += attrCost * len(e.vars)
		for _, b := range e.vars {
			c.value(b.v)
		}
	}
}
