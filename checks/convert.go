package checks

import (
	"strings"
)

// convert is .to(…), .type(…), torch.as_tensor: a device, a dtype or another tensor says where to.
func convert(c *Call) *Value {
	s := c.Subject()
	if s == nil || s.Kind != KindTensor {
		if s != nil && s.Kind == KindInstance {
			return s // a module, or an object that moves itself
		}
		if s != nil && !s.IsUnknown() {
			return s
		}
		// Something unknown that is moved to the device is a tensor, or a batch of tensors.
		for _, a := range c.Args {
			if p, ok := deviceOf(a.Value); ok && (a.Value.Kind == KindDevice || p == PlaceDevice || p == PlaceCPU) && a.Value.Kind != KindNumber {
				return tensor(p, Possible)
			}
		}
		return unknown
	}
	v := s.with(func(t *Value) { t.Optional = false })
	for _, a := range c.Args {
		switch a.Name {
		case "", "device", "dtype", "other":
			moveTo(v, a.Value)
		}
		if a.Value.IsUnknown() && (a.Name == "device" || a.Name == "" && v.OnCPU()) {
			v.Place, v.Sure = PlaceUnknown, Possible // it may be anywhere now
		}
	}
	if v.Place != s.Place || v.DType != s.DType {
		v.NonDense = false
		if v.Place == PlacePinned {
			v.Place = PlaceCPU
		}
	}
	if v.Place == PlaceCPU && s.Place == PlaceDevice && c.Value(-1, "non_blocking").True() {
		v.Place = PlacePinned // torch allocates a pinned destination for an asynchronous copy to the host
	}
	return v
}

func moveTo(v, to *Value) {
	switch to.Kind {
	case KindDType:
		v.DType, v.Name = to.DType, to.Name
	case KindTensor:
		v.Place, v.DType, v.Name = to.Place, to.DType, to.Name
		v.Sure = min(v.Sure, to.Sure)
	case KindDevice, KindString:
		if p, ok := deviceOf(to); ok {
			v.Place = p
			if to.Sure == Possible {
				v.Sure = Possible
			}
		} else if s, known := to.Str(); known && strings.Contains(s, "Tensor") {
			legacyType(v, s)
		} else if !known {
			v.Place, v.Sure = PlaceUnknown, Possible
		}
	case KindExternal:
		if strings.HasSuffix(to.Name, "Tensor") {
			legacyType(v, to.Name)
		}
		if d := dtypeNamed(to.Name); d != DTypeUnknown {
			v.DType = d
		}
	case KindNumber:
		if to.DType == DTypeInt {
			v.Place = PlaceDevice
		}
	case KindUnknown:
		if to.Place != PlaceHost {
			v.Sure = Possible
		}
	}
}

// legacyType is .type(torch.LongTensor): a CPU tensor, unless it says cuda.
func legacyType(v *Value, name string) {
	v.Place, v.Name = PlaceCPU, ""
	if strings.Contains(name, "cuda") {
		v.Place = PlaceDevice
	}
	switch last(name) {
	case "LongTensor", "IntTensor", "ShortTensor", "ByteTensor":
		v.DType = DTypeInt
	case "BoolTensor":
		v.DType = DTypeBool
	default:
		v.DType = DTypeFloat
	}
}

// copied is a tensor moved to a place.
func (fr *frame) copied(s *Value, p Place) *Value {
	switch {
	case s.IsTensor():
		return s.with(func(t *Value) {
			if !(p == PlaceCPU && t.Place == PlacePinned) {
				t.Place = p
			}
			t.Optional, t.NonDense = false, false
		})
	case s != nil && s.Kind == KindInstance:
		return s
	case s.HostData():
		v := tensor(p, Likely)
		v.Rank, v.DType = int8(dataRank(s, 4)), dataType(s)
		return v
	}
	return tensor(p, Possible)
}

// parameter is nn.Parameter(t): it lives where its module lives.
func parameter(s *Value) *Value {
	v := tensor(PlaceDevice, Likely)
	if s.IsTensor() {
		v.Rank, v.DType = s.Rank, s.DType
		if s.Place == PlaceDevice {
			v.Flow = s.Flow
		}
	}
	return v
}

func (fr *frame) outsideModule(c *Call) *Value {
	o := fr.objectAt(c.Node)
	v := &Value{Kind: KindInstance, Rank: -1, Place: PlaceHost, Sure: Likely, Name: c.Name, Obj: o}
	if strings.HasPrefix(c.Name, "torch.nn.Module.") {
		return c.Recv
	}
	return v
}

// moduleList is nn.ModuleList, nn.ModuleDict and their Parameter kind: a list or dict of what they are given.
func (fr *frame) moduleList(c *Call) *Value {
	v := c.Value(0, "modules")
	if v != nil && (v.Kind == KindDict || v.IsSequence()) {
		return v
	}
	return list(nil)
}
