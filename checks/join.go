package checks

// join is what holds a or b: the value of a variable after two branches, of an attribute that is stored twice.
// Values are never nil in an environment; a nil operand means "nothing yet" and the other one is returned.
func join(a, b *Value) *Value { return joinDeep(a, b, 4) }

func joinDeep(a, b *Value, depth int) *Value {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	case depth == 0:
		return unknown
	case a.Kind == KindNone && b.Kind == KindNone:
		return a
	case a.Kind == KindNone:
		return optional(b)
	case b.Kind == KindNone:
		return optional(a)
	case a.Kind == KindTensor && b.Kind == KindTensor:
		return joinTensors(a, b)
	case a.Kind == KindTensor:
		return joinOther(a, b)
	case b.Kind == KindTensor:
		return joinOther(b, a)
	case a.Kind == KindUnknown || b.Kind == KindUnknown:
		return joinUnknown(a, b)
	case isDevice(a) && isDevice(b):
		return joinDevices(a, b)
	case a.Kind != b.Kind:
		if a.HostData() && b.HostData() {
			return hostUnknown
		}
		if a.IsSequence() && b.IsSequence() {
			return &Value{Kind: KindList, Rank: -1, Sure: min(a.Sure, b.Sure), Elem: joinDeep(a.Element(), b.Element(), depth-1),
				Optional: a.Optional || b.Optional}
		}
		return unknown
	}
	return joinSame(a, b, depth)
}

// isDevice reports whether v is a device, or a text that names one.
func isDevice(v *Value) bool {
	_, ok := deviceOf(v)
	return ok && v.Kind != KindNumber
}

// joinDevices is one of two devices: when one is the host it is a guess which one is meant.
func joinDevices(a, b *Value) *Value {
	p, _ := deviceOf(a)
	q, _ := deviceOf(b)
	if p == q {
		v := device(p, "")
		v.Sure = min(a.Sure, b.Sure)
		return v
	}
	v := device(PlaceDevice, "")
	v.Sure = Possible
	return v
}

func optional(v *Value) *Value {
	if v.Optional {
		return v
	}
	c := *v
	c.Optional = true
	return &c
}

func joinTensors(a, b *Value) *Value {
	if a.Place == b.Place && a.Rank == b.Rank && a.DType == b.DType && a.Sure == b.Sure && a.NonDense == b.NonDense &&
		a.Optional == b.Optional && a.Name == b.Name {
		return a
	}
	v := *a
	if a.Name != b.Name {
		v.Name = ""
	}
	v.Sure = min(a.Sure, b.Sure)
	v.Optional = a.Optional || b.Optional
	v.NonDense = a.NonDense && b.NonDense
	if a.Rank != b.Rank {
		v.Rank = -1
	}
	if a.DType != b.DType {
		v.DType = DTypeUnknown
	}
	if a.Place != b.Place {
		v.Sure = Possible
		switch {
		case a.OnCPU() && b.OnCPU(): // pinned on one way only
			v.Place = hostPlace(a, b)
		case b.Place == PlaceDevice:
			v.Flow = b.Flow
			v.Place = PlaceDevice
		case a.Place == PlaceUnknown:
			v.Place = b.Place
		}
	}
	return &v
}

// hostPlace is the place of a host tensor that is pinned on one way and pageable on the other. Such code
// mostly asks whether pinning is possible at all (`x.pin_memory() if cuda else x`), so pinned is the better guess.
func hostPlace(a, b *Value) Place {
	if a.Place == PlacePinned || b.Place == PlacePinned {
		return PlacePinned
	}
	return PlaceCPU
}

// joinOther joins a tensor with something that is none. An accumulator that starts as a number is a tensor from the
// first turn on.
func joinOther(t, o *Value) *Value {
	if o.Kind == KindNumber && o.Const != nil {
		return t
	}
	c := *t
	c.Sure = Possible
	return &c
}

