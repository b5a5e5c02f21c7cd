package checks

import (
	"strings"

	"github.com/gatebot/gatebot/checks/torchop"
)

// made is a factory or a tensor of host data.
func (fr *frame) made(c *Call, op *torchop.Op) *Value {
	v := tensor(fr.defaultPlace(), Likely)
	if c.Recv != nil { // new_zeros
		if c.Recv.IsTensor() {
			v.Place, v.Sure = c.Recv.Place, c.Recv.Sure
		} else {
			v.Place = PlaceUnknown
		}
	}
	if op.Result == torchop.Data {
		data := c.Value(0, "data")
		if data.IsTensor() {
			v.Place = data.Place
			if data.Sure == Possible {
				v.Sure = Possible
			}
		}
		v.DType = dataType(data)
		switch last(c.Name) {
		case "from_numpy", "frombuffer", "from_file":
			v.Place = PlaceCPU
		case "FloatTensor", "LongTensor", "IntTensor", "BoolTensor", "HalfTensor", "DoubleTensor":
			if strings.HasPrefix(c.Name, "torch.cuda.") {
				v.Place = PlaceDevice
			}
		}
	} else {
		v.DType = factoryType(c)
	}
	v.Rank = int8(rankOf(op, c.Recv, c))
	v = onDevice(v, c)
	v = pinned(v, c)
	if t := c.Value(-1, "dtype"); t != nil {
		v.DType, v.Name = t.DType, t.Name
		if t.Kind == KindExternal {
			v.DType = dtypeNamed(t.Name)
		}
	}
	return v
}

// onDevice moves a new tensor to where device= says, which may be one of several places.
func onDevice(v *Value, c *Call) *Value {
	d, given := c.Arg(-1, "device")
	if given && d.Value.IsNone() || !given && !c.Has("device") { // **kwargs may carry it
		return v
	}
	p, known := deviceOf(d.Value)
	return v.with(func(t *Value) {
		t.Place = PlaceUnknown
		if known {
			t.Place = p
		}
		if d.Value != nil && d.Value.Kind == KindDevice && d.Value.Sure == Possible {
			t.Sure = Possible
		}
	})
}

// pinned is a new tensor that the call may ask to be page-locked: code that hands on whether pinning is possible means it.
func pinned(v *Value, c *Call) *Value {
	pin := c.Value(-1, "pin_memory")
	if b, known := pin.Bool(); pin == nil || v.Place != PlaceCPU || known && !b {
		return v
	}
	return v.with(func(t *Value) { t.Place = PlacePinned })
}

func dtypeNamed(name string) DType {
	if d := dtypes["dtype:"+name]; d != nil {
		return d.DType
	}
	return DTypeUnknown
}

// defaultPlace is where a factory without a device puts its tensor: on the CPU, unless the project sets a default
// device, or enters one somewhere (`with target_device:`) and this is the constructor of a module, which is what such
// contexts are for.
func (fr *frame) defaultPlace() Place {
	if fr.in.p.setsDev {
		return PlaceUnknown
	}
	for f := fr; f != nil && fr.in.p.entersDev; f = f.from {
		if f.fn != nil && f.fn.Class != nil && f.fn.short == "__init__" && f.fn.Class.isTorchModule() {
			return PlaceUnknown
		}
	}
	return PlaceCPU
}

// isTorchModule reports whether an ancestor outside the project is a module (a mere forward is not enough).
func (c *Class) isTorchModule() bool {
	for _, e := range c.ext {
		if strings.HasSuffix(e, "Module") || strings.HasSuffix(e, "PreTrainedModel") {
			return true
		}
	}
	return false
}

func dataType(v *Value) DType {
	switch {
	case v == nil:
		return DTypeUnknown
	case v.IsSequence():
		return dataType(v.Element())
	}
	return v.DType
}

func factoryType(c *Call) DType {
	switch last(c.Name) {
	case "zeros", "ones", "empty", "rand", "randn", "linspace", "logspace", "eye", "new_zeros", "new_ones", "new_empty":
		if c.Recv != nil {
			return c.Recv.DType
		}
		return DTypeFloat
	case "randint", "randperm", "tril_indices", "triu_indices":
		return DTypeInt
	case "full", "new_full":
		return dataType(c.Value(1, "fill_value"))
	case "arange":
		t := DTypeInt
		for _, a := range c.Args {
			if a.Name == "" && a.Value.DType != DTypeInt {
				t = a.Value.DType
			}
		}
		return t
	}
	return DTypeUnknown
}

// typeOf is the element type of a result.
func typeOf(op *torchop.Op, s *Value, c *Call) DType {
	if t := c.Value(-1, "dtype"); t != nil && t.Kind == KindDType {
		return t.DType
	}
	switch op.Result {
	case torchop.SameBool:
		return DTypeBool
	case torchop.SameInt:
		return DTypeInt
	}
	switch last(op.Name) {
	case "float", "half", "bfloat16", "double", "softmax", "log_softmax", "sigmoid", "exp", "log", "sqrt", "rsqrt", "mean", "div",
		"true_divide", "sin", "cos", "tanh", "norm":
		return DTypeFloat
	case "sum", "cumsum", "prod":
		if s.DType == DTypeBool {
			return DTypeInt
		}
	case "where":
		if x := c.Value(1, "input"); c.Recv == nil && x != nil {
			return x.DType
		}
	case "bitwise_not", "bitwise_and", "bitwise_or", "view":
		return s.DType
	}
	return s.DType
}
