package checks

// Value is what the interpreter takes an expression for. Values are immutable: rules may keep none and change none.
// The zero value and a nil *Value both mean "unknown", and every method works on nil.
type Value struct {
	Kind  Kind
	Place Place
	Rank  int8 // number of dimensions of a tensor or array; -1 when unknown
	DType DType
	Sure  Certainty

	// NonDense marks a tensor with holes in memory or a stride of zero (x[:, :k], x[::2], expand): copies of it go
	// through a temporary.
	NonDense bool
	// Optional marks a value that may also be None.
	Optional bool

	// Const is set for numbers, booleans and strings that are known: int64, float64, bool or string.
	Const any

	// Name is the canonical dotted name of a thing that lives outside the project (torch.zeros), and of dtypes
	// ("torch.int64"); the text of the device of a KindDevice when it is written out ("cuda:0", "cpu"); the exact
	// dtype of a tensor where it is known ("torch.int16"), which DType only gives the class of.
	Name string

	// Items are the elements of a tuple or list of known length, Elem is the join of all elements (or what
	// iteration gives) when the length is unknown, Key the join of a dict's keys. Lo, Hi and Step of a KindSlice are
	// Items 0 to 2.
	Items []*Value
	Elem  *Value

	// Obj holds the attributes of an instance and the entries of a dict or namespace by name.
	Obj *Object
	// Class is the class of an instance, or the class itself for KindClass. Nil for classes outside the project.
	Class *Class
	// Func is the function of a KindFunc, Recv what it is bound to.
	Func *Func
	Recv *Value

	more *moreValue // what few values have, nil for the others

	// Flow is how the value came to be what it is, newest step first. It becomes the flow evidence of a finding.
	Flow *Flow
}

// moreValue is the rare part of a value. It is not changed either.
type moreValue struct {
	// also are other values of the same kind that this may be too: functions of a dispatch table, objects of other
	// classes. The main value is the first one.
	also []*Value
	// lambda and closure belong to a KindFunc: where its syntax is when it is a lambda, and the variables around it.
	lambda  *lambdaRef
	closure *env
	partial []Arg // arguments that functools.partial has fixed
}

func (v *Value) also() []*Value {
	if v.more == nil {
		return nil
	}
	return v.more.also
}

func (v *Value) lambda() *lambdaRef {
	if v.more == nil {
		return nil
	}
	return v.more.lambda
}

func (v *Value) closure() *env {
	if v.more == nil {
		return nil
	}
	return v.more.closure
}

func (v *Value) partial() []Arg {
	if v.more == nil {
		return nil
	}
	return v.more.partial
}

// onlyFirst is v without what else it may be.
func (v *Value) onlyFirst() *Value {
	return v.with(func(c *Value) { c.setMore(func(m *moreValue) { m.also = nil }) })
}

// setMore changes the rare part of a value that nobody else has seen yet.
func (v *Value) setMore(f func(*moreValue)) {
	m := moreValue{}
	if v.more != nil {
		m = *v.more
	}
	f(&m)
	v.more = &m
	if len(m.also) == 0 && m.lambda == nil && m.closure == nil && len(m.partial) == 0 {
		v.more = nil
	}
}

// Kind is the type of a value as far as the gate cares.
type Kind uint8

// Kinds of values.
const (
	KindUnknown   Kind = iota
	KindNone           // None
	KindTensor         // torch.Tensor, Parameter, buffer
	KindArray          // numpy.ndarray: always on the host
	KindNumber         // int, float, bool, complex, numpy scalars: always on the host
	KindString         // str and bytes
	KindTuple          // tuple, namedtuple without a class
	KindList           // list, set, deque, iterators and generators
	KindDict           // dict
	KindSlice          // slice(lo, hi, step), and lo:hi:step inside a subscript
	KindInstance       // an object of a class; SimpleNamespace and objects of outside classes have no Class
	KindClass          // a class of the project
	KindFunc           // a function, method or lambda of the project
	KindExternal       // a function, class or module from outside the project; Name says which
	KindModule         // a module of the project; Name says which
	KindStream         // torch.cuda.Stream
	KindEvent          // torch.cuda.Event
	KindGraph          // torch.cuda.CUDAGraph
	KindDType          // torch.float32
	KindDevice         // torch.device or the string that names one; Place says which
	KindShape          // torch.Size: a tuple of host ints
	KindGenerator      // torch.Generator
	KindEllipsis       // ...
)

// Place is where the memory of a value is.
type Place uint8

// Places.
const (
	PlaceUnknown Place = iota
	PlaceDevice        // device memory
	PlaceCPU           // a tensor in pageable host memory
	PlacePinned        // a tensor in page-locked host memory
	PlaceHost          // a Python or NumPy value
)

// DType is the class of an element type.
type DType uint8

// Classes of element types.
const (
	DTypeUnknown DType = iota
	DTypeBool
	DTypeInt
	DTypeFloat
)

// Certainty says how far a value can be trusted.
type Certainty uint8

// Possible values are guesses that never gate, Likely ones follow from sources the interpreter knows.
const (
	Possible Certainty = iota
	Likely
)

