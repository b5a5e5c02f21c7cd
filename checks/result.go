package checks

import (
	"strings"

	"github.com/gatebot/gatebot/checks/torchop"
)

// opResult is what an operation from outside the project returns, by the table of operations.
func (fr *frame) opResult(c *Call, op *torchop.Op) *Value {
	if op == nil {
		return fr.otherResult(c)
	}
	s := c.Subject()
	var v *Value
	switch op.Result {
	case torchop.Same, torchop.SameBool, torchop.SameInt, torchop.View, torchop.Self, torchop.Tensors, torchop.Pair:
		v = fr.sameResult(c, op, s)
	case torchop.Factory, torchop.Data:
		v = fr.made(c, op)
	case torchop.Convert:
		v = convert(c)
	case torchop.OnCPU:
		v = fr.copied(s, PlaceCPU)
	case torchop.OnDevice:
		v = fr.copied(s, PlaceDevice)
	case torchop.Pinned:
		v = fr.copied(s, PlacePinned)
	case torchop.Parameter:
		v = parameter(s)
	case torchop.Module:
		v = fr.outsideModule(c)
	case torchop.ModuleList:
		v = fr.moduleList(c)
	default:
		v = hostResult(c, op, s)
	}
	if v.IsTensor() {
		v = fr.step(v, c.Node, "", "")
	}
	return v
}

func hostResult(c *Call, op *torchop.Op, s *Value) *Value {
	switch op.Result {
	case torchop.Array:
		return array.rank(rankOf(op, s, c))
	case torchop.HostBool:
		return boolean
	case torchop.HostInt:
		return hostInt
	case torchop.HostNum:
		return number
	case torchop.HostList:
		return list(number)
	case torchop.None:
		return none
	case torchop.Stream:
		return handle(KindStream, op.Name)
	case torchop.Event:
		return handle(KindEvent, op.Name)
	case torchop.Graph:
		return handle(KindGraph, op.Name)
	case torchop.Generator:
		return generator(c)
	case torchop.Host:
		switch op.Name {
		case "Tensor.size", "Tensor.stride":
			return shape
		}
		return hostUnknown
	}
	return unknown
}

// handle is a stream, event, graph or generator; Name says what made it.
func handle(k Kind, name string) *Value {
	return &Value{Kind: k, Rank: -1, Place: PlaceHost, Sure: Likely, Name: name}
}

// generator is a torch.Generator; without a device it is one of the CPU.
func generator(c *Call) *Value {
	v := handle(KindGenerator, c.Name)
	v.Place = PlaceCPU
	if d, given := c.Arg(0, "device"); given {
		v.Place = PlaceHost // which side it draws for is not known
		if p, known := deviceOf(d.Value); known {
			v.Place = p
		}
	}
	return v
}

// sameResult is a new tensor, or a view, where the operands are.
func (fr *frame) sameResult(c *Call, op *torchop.Op, s *Value) *Value {
	if op.Name == "copy.deepcopy" || op.Name == "copy.copy" {
		if s == nil {
			return unknown
		}
		return s
	}
	base := fr.operandTensor(c, s)
	if base == nil {
		if s.IsArray() || strings.HasPrefix(op.Name, "numpy.") {
			return array
		}
		if op.Method() && s != nil && !s.IsUnknown() && s.Place == PlaceHost {
			return hostUnknown
		}
		// An operation of torch returns tensors whatever it is given; where they are is not known.
		base = tensor(PlaceUnknown, Possible)
	}
	if out, ok := c.Arg(-1, "out"); ok && out.Value.IsTensor() {
		return out.Value
	}
	if op.Result == torchop.Self {
		return base
	}
	v := base.with(func(t *Value) {
		t.Optional = false
		t.Rank = int8(rankOf(op, base, c))
		if op.Result != torchop.View {
			t.NonDense, t.Name = false, ""
			if t.Place == PlacePinned {
				t.Place = PlaceCPU // a new tensor is not pinned because its source was
			}
		} else {
			t.NonDense = t.NonDense || nonDense(op.Name)
		}
		t.DType = typeOf(op, base, c)
	})
	if op.Alloc == torchop.AllocLike {
		v = pinned(onDevice(v, c), c)
	}
	switch op.Result {
	case torchop.Tensors:
		return fr.several(c, op, v)
	case torchop.Pair:
		return tuple(v, v.with(func(t *Value) { t.DType = DTypeInt }))
	}
	switch last(op.Name) {
	case "max", "min", "median", "nanmedian":
		// With a dim: (values, indices); with another tensor: element by element.
		if d, ok := c.Operand(0, "dim"); ok {
			if d.Value.IsTensor() {
				return v.rank(int(widest(base.Rank, d.Value.Rank)))
			}
			return tuple(v, v.with(func(t *Value) { t.DType = DTypeInt }))
		}
	case "where":
		if n, _ := c.Positional(); c.Recv == nil && n == 1 {
			return tuple(tensor(base.Place, base.Sure).with(func(t *Value) { t.DType, t.Rank = DTypeInt, 1; t.Flow = base.Flow }))
		}
	case "nonzero":
		if c.Value(-1, "as_tuple").True() {
			return list(v.with(func(t *Value) { t.DType, t.Rank = DTypeInt, 1 }))
		}
	}
	return v
}

// several is a tuple or list of tensors; its length is known for a few.
func (fr *frame) several(c *Call, op *torchop.Op, v *Value) *Value {
	switch last(op.Name) {
	case "chunk":
		if n, ok := c.Operand(0, "chunks"); ok {
			if k, known := n.Value.Int(); known && k > 0 && k <= 16 {
				items := make([]*Value, k)
				for i := range items {
					items[i] = v
				}
				return tuple(items...)
			}
		}
	}
	return list(v)
}

// operandTensor is the tensor that decides where the result is: a device operand before a host one.
func (fr *frame) operandTensor(c *Call, s *Value) *Value {
	var best *Value
	consider := func(v *Value) {
		switch {
		case v == nil || v.Kind != KindTensor:
		case best == nil, best.Place != PlaceDevice && v.Place == PlaceDevice:
			best = v
		}
	}
	consider(s)
	if best != nil && c.Recv != nil && best.Place == PlaceDevice {
		return best
	}
	for _, a := range c.Args {
		consider(a.Value)
		if a.Value.IsSequence() && !s.IsTensor() { // cat; beside a tensor a sequence is sizes, and decides nothing
			for _, it := range a.Value.Items {
				consider(it)
			}
			consider(a.Value.Elem)
		}
	}
	if best != nil && best != s && s.IsTensor() {
		// The shape is the subject's as far as the table says so.
		return s.with(func(t *Value) { t.Place, t.Sure, t.Flow = best.Place, min(best.Sure, s.Sure), best.Flow })
	}
	return best
}

func nonDense(name string) bool {
	switch last(name) {
	case "expand", "expand_as", "broadcast_to", "as_strided", "diagonal", "unfold":
		return true
	}
	return false
}
