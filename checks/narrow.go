package checks

import (
	"strings"

	"github.com/gatebot/gatebot/internal/pyast"
)

// narrow uses what a test that came out as want says about variables: `x is None`, `isinstance(x, …)`, `x.is_cuda`.
func (fr *frame) narrow(test pyast.Expr, want bool) {
	switch t := test.(type) {
	case *pyast.Unary:
		if t.Op == "not" {
			fr.narrow(t.X, !want)
		}
	case *pyast.Bool:
		if (t.Op == "and") == want {
			fr.narrow(t.L, want)
			fr.narrow(t.R, want)
		}
	case *pyast.Name:
		if v := fr.env.local(t.ID); v != nil && want && v.Optional {
			fr.env.set(t.ID, v.with(func(c *Value) { c.Optional = false }))
		}
	case *pyast.Compare:
		fr.narrowNone(t, want)
		fr.narrowDevice(t, want)
	case *pyast.Call:
		fr.narrowType(t, want)
	case *pyast.Attr:
		fr.narrowPlace(t, want)
	}
}

func (fr *frame) narrowNone(t *pyast.Compare, want bool) {
	if len(t.Ops) != 1 {
		return
	}
	name, ok := t.First.(*pyast.Name)
	c, isConst := t.Rest[0].(*pyast.Const)
	if !ok || !isConst || c.Kind != pyast.ConstNone {
		return
	}
	v := fr.env.local(name.ID)
	if v == nil {
		return
	}
	isNone := (t.Ops[0] == "is" || t.Ops[0] == "==") == want
	switch {
	case isNone && (t.Ops[0] == "is" || t.Ops[0] == "is not"):
		fr.env.set(name.ID, none)
	case !isNone && v.Optional:
		fr.env.set(name.ID, v.with(func(c *Value) { c.Optional = false }))
	}
}

// narrowType handles isinstance(x, torch.Tensor) and torch.is_tensor(x).
func (fr *frame) narrowType(t *pyast.Call, want bool) {
	if len(t.Args) == 0 {
		return
	}
	name, ok := t.Args[0].Value.(*pyast.Name)
	if !ok {
		return
	}
	v, bound := fr.env.get(name.ID)
	if !bound {
		return
	}
	var asked *Value
	switch fr.calleeName(t) {
	case "builtins.isinstance":
		if len(t.Args) == 2 {
			if ts, ok := t.Args[1].Value.(*pyast.Tuple); ok && want && v.IsTensor() && !namesTensor(fr.u.tree.Text(ts)) {
				fr.env.set(name.ID, hostUnknown) // isinstance(x, (list, tuple))
				return
			}
			asked = fr.in.annotation(fr.u.mod, fr.u.tree.Text(t.Args[1].Value), false)
		}
	case "torch.is_tensor":
		asked = tensor(PlaceUnknown, Likely)
	}
	if asked == nil {
		return
	}
	switch {
	case want && (v.IsUnknown() || v.Sure == Possible && v.Kind != asked.Kind):
		if asked.Kind == KindTensor && v.Kind == KindUnknown {
			asked = tensor(PlaceUnknown, Possible)
		}
		fr.env.set(name.ID, asked)
	case want && v.Kind == KindTensor && asked.Kind != KindTensor,
		!want && v.Kind == KindTensor && asked.Kind == KindTensor:
		// Joined from a tensor and something else: here it is the something else, or the code is not reached.
		fr.env.set(name.ID, hostUnknown)
	}
}

func namesTensor(types string) bool {
	return strings.Contains(types, "Tensor") || strings.Contains(types, "Parameter")
}

// narrowDevice handles `if x.device.type == "cpu"` and `x.device == torch.device("cuda")`.
func (fr *frame) narrowDevice(t *pyast.Compare, want bool) {
	if len(t.Ops) != 1 || t.Ops[0] != "==" && t.Ops[0] != "!=" {
		return
	}
	a, ok := t.First.(*pyast.Attr)
	if ok && a.Name == "type" {
		a, ok = a.X.(*pyast.Attr)
	}
	if !ok || a.Name != "device" {
		return
	}
	name, ok := a.X.(*pyast.Name)
	if !ok {
		return
	}
	at, known := deviceOf(fr.values.get(t.Rest[0]))
	if c, isConst := t.Rest[0].(*pyast.Const); isConst && c.Kind == pyast.ConstString {
		at, known = deviceNamed(strings.Trim(c.Text, `"'`))
	}
	if !known || at == PlaceUnknown {
		return
	}
	if (t.Ops[0] == "==") != want { // it is on the other side
		if at == PlaceDevice {
			at = PlaceCPU
		} else {
			at = PlaceDevice
		}
	}
	fr.place(name, at)
}

// place says where the tensor that a variable holds is.
func (fr *frame) place(name *pyast.Name, at Place) {
	v := fr.env.local(name.ID)
	if v == nil || !v.IsTensor() || v.Place == at || at == PlaceCPU && v.Place == PlacePinned {
		return
	}
	fr.env.set(name.ID, v.with(func(c *Value) { c.Place = at }))
}

// narrowPlace handles `if x.is_cuda` and `if x.is_cpu`.
func (fr *frame) narrowPlace(t *pyast.Attr, want bool) {
	name, ok := t.X.(*pyast.Name)
	if !ok || (t.Name != "is_cuda" && t.Name != "is_cpu") {
		return
	}
	at := PlaceCPU
	if (t.Name == "is_cuda") == want {
		at = PlaceDevice
	}
	fr.place(name, at)
}
