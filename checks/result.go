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
		v = fr.step(v, c.Node, "")
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
		return handle(KindGenerator, op.Name)
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
		if a.Value.IsSequence() {
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
	if d, given := c.Arg(-1, "device"); given && !d.Value.IsNone() {
		v.Place = PlaceUnknown
		if p, known := deviceOf(d.Value); known {
			v.Place = p
		}
	} else if !given && c.Has("device") { // **kwargs may carry it
		v.Place = PlaceUnknown
	}
	if pin := c.Value(-1, "pin_memory"); pin != nil && v.Place == PlaceCPU {
		if b, known := pin.Bool(); !known || b {
			v.Place = PlacePinned
		}
	}
	if t := c.Value(-1, "dtype"); t != nil {
		v.DType, v.Name = t.DType, t.Name
		if t.Kind == KindExternal {
			v.DType = dtypeNamed(t.Name)
		}
	}
	return v
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
		} else if s, known := to.Str(); known && strings.Contains(s, "Tensor") {
			legacyType(v, s)
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

// otherResult is what a function returns that the table does not know. Libraries of the host return host values;
// kernels and custom operators of torch.ops return device tensors; of the rest nothing is known.
func (fr *frame) otherResult(c *Call) *Value {
	first, _, _ := strings.Cut(c.Name, ".")
	switch {
	case c.Recv != nil && c.Recv.Kind == KindTensor && strings.HasPrefix(c.Name, "Tensor."):
		// A method that the table does not list: most return a tensor in the same place.
		return c.Recv.with(func(t *Value) { t.Rank, t.DType, t.NonDense = -1, DTypeUnknown, false })
	case strings.HasPrefix(c.Name, "torch.ops."):
		for _, a := range c.Args {
			if a.Value.OnDevice() {
				return tensor(PlaceDevice, Likely).with(func(t *Value) { t.Flow = a.Value.Flow })
			}
		}
		return unknown
	case first == "torch" && fr.anyDevice(c) != nil:
		d := fr.anyDevice(c)
		return tensor(d.Place, Possible).with(func(t *Value) { t.Flow = d.Flow })
	case hostLibraries[first]:
		return hostUnknown
	case c.Recv != nil && c.Recv.Place == PlaceHost && c.Recv.Kind == KindUnknown:
		return hostUnknown
	}
	return unknown
}

func (fr *frame) anyDevice(c *Call) *Value {
	for _, a := range c.Args {
		if a.Value.OnDevice() {
			return a.Value
		}
	}
	return nil
}

// hostLibraries are packages whose functions know nothing of devices.
var hostLibraries = set("math os sys time json re random logging itertools collections functools operator string datetime " +
	"pathlib hashlib struct threading queue socket subprocess typing dataclasses enum abc copy types inspect warnings " +
	"contextlib heapq bisect decimal fractions statistics uuid tempfile shutil glob argparse pickle base64 zlib gc ctypes " +
	"traceback numpy pandas scipy sklearn PIL regex msgspec zmq asyncio concurrent multiprocessing importlib platform psutil")

// rankOf is the number of dimensions of a result, -1 when unknown.
func rankOf(op *torchop.Op, s *Value, c *Call) int {
	same := -1
	if s.IsTensor() || s.IsArray() {
		same = int(s.Rank)
	}
	switch op.Rank {
	case torchop.RankSame:
		return same
	case torchop.RankWidest:
		if c == nil || same < 0 {
			return -1
		}
		for _, a := range c.Args {
			if a.Value.IsTensor() {
				if a.Value.Rank < 0 {
					return -1
				}
				same = max(same, int(a.Value.Rank))
			}
		}
		return same
	case torchop.RankReduce:
		return reduceRank(same, c)
	case torchop.RankMinus1:
		return max(same-1, -1)
	case torchop.RankPlus1:
		if same < 0 {
			return -1
		}
		return same + 1
	case torchop.RankSize:
		return sizeRank(c)
	case torchop.RankLike:
		if c != nil {
			if a, ok := c.Operand(0, ""); ok && a.Value.IsTensor() {
				return int(a.Value.Rank)
			}
		}
	case torchop.RankData:
		if c != nil {
			return dataRank(c.Value(0, "data"), 4)
		}
	case torchop.Rank0:
		return 0
	case torchop.Rank1:
		return 1
	case torchop.Rank2:
		return 2
	}
	return -1
}

// reduceRank is the rank after a reduction: everything without a dim, one less with one, the same with keepdim.
func reduceRank(same int, c *Call) int {
	if c == nil {
		return -1
	}
	name := "dim"
	pos := 0
	if last(c.Name) == "norm" {
		pos = 1
	}
	d, ok := c.Operand(pos, name)
	if !ok {
		d, ok = c.Arg(-1, "axis")
	}
	if c.Has("keepdim") || c.Has("keepdims") {
		return same
	}
	if k, given := c.Operand(pos+1, "keepdim"); given && k.Value.True() {
		return same
	}
	switch {
	case !ok || d.Value.IsNone():
		return 0
	case same < 0:
		return -1
	case d.Value.Kind == KindNumber:
		return max(same-1, 0)
	case d.Value.Kind == KindTuple || d.Value.Kind == KindList && d.Value.Elem == nil:
		return max(same-len(d.Value.Items), 0)
	}
	return -1
}

// sizeRank counts the sizes of zeros(4, 8), zeros((4, 8)) and x.view(4, -1).
func sizeRank(c *Call) int {
	if c == nil {
		return -1
	}
	if s, ok := c.Arg(-1, "size"); ok {
		return seqLen(s.Value)
	}
	n, star := c.Positional()
	if star {
		return -1
	}
	if n == 0 {
		return -1
	}
	first := c.Value(0, "")
	if first.IsSequence() {
		return seqLen(first)
	}
	if last(c.Name) == "full" || last(c.Name) == "new_full" || first.IsUnknown() && n == 1 {
		if first.IsNumber() {
			return 1
		}
		return -1
	}
	return n
}

func seqLen(v *Value) int {
	if v.IsNumber() {
		return 1
	}
	if v.IsSequence() && v.Elem == nil {
		return len(v.Items)
	}
	return -1
}

// dataRank is how deep a nested list is; 0 for a number.
func dataRank(v *Value, depth int) int {
	switch {
	case v == nil || depth == 0:
		return -1
	case v.IsNumber():
		return 0
	case v.IsTensor() || v.IsArray():
		return int(v.Rank)
	case v.IsSequence():
		e := v.Element()
		if e == nil && len(v.Items) == 0 {
			return 1
		}
		if r := dataRank(e, depth-1); r >= 0 {
			return r + 1
		}
		if e != nil && e.Place == PlaceHost {
			return 1
		}
	}
	return -1
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
