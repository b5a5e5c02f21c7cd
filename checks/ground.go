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
		first.entry = p
		c.Flow = &first
	})
}

// handed remembers that a caller hands in host data.
func (in *interp) handed(f *Func, name string, v *Value) {
	if in.quiet > 0 || f == nil || !v.OnCPU() && !v.IsArray() {
		return
	}
	in.onHost[param{f, name}] = true
}

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
func (s *sink) settle(onHost map[param]bool) {
	for _, h := range s.found {
		if h.rests.firm || h.confidence != finding.Likely {
			continue
		}
		stands := false
		for _, p := range h.rests.params {
			stands = stands || !onHost[p]
		}
		if !stands {
			h.confidence = finding.Possible
		}
	}
}
