package checks

import "github.com/gatebot/gatebot/internal/pyast"

// grid is the part in brackets of kernel[grid](…), a Triton kernel: a number, a tuple of numbers, or a function of the
// kernel's constants that returns one, which the launch calls. It is reported as a call of triton.grid, whose arguments
// are read on the host.
func (fr *frame) grid(e *pyast.Call, s *pyast.Subscript) {
	kernel := fr.values.get(s.X)
	if kernel == nil || kernel.Kind != KindFunc || kernel.Func == nil || !kernel.Func.kernel {
		return
	}
	var args []Arg
	for _, x := range s.Index {
		v := fr.values.get(x)
		if v == nil {
			continue
		}
		if v.Kind == KindFunc {
			v = fr.callFunc(v, []Arg{{Value: unknown}}, e)
		}
		items := []*Value{v}
		if v.Kind == KindTuple && v.Elem == nil {
			items = v.Items
		}
		for _, it := range items {
			args = append(args, Arg{Value: it, Node: x})
		}
	}
	fr.called(Call{Node: e, Name: "triton.grid", Args: args, Result: unknown})
}