// Flow is one step of how a value came about, linked to the step before.
type Flow struct {
	Prev *Flow
	Path string
	Line int
	Note string // what happens there: "made on the device", "assigned", "passed as x", "returned"

	off, end uint32 // of the source text
	code     string // the source text of a step that was kept from another scan
	n        int    // length of the chain
	sum      digest // see summer.flow
	entry    param  // of a first step: a parameter of a function that was looked at on its own, as declared
}

// IsTensor reports whether v is a tensor, wherever it lives.
func (v *Value) IsTensor() bool { return v != nil && v.Kind == KindTensor }

// OnDevice reports whether v is a tensor in device memory.
func (v *Value) OnDevice() bool { return v.IsTensor() && v.Place == PlaceDevice }

// MayBeOnDevice reports whether v is a device tensor or something that could be one: a tensor whose place is unknown,
// or a value of which nothing is known. A finding about the latter is only "possible".
func (v *Value) MayBeOnDevice() bool {
	if v == nil || v.Kind == KindUnknown {
		return v == nil || v.Place != PlaceHost
	}
	return v.Kind == KindTensor && (v.Place == PlaceDevice || v.Place == PlaceUnknown)
}

// OnCPU reports whether v is a tensor in host memory, pinned or not.
func (v *Value) OnCPU() bool {
	return v.IsTensor() && (v.Place == PlaceCPU || v.Place == PlacePinned)
}

// Pageable reports whether v is a tensor in host memory that is known not to be pinned.
func (v *Value) Pageable() bool { return v.IsTensor() && v.Place == PlaceCPU }

// Pinned reports whether v is a tensor in page-locked host memory.
func (v *Value) Pinned() bool { return v.IsTensor() && v.Place == PlacePinned }

// IsNumber reports whether v is a host number (int, float, bool).
func (v *Value) IsNumber() bool { return v != nil && v.Kind == KindNumber }

// IsArray reports whether v is a NumPy array.
func (v *Value) IsArray() bool { return v != nil && v.Kind == KindArray }

// IsNone reports whether v is None and nothing else.
func (v *Value) IsNone() bool { return v != nil && v.Kind == KindNone }

// IsUnknown reports whether nothing is known about v.
func (v *Value) IsUnknown() bool { return v == nil || v.Kind == KindUnknown }

// IsSequence reports whether v is a list, tuple, set, iterator or shape.
func (v *Value) IsSequence() bool {
	return v != nil && (v.Kind == KindList || v.Kind == KindTuple || v.Kind == KindShape)
}

// HostData reports whether v is Python or NumPy data with no device tensor in it: numbers, strings, arrays, and
// sequences of those.
func (v *Value) HostData() bool {
	if v == nil {
		return false
	}
	switch v.Kind {
	case KindNumber, KindString, KindArray, KindShape, KindNone:
		return true
	case KindList, KindTuple:
		if v.Elem == nil && len(v.Items) == 0 {
			return true
		}
		for _, it := range v.Items {
			if !it.HostData() {
				return false
			}
		}
		return v.Elem == nil || v.Elem.HostData()
	}
	return v.Kind == KindUnknown && v.Place == PlaceHost
}

// HoldsDevice reports whether v is a device tensor or a list, tuple or dict that holds one, and returns the first.
func (v *Value) HoldsDevice() (*Value, bool) { return v.holdsDevice(3) }

func (v *Value) holdsDevice(depth int) (*Value, bool) {
	if v == nil || depth == 0 {
		return nil, false
	}
	if v.OnDevice() {
		return v, true
	}
	for _, it := range v.Items {
		if d, ok := it.holdsDevice(depth - 1); ok {
			return d, true
		}
	}
	if d, ok := v.Elem.holdsDevice(depth - 1); ok {
		return d, true
	}
	return nil, false
}

// Element is what indexing or iterating v by an unknown int gives; nil when unknown.
func (v *Value) Element() *Value {
	if v == nil {
		return nil
	}
	if v.Elem != nil {
		return v.Elem
	}
	var e *Value
	for i, it := range v.Items {
		if i == 0 {
			e = it
			continue
		}
		e = join(e, it)
	}
	return e
}

// Int returns the value of a known integer.
func (v *Value) Int() (int64, bool) {
	if v == nil {
		return 0, false
	}
	n, ok := v.Const.(int64)
	return n, ok
}

// Bool returns the value of a known boolean.
func (v *Value) Bool() (value, known bool) {
	if v == nil {
		return false, false
	}
	b, ok := v.Const.(bool)
	return b, ok
}

// Str returns the value of a known string.
func (v *Value) Str() (string, bool) {
	if v == nil {
		return "", false
	}
	s, ok := v.Const.(string)
	return s, ok
}

// True reports whether v is a number or boolean known to be true.
func (v *Value) True() bool { b, ok := v.truth(); return ok && b }

// Dim returns the number of dimensions, or false when unknown.
func (v *Value) Dim() (int, bool) {
	if v == nil || (v.Kind != KindTensor && v.Kind != KindArray) || v.Rank < 0 {
		return 0, false
	}
	return int(v.Rank), true
}

// IsBool reports whether v is a boolean tensor (a mask).
func (v *Value) IsBool() bool { return v.IsTensor() && v.DType == DTypeBool }

// IsInt reports whether v is an integer tensor (indices, counts).
func (v *Value) IsInt() bool { return v.IsTensor() && v.DType == DTypeInt }
