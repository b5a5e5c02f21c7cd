package checks

import "github.com/gatebot/gatebot/internal/finding"

// A function that nobody has been seen to call yet is looked at on its own, with parameters as they are declared: tensors
// on the device. When a caller turns up later that hands in host data for one of them, what rests on it is a guess.

// param is a parameter of a function.
type param struct {
	fn   *Func
	name string
}

// assumed notes in the evidence of v that it is what p is declared as.
func assumed(v *Value, p param) *Value {
	if v == nil || v.Kind != KindTensor || v.Flow == nil {
		return v
	}
	return v.with(func(c *Value) {
		first := *v.Flow
		first.sum = digest{}
		first.entry = p
		c.Flow = &first
	})
}

// handing is what the callers of a function hand in for a parameter.
type handing struct{ host, device, untold bool }

// handed remembers what a caller on the hot path hands in.
func (in *interp) handed(f *Func, name string, v *Value) {
	if in.quiet > 0 || f == nil {
		return
	}
	before := in.handings[param{f, name}]
	h := before
	switch {
	case v.OnCPU() || v.IsArray():
		h.host = true
	case v.OnDevice():
		h.device = true
	case v.IsUnknown() || v.IsTensor():
		h.untold = true
	}
	if h != before {
		in.handings[param{f, name}] = h
	}
}

// doubted reports whether a declared parameter is not what its callers hand in: host data, or, for the sizes and counts of
// a batch, of which code keeps copies on the host, something of which nobody can say where it is.
func (h handing) doubted(name string) bool { return h.host || h.untold && !h.device && sizesName(name) }

// grounds are what a finding rests on: declared parameters, or something better.
type grounds struct {
	params []param
	firm   bool
}

func (g *grounds) on(v *Value) {
	if v == nil || v.Flow == nil {
		g.firm = true
		return
	}
	f := v.Flow
	for f.Prev != nil {
		f = f.Prev
	}
	if f.entry.fn == nil {
		g.firm = true
		return
	}
	g.params = append(g.params, f.entry)
}

const maxGrounds = 16

// add takes over what another finding of the same place rests on: one of them is enough.
func (g *grounds) add(o *grounds) {
	g.firm = g.firm || o.firm
	for _, p := range o.params {
		if len(g.params) < maxGrounds {
			g.params = append(g.params, p)
		}
	}
}

// settle lowers what rests on declarations that a caller contradicts.
func (s *sink) settle(handings map[param]handing) {
	for _, h := range s.found {
		if h.rests.firm || h.confidence != finding.Likely {
			continue
		}
		stands := false
		for _, p := range h.rests.params {
			stands = stands || !handings[p].doubted(p.name)
		}
		if !stands {
			h.confidence = finding.Possible
		}
	}
}
