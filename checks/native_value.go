package checks

import (
	"regexp"
	"strings"

	"github.com/gatebot/gatebot/internal/cppast"
)

// NativeKind is what a value of C++ is.
type NativeKind uint8

// Kinds of values.
const (
	NativeUnknown   NativeKind = iota
	NativeTensor               // of torch
	NativeOptions              // torch::TensorOptions
	NativeNumber               // a number or bool
	NativeStream               // a stream
	NativePolicy               // an execution policy of Thrust
	NativeContainer            // std::vector and its relatives, thrust::host_vector, thrust::device_vector
	NativePointer
	NativeArray  // a local array
	NativeEvent  // a CUDA event
	NativeObject // anything of another class
)

// NativeValue is what is known of a value. The zero value is nothing.
type NativeValue struct {
	Kind NativeKind
	Type string // as declared, or empty
	// Place is where a tensor, or what a pointer or container holds, lies.
	Place Place
	// Local is set for a variable that lives on the stack, and for what points into one that does.
	Local bool
	// Static is set for variables that outlive the call.
	Static bool
	// Cached is set for a value that was read from such a variable.
	Cached bool
	// Default is set for the null or legacy stream, and for null pointers and zero.
	Default bool
	// Read is the expression that read the number from the device.
	Read cppast.Expr
	// Length is the parameter that the number is computed from when that is the length of a sequence.
	Length string
	// Sync, Stream and Alloc describe an execution policy: whether algorithms wait, whether it names a stream, and
	// whether it brings its own allocator.
	Sync, Stream, Alloc bool
	// Managed is set for unified memory.
	Managed bool
}

var nativeNothing = &NativeValue{}

// IsTensor reports whether v is a tensor.
func (v *NativeValue) IsTensor() bool { return v != nil && v.Kind == NativeTensor }

// OnHost reports whether what v holds is known to lie in host memory.
func (v *NativeValue) OnHost() bool {
	return v != nil && (v.Place == PlaceCPU || v.Place == PlacePinned || v.Place == PlaceHost)
}

var (
	tensorType    = regexp.MustCompile(`(^|[^\w])(Tensor|TensorView|DLTensor|ITensorListRef|TensorList)\b`)
	containerType = regexp.MustCompile(`^(const )?(std::)?(vector|array|deque|string|basic_string)\b`)
	numberType    = regexp.MustCompile(`^(const |constexpr |unsigned |signed |long |short )*(int|long|short|char|unsigned|float|double|bool|size_t|std::size_t|u?int\d+_t|std::u?int\d+_t|auto)$`)
	streamType    = regexp.MustCompile(`(^|[^\w])(cudaStream_t|hipStream_t|CUstream|CUDAStream|HIPStream|Stream)&?$`)
	eventType     = regexp.MustCompile(`(^|[^\w])(cudaEvent_t|hipEvent_t|CUevent|CUDAEvent|HIPEvent)&?$`)
	lengthName    = regexp.MustCompile(`^max_?(seq|sequence|context|ctx|kv|key|query|q|k)?_?(len|length|seqlen|seq_len)s?(_?[qk]v?)?_?$|^(context|ctx|kv|cache)_?(len|length|seqlen)_?$`)
	hostName      = regexp.MustCompile(`(^|_)(cpu|host)(_|$)|^h_`)
)

// ofType is what a declared type says.
func ofType(typ, name string) *NativeValue {
	t := strings.TrimPrefix(strings.TrimPrefix(typ, "static "), "const ")
	bare := strings.TrimRight(t, "&")
	v := &NativeValue{Type: typ}
	switch {
	case strings.Contains(t, "device_vector") || strings.Contains(t, "device_ptr"):
		v.Kind, v.Place = NativeContainer, PlaceDevice
	case strings.Contains(t, "host_vector"):
		v.Kind, v.Place = NativeContainer, PlaceCPU
	case strings.HasSuffix(bare, "TensorOptions"):
		v.Kind = NativeOptions
	case tensorType.MatchString(t) && !strings.Contains(t, "*") && !strings.HasPrefix(t, "std::") && !strings.Contains(t, "cute::"):
		v.Kind, v.Place = NativeTensor, PlaceDevice
		if hostName.MatchString(name) {
			v.Place = PlaceCPU
		}
	case strings.HasSuffix(bare, "*"):
		v.Kind = NativePointer
	case strings.HasSuffix(bare, "[]"):
		v.Kind, v.Place = NativeArray, PlaceCPU
	case containerType.MatchString(bare):
		v.Kind, v.Place = NativeContainer, PlaceCPU
	case streamType.MatchString(t):
		v.Kind = NativeStream
	case eventType.MatchString(t):
		v.Kind = NativeEvent
	case numberType.MatchString(bare):
		if bare != "auto" {
			v.Kind = NativeNumber
		}
	case bare != "" && bare != "auto" && bare != "decltype(auto)":
		v.Kind = NativeObject
	}
	return v
}

// with is a changed copy.
func (v *NativeValue) with(f func(*NativeValue)) *NativeValue {
	c := *v
	f(&c)
	return &c
}

// mixed is a number that is computed from others.
func mixed(vs ...*NativeValue) *NativeValue {
	out := &NativeValue{Kind: NativeNumber}
	for _, v := range vs {
		if v == nil {
			continue
		}
		if v.Read != nil && out.Read == nil {
			out.Read = v.Read
		}
		if v.Length != "" && out.Length == "" {
			out.Length = v.Length
		}
	}
	return out
}
