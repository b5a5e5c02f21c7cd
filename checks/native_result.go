package checks

import (
	"strings"

	"github.com/gatebot/gatebot/internal/cppast"
)

// factories of tensors, whatever namespace they are called in.
var nativeFactories = map[string]bool{"empty": true, "zeros": true, "ones": true, "full": true, "empty_like": true,
	"zeros_like": true, "ones_like": true, "full_like": true, "arange": true, "rand": true, "randn": true,
	"empty_strided": true, "new_empty": true, "new_zeros": true, "new_full": true, "new_ones": true, "eye": true,
	"linspace": true, "tensor": true, "from_blob": true, "scalar_tensor": true, "empty_cuda": true, "randint": true}

// notTensors are methods of a tensor that return host data about it.
var notTensors = map[string]bool{"size": true, "sizes": true, "numel": true, "dim": true, "ndimension": true, "stride": true,
	"strides": true, "data_ptr": true, "mutable_data_ptr": true, "const_data_ptr": true, "scalar_type": true, "dtype": true,
	"device": true, "is_cuda": true, "is_cpu": true, "is_hip": true, "defined": true, "is_contiguous": true,
	"options": true, "element_size": true, "itemsize": true, "nbytes": true, "storage_offset": true, "get_device": true,
	"get_device_index": true, "use_count": true, "layout": true, "has_value": true, "device_type": true, "storage": true,
	"requires_grad": true, "is_same": true, "unsafeGetTensorImpl": true, "packed_accessor32": true,
	"packed_accessor64": true, "accessor": true, "sym_size": true, "is_sparse": true, "is_meta": true, "type": true,
	"data": true, "shape": true, "ndim": true, "byte_offset": true}

// result is what a call returns.
func (w *nativeWalk) result(c *NativeCall) *NativeValue {
	if c.RecvV != nil {
		return w.methodResult(c)
	}
	switch c.Short {
	case "getCurrentCUDAStream", "getCurrentHIPStream", "getCurrentHIPStreamMasqueradingAsCUDA", "getStreamFromPool",
		"get_current_cuda_stream", "getStreamFromExternal":
		return &NativeValue{Kind: NativeStream}
	case "getDefaultCUDAStream", "getDefaultHIPStream":
		return &NativeValue{Kind: NativeStream, Default: true}
	case "TensorOptions", "dtype", "device":
		return w.options(c, nil)
	case "par", "par_nosync", "policy()":
		if p := policyName(c.Name); p != nil {
			return p.with(func(v *NativeValue) { v.Alloc = true })
		}
		return &NativeValue{Kind: NativePolicy, Stream: true, Alloc: true}
	case "make_optional", "move", "forward", "ref", "cref", "value_or", "reinterpret_cast", "const_cast", "raw_pointer_cast":
		if len(c.Vals) > 0 {
			return c.Vals[len(c.Vals)-1]
		}
	case "to", "copy_to":
		if len(c.Vals) > 0 && c.Vals[0].IsTensor() {
			return w.moved(c.Vals[0], c.Args[1:])
		}
	}
	if nativeFactories[c.Short] && strings.Contains(c.Name, "::") && !strings.HasPrefix(c.Name, "std::") {
		return w.made(c)
	}
	for _, v := range c.Vals {
		if v.IsTensor() {
			if torchName(c.Name) {
				return v
			}
			return nativeNothing
		}
	}
	// ceil_div(n, 128), std::min(n, 4), static_cast<int>(n), dim3(n): a number of numbers.
	m := mixed(c.Vals...)
	if m.Read == nil && m.Length == "" {
		t := ofType(c.Name, "")
		if t.Kind == NativeObject {
			return nativeNothing
		}
		if t.Kind == NativeStream {
			t.Default = len(c.Vals) == 0 || c.Vals[0].Default
		}
		return t
	}
	return m
}

// torchName reports whether a function belongs to torch.
func torchName(name string) bool {
	return strings.HasPrefix(name, "at::") || strings.HasPrefix(name, "torch::") || strings.Contains(name, "::at::") ||
		strings.Contains(name, "::torch::")
}

