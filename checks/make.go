package checks

import (
	"strconv"
	"strings"

	"github.com/gatebot/gatebot/checks/torchop"
)

// Values that carry nothing of their own are shared.
var (
	unknown     = &Value{Rank: -1}
	hostUnknown = &Value{Rank: -1, Place: PlaceHost, Sure: Likely}
	none        = &Value{Kind: KindNone, Rank: -1, Place: PlaceHost, Sure: Likely}
	number      = &Value{Kind: KindNumber, Rank: -1, Place: PlaceHost, Sure: Likely}
	text        = &Value{Kind: KindString, Rank: -1, Place: PlaceHost, Sure: Likely}
	shape       = &Value{Kind: KindShape, Rank: -1, Place: PlaceHost, Sure: Likely, Elem: number}
	array       = &Value{Kind: KindArray, Rank: -1, Place: PlaceHost, Sure: Likely}
	ellipsis    = &Value{Kind: KindEllipsis, Rank: -1, Place: PlaceHost, Sure: Likely}
	boolean     = &Value{Kind: KindNumber, Rank: -1, DType: DTypeBool, Place: PlaceHost, Sure: Likely}
)

func tensor(place Place, sure Certainty) *Value {
	return &Value{Kind: KindTensor, Place: place, Rank: -1, Sure: sure}
}

func external(name string) *Value {
	if v, ok := dtypes[name]; ok {
		return v
	}
	return &Value{Kind: KindExternal, Rank: -1, Place: PlaceHost, Sure: Likely, Name: name}
}

// constant is a known number, boolean or text. Common ones are shared.
func constant(c any) *Value {
	switch c := c.(type) {
	case bool:
		if c {
			return constTrue
		}
		return constFalse
	case int64:
		if 0 <= c && c < int64(len(smallInts)) {
			return smallInts[c]
		}
	}
	return newConstant(c)
}

var (
	constTrue, constFalse = newConstant(true), newConstant(false)
	smallInts             = func() (out [129]*Value) {
		for i := range out {
			out[i] = newConstant(int64(i))
		}
		return out
	}()
)

func newConstant(c any) *Value {
	v := *number
	switch c := c.(type) {
	case string:
		v = *text
	case bool:
		v.DType = DTypeBool
	case int64:
		v.DType = DTypeInt
	case float64:
		v.DType = DTypeFloat
	default:
		_ = c
	}
	v.Const = c
	return &v
}

func list(elem *Value) *Value {
	return &Value{Kind: KindList, Rank: -1, Sure: Likely, Elem: elem}
}

func tuple(items ...*Value) *Value {
	return &Value{Kind: KindTuple, Rank: -1, Sure: Likely, Items: items}
}

// with returns a copy of v that f has changed.
func (v *Value) with(f func(*Value)) *Value {
	c := *v
	f(&c)
	return &c
}

func (v *Value) rank(r int) *Value {
	if int(v.Rank) == r {
		return v
	}
	return v.with(func(c *Value) { c.Rank = int8(max(r, -1)) })
}

// truth is the truth value of a known constant.
func (v *Value) truth() (value, known bool) {
	if v == nil {
		return false, false
	}
	switch c := v.Const.(type) {
	case bool:
		return c, true
	case int64:
		return c != 0, true
	case float64:
		return c != 0, true
	case string:
		return c != "", true
	}
	return false, v.Kind == KindNone
}

// dtypes are the element types that torch and NumPy name.
var dtypes = func() map[string]*Value {
	m := map[string]*Value{}
	add := func(d DType, names string) {
		for _, n := range strings.Fields(names) {
			for _, p := range []string{"torch.", "numpy."} {
				m[p+n] = &Value{Kind: KindDType, Rank: -1, Place: PlaceHost, Sure: Likely, DType: d, Name: p + n}
			}
		}
	}
	add(DTypeBool, "bool bool_")
	add(DTypeInt, "int8 int16 int32 int64 int long short uint8 uint16 uint32 uint64 intp")
	add(DTypeFloat, "float float16 float32 float64 half double bfloat16 cfloat complex64 complex128 float8_e4m3fn "+
		"float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2")
	for _, d := range []struct {
		n string
		d DType
	}{{"builtins.int", DTypeInt}, {"builtins.float", DTypeFloat}, {"builtins.bool", DTypeBool}} {
		m["dtype:"+d.n] = &Value{Kind: KindDType, DType: d.d, Name: d.n}
	}
	return m
}()

// deviceOf reads a device out of a value: a torch.device, a string, a number (a CUDA ordinal).
func deviceOf(v *Value) (Place, bool) {
	if v == nil {
		return PlaceUnknown, false
	}
	switch v.Kind {
	case KindDevice:
		return v.Place, true
	case KindString:
		if s, ok := v.Str(); ok {
			return deviceNamed(s)
		}
		return PlaceUnknown, false
	case KindNumber:
		if v.DType == DTypeInt {
			return PlaceDevice, true
		}
	}
	return PlaceUnknown, false
}

func deviceNamed(s string) (Place, bool) {
	kind, _, _ := strings.Cut(s, ":")
	switch kind {
	case "cuda", "xpu", "hip", "npu", "mps", "hpu":
		return PlaceDevice, true
	case "cpu":
		return PlaceCPU, true
	case "meta":
		return PlaceUnknown, true
	}
	return PlaceUnknown, false
}

func device(p Place, name string) *Value {
	return &Value{Kind: KindDevice, Rank: -1, Place: p, Name: name, Sure: Likely}
}

// parseInt reads a Python integer literal.
func parseInt(s string) (int64, bool) {
	n, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 0, 64)
	return n, err == nil
}

// isTensorMethod reports whether torch.Tensor has a method of that name.
func isTensorMethod(name string) bool {
	_, ok := torchop.TensorMethod(name)
	return ok
}

// sharedMethods are methods that tensors have and lists, strings, dicts, files and plain objects have too, so that
// their name says nothing about what they are called on.
var sharedMethods = map[string]bool{"copy": true, "clear": true, "index": true, "count": true, "sort": true,
	"append": true, "extend": true, "pop": true, "get": true, "items": true, "keys": true, "values": true, "update": true,
	"add": true, "remove": true, "join": true, "split": true, "strip": true, "format": true, "replace": true, "insert": true,
	"reverse": true, "read": true, "write": true, "close": true, "open": true, "run": true, "start": true, "wait": true,
	"set": true, "put": true, "apply": true, "to": true, "size": true, "type": true, "data": true, "numel": true, "fill": true}

// commonMethod reports whether obj.name() says nothing about the class of obj.
func commonMethod(name string) bool { return sharedMethods[name] || isTensorMethod(name) }