func joinUnknown(a, b *Value) *Value {
	if a.Kind == KindUnknown {
		a, b = b, a
	}
	if b.Place == PlaceHost && (a.HostData() || a.Place == PlaceHost) {
		return hostUnknown
	}
	if a.Kind == KindUnknown {
		return unknown
	}
	switch a.Kind {
	case KindInstance, KindDict, KindFunc, KindClass, KindStream, KindEvent, KindDevice:
		c := *a
		c.Sure = Possible
		return &c
	}
	return unknown
}

func joinSame(a, b *Value, depth int) *Value {
	v := *a
	v.Sure = min(a.Sure, b.Sure)
	v.Optional = a.Optional || b.Optional
	if a.Const != b.Const {
		v.Const = nil
	}
	if a.Name != b.Name {
		v.Name = ""
	}
	if a.Place != b.Place {
		v.Place = PlaceUnknown
	}
	if a.DType != b.DType {
		v.DType = DTypeUnknown
	}
	if a.Rank != b.Rank {
		v.Rank = -1
	}
	switch a.Kind {
	case KindTuple, KindList, KindSlice:
		if len(a.Items) == len(b.Items) && a.Elem == nil && b.Elem == nil {
			v.Items = make([]*Value, len(a.Items))
			for i := range a.Items {
				v.Items[i] = joinDeep(a.Items[i], b.Items[i], depth-1)
			}
			break
		}
		v.Items, v.Elem = nil, joinDeep(a.Element(), b.Element(), depth-1)
		if a.Kind == KindTuple {
			v.Kind = KindList
		}
	case KindExternal:
		if a.Name != b.Name {
			return unknown
		}
	case KindFunc:
		if a.Func != b.Func || !sameLambda(a.lambda(), b.lambda()) {
			if len(a.also()) >= 8 {
				return unknown
			}
			v.setMore(func(m *moreValue) { m.also = append(append([]*Value{}, m.also...), b) })
		}
	case KindClass:
		if a.Class != b.Class {
			return unknown
		}
	case KindInstance, KindDict:
		if a.Class != b.Class {
			if len(a.also()) >= 8 {
				return unknown
			}
			v.setMore(func(m *moreValue) { m.also = append(append([]*Value{}, m.also...), b) })
		} else if a.Obj != b.Obj {
			v.Obj = joinObjects(a.Obj, b.Obj, depth)
		}
	}
	return &v
}

func sameLambda(a, b *lambdaRef) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func joinObjects(a, b *Object, depth int) *Object {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	o := &Object{id: a.id ^ b.id<<16, attrs: make(map[string]*Value, len(a.attrs)), elem: joinDeep(a.elem, b.elem, depth-1)}
	for k, v := range a.all() {
		o.attrs[k] = v
	}
	for k, v := range b.all() {
		o.attrs[k] = joinDeep(o.attrs[k], v, depth-1)
	}
	if o.early = a.early && b.early; o.early {
		return o
	}
	for _, from := range []*Object{a, b} {
		for _, k := range from.loaded() {
			if o.load == nil {
				o.load = make(map[string]*Value, len(from.attrs))
			}
			o.load[k] = joinDeep(o.load[k], from.atLoad(k), depth-1)
		}
	}
	return o
}

// same reports whether two values are equal as far as a loop's fix-point is concerned.
func same(a, b *Value) bool { return a == b || sameDeep(a, b, 4) }

func sameDeep(a, b *Value, depth int) bool {
	if a == b || depth == 0 {
		return true
	}
	if a == nil || b == nil || a.Kind != b.Kind || a.Place != b.Place || a.Rank != b.Rank || a.DType != b.DType ||
		a.Sure != b.Sure || a.Const != b.Const || a.Name != b.Name || a.Optional != b.Optional || a.Class != b.Class ||
		a.Func != b.Func || a.Obj != b.Obj || len(a.Items) != len(b.Items) || len(a.also()) != len(b.also()) {
		return false
	}
	for i := range a.Items {
		if !sameDeep(a.Items[i], b.Items[i], depth-1) {
			return false
		}
	}
	return sameDeep(a.Elem, b.Elem, depth-1)
}