func (w *nativeWalk) methodResult(c *NativeCall) *NativeValue {
	x := c.RecvV
	switch c.Short {
	case "item":
		return &NativeValue{Kind: NativeNumber, Read: readOf(c)}
	case "cpu":
		return &NativeValue{Kind: NativeTensor, Place: PlaceCPU}
	case "cuda", "hip":
		return &NativeValue{Kind: NativeTensor, Place: PlaceDevice}
	case "to":
		if x.IsTensor() || x.Kind == NativeUnknown {
			return w.moved(x, c.Args)
		}
	case "pin_memory":
		return &NativeValue{Kind: NativeTensor, Place: PlacePinned}
	case "on":
		if x.Kind == NativePolicy {
			return x.with(func(v *NativeValue) { v.Stream = true })
		}
	case "stream":
		if x.Kind == NativeStream {
			return x
		}
		return &NativeValue{Kind: NativeStream}
	case "options":
		if x.IsTensor() {
			return &NativeValue{Kind: NativeOptions, Place: x.Place}
		}
	case "load":
		if x.Static {
			return &NativeValue{Cached: true}
		}
	case "value", "get", "begin", "end", "cbegin", "cend", "value_or", "front", "back", "at":
		return x
	case "data", "c_str", "data_ptr", "mutable_data_ptr", "const_data_ptr":
		return &NativeValue{Kind: NativePointer, Place: x.Place, Local: x.Local && x.Kind == NativeContainer && x.Place == PlaceCPU}
	}
	switch {
	case x.Kind == NativeOptions:
		return w.options(c, x)
	case x.IsTensor() && nativeFactories[c.Short]:
		return x
	case x.IsTensor() && !notTensors[c.Short]:
		return x
	case x.Read != nil || x.Length != "":
		return mixed(x)
	}
	if strings.Contains(strings.ToLower(c.Short), "stream") {
		return &NativeValue{Kind: NativeStream}
	}
	return nativeNothing
}

// readOf is the call when its receiver is, or may be, on the device.
func readOf(c *NativeCall) cppast.Expr {
	if c.RecvV.OnHost() || c.RecvV.Kind == NativeObject {
		return nil
	}
	return c.Node
}

// moved is a tensor after .to(…).
func (w *nativeWalk) moved(x *NativeValue, args []cppast.Expr) *NativeValue {
	out := &NativeValue{Kind: NativeTensor, Place: x.Place}
	for _, a := range args {
		if p, ok := w.placeIn(a); ok {
			out.Place = p
		}
	}
	return out
}

// placeIn is the device that an argument names.
func (w *nativeWalk) placeIn(e cppast.Expr) (Place, bool) {
	if v := w.values[e]; v != nil && v.Kind == NativeOptions && v.Place != PlaceUnknown {
		return v.Place, true
	}
	text := w.file.Text(e)
	switch {
	case strings.Contains(text, "pinned_memory(true)"):
		return PlacePinned, true
	case strings.Contains(text, "kCPU") || strings.Contains(text, `"cpu"`) || strings.Contains(text, "DeviceType::CPU"):
		return PlaceCPU, true
	case strings.Contains(text, "kCUDA") || strings.Contains(text, "kHIP") || strings.Contains(text, `"cuda`) ||
		strings.Contains(text, "DeviceType::CUDA") || strings.Contains(text, "device"):
		return PlaceDevice, true
	}
	return PlaceUnknown, false
}

// options is a TensorOptions after one more of its methods.
func (w *nativeWalk) options(c *NativeCall, x *NativeValue) *NativeValue {
	v := &NativeValue{Kind: NativeOptions}
	if x != nil {
		v.Place = x.Place
	}
	switch c.Short {
	case "device":
		v.Place = PlaceDevice
		for _, a := range c.Args {
			if p, ok := w.placeIn(a); ok {
				v.Place = p
			}
		}
	case "pinned_memory":
		if len(c.Args) == 1 && w.file.Text(c.Args[0]) == "true" {
			v.Place = PlacePinned
		}
	}
	return v
}

// made is a new tensor. Without a device among the arguments it is on the CPU.
func (w *nativeWalk) made(c *NativeCall) *NativeValue {
	v := &NativeValue{Kind: NativeTensor, Place: PlaceCPU}
	if strings.HasSuffix(c.Short, "_like") && len(c.Vals) > 0 && c.Vals[0].IsTensor() {
		v.Place = c.Vals[0].Place
	}
	for i, a := range c.Args {
		switch p, ok := w.placeIn(a); {
		case ok:
			v.Place = p
		case i > 0 && c.Vals[i].Kind == NativeUnknown && !isInit(a) && !w.plainType(a):
			v.Place = PlaceUnknown // options that come from somewhere else
		}
	}
	if c.Short == "from_blob" && len(c.Vals) > 0 {
		v.Local = c.Vals[0].Local
		if c.Vals[0].Place == PlaceDevice {
			v.Place = PlaceDevice
		}
	}
	return v
}

// plainType reports whether an argument is a dtype: torch::kInt.
func (w *nativeWalk) plainType(e cppast.Expr) bool {
	n, ok := e.(*cppast.Name)
	return ok && len(lastPart(n.ID)) > 1 && lastPart(n.ID)[0] == 'k' && lastPart(n.ID)[1] >= 'A' && lastPart(n.ID)[1] <= 'Z'
}
