package checks

import (
	"strings"

	"github.com/gatebot/gatebot/internal/cppast"
)

// eval reads an expression in the order in which it is evaluated, as far as C++ says, and returns what it is.
func (w *nativeWalk) eval(e cppast.Expr) *NativeValue {
	if e == nil {
		return nil
	}
	v := w.value(e)
	if v == nil {
		v = nativeNothing
	}
	w.values[e] = v
	return v
}

func (w *nativeWalk) value(e cppast.Expr) *NativeValue {
	switch e := e.(type) {
	case *cppast.Name:
		return w.name(e)
	case *cppast.Lit:
		if e.String {
			return nativeNothing
		}
		return &NativeValue{Kind: NativeNumber, Default: e.Text == "0" || e.Text == "nullptr" || e.Text == "NULL" || e.Text == "0x0"}
	case *cppast.Member:
		x := w.eval(e.X)
		if v := w.env[w.path(e)]; v != nil {
			return v
		}
		switch {
		case x.Read != nil || x.Length != "":
			return mixed(x)
		case strings.Contains(strings.ToLower(e.Name), "stream"):
			return &NativeValue{Kind: NativeStream}
		}
		return nativeNothing
	case *cppast.Call:
		if e.Config != nil {
			return w.launch(e)
		}
		return w.call(e)
	case *cppast.Index:
		x := w.eval(e.X)
		for _, a := range e.Args {
			w.eval(a)
		}
		w.deref(e, x)
		switch {
		case x.IsTensor():
			return x
		case x.Kind == NativeArray || x.Kind == NativeContainer:
			return &NativeValue{Place: x.Place, Local: x.Local}
		}
		return nativeNothing
	case *cppast.Unary:
		return w.unary(e)
	case *cppast.Binary:
		l, r := w.eval(e.L), w.eval(e.R)
		if l.Kind == NativePointer || l.Kind == NativeContainer || l.Kind == NativeArray {
			return l.with(func(v *NativeValue) { v.Read = nil })
		}
		if l.IsTensor() || r.IsTensor() {
			if l.IsTensor() {
				return l
			}
			return r
		}
		return mixed(l, r)
	case *cppast.Assign:
		return w.assign(e)
	case *cppast.Cond:
		w.eval(e.Test)
		a, b := w.eval(e.Then), w.eval(e.Else)
		if a.Kind == NativeNumber && b.Kind == NativeNumber {
			return mixed(a, b)
		}
		if a.Kind != NativeUnknown && !a.Default {
			return a
		}
		return b
	case *cppast.Cast:
		x := w.eval(e.X)
		t := ofType(e.Type, "")
		if t.Kind == NativePointer {
			return x.with(func(v *NativeValue) { v.Kind = NativePointer })
		}
		if t.Kind == NativeStream {
			return t.with(func(v *NativeValue) { v.Default = x.Default })
		}
		return x
	case *cppast.New:
		for _, a := range e.Args {
			w.eval(a)
		}
		return &NativeValue{Kind: NativePointer, Place: PlaceCPU}
	case *cppast.Init:
		return w.init(e)
	case *cppast.Lambda:
		w.lambda(e)
	case *cppast.Other:
		for _, c := range e.Children {
			w.eval(c)
		}
	}
	return nativeNothing
}

func (w *nativeWalk) init(e *cppast.Init) *NativeValue {
	var vs []*NativeValue
	for _, x := range e.Elts {
		vs = append(vs, w.eval(x))
	}
	m := mixed(vs...)
	v := ofType(e.Type, "")
	v.Read, v.Length = m.Read, m.Length
	if v.Kind == NativeStream && len(vs) == 0 {
		v.Default = true
	}
	return v
}

// lambda reads the body of a lambda where it stands: nearly all are called on the spot, by a dispatch macro.
func (w *nativeWalk) lambda(e *cppast.Lambda) {
	if e.Device {
		return
	}
	w.declareParams(e.Params)
	w.stmts(e.Body)
}

func (w *nativeWalk) name(e *cppast.Name) *NativeValue {
	w.refs = append(w.refs, e.ID)
	if v := w.env[e.ID]; v != nil {
		return v
	}
	switch e.ID {
	case "NULL", "nullptr":
		return &NativeValue{Kind: NativeNumber, Default: true}
	case "cudaStreamDefault", "cudaStreamLegacy", "cudaStreamPerThread", "CU_STREAM_LEGACY", "CU_STREAM_PER_THREAD",
		"hipStreamDefault", "hipStreamLegacy", "hipStreamPerThread":
		return &NativeValue{Kind: NativeStream, Default: true}
	}
	if v := policyName(e.ID); v != nil {
		return v
	}
	lower := strings.ToLower(e.ID)
	switch {
	case strings.HasSuffix(lower, "policy") || strings.HasPrefix(lower, "exec"):
		return &NativeValue{Kind: NativePolicy, Stream: true, Alloc: true}
	case strings.Contains(lower, "stream") && !strings.Contains(e.ID, "::"):
		return &NativeValue{Kind: NativeStream}
	}
	return nativeNothing
}

// policyName are the execution policies of Thrust. Those that are not named `nosync` wait for what they start.
func policyName(id string) *NativeValue {
	i := strings.Index(id, "thrust::")
	if i < 0 {
		return nil
	}
	switch id[i+len("thrust::"):] {
	case "device", "cuda::par", "hip::par", "system::cuda::par", "system::hip::par":
		return &NativeValue{Kind: NativePolicy, Sync: true, Place: PlaceDevice}
	case "cuda::par_nosync", "hip::par_nosync":
		return &NativeValue{Kind: NativePolicy, Place: PlaceDevice}
	case "host", "seq", "cpp::par", "omp::par", "tbb::par":
		return &NativeValue{Kind: NativePolicy, Place: PlaceCPU}
	}
	return nil
}

// path is a.b for members of plain variables.
func (w *nativeWalk) path(e cppast.Expr) string {
	switch e := e.(type) {
	case *cppast.Name:
		return e.ID
	case *cppast.Member:
		if p := w.path(e.X); p != "" {
			return p + "." + e.Name
		}
	}
	return ""
}

func (w *nativeWalk) unary(e *cppast.Unary) *NativeValue {
	x := w.eval(e.X)
	switch e.Op {
	case "&":
		v := &NativeValue{Kind: NativePointer, Local: x.Local && !x.Static}
		switch {
		case x.Kind == NativePointer: // the address of a pointer: what a call writes to
			v.Local = x.Local
			v.Type = "**"
		case x.Local && !x.Static:
			v.Place = PlaceCPU
		default:
			v.Place = x.Place
		}
		return v
	case "*":
		w.deref(e, x)
		if x.Kind == NativePolicy || x.IsTensor() || x.Kind == NativeStream {
			return x
		}
		return nativeNothing
	case "-", "+", "~", "++", "--":
		return mixed(x)
	}
	return &NativeValue{Kind: NativeNumber}
}

func (w *nativeWalk) deref(e cppast.Expr, x *NativeValue) {
	for _, r := range w.rules.deref {
		r.Native.Deref(&NativePass{w, r}, &NativeDeref{e, x})
	}
}

func (w *nativeWalk) assign(e *cppast.Assign) *NativeValue {
	r := w.eval(e.R)
	path := w.path(e.L)
	if path == "" {
		w.eval(e.L)
		return r
	}
	if _, ok := e.L.(*cppast.Member); ok {
		w.eval(e.L)
	}
	old := w.env[path]
	switch {
	case e.Op != "=":
		if old != nil && (old.Kind == NativeNumber || old.Kind == NativeUnknown) {
			w.env[path] = old.with(func(v *NativeValue) {
				m := mixed(old, r)
				v.Read, v.Length = m.Read, m.Length
			})
		}
	case old == nil:
		w.env[path] = r
	default:
		w.env[path] = refine(old.with(func(v *NativeValue) { v.Read, v.Length = nil, "" }), r)
	}
	return r
}

// launch reads kernel<<<…>>>(…).
func (w *nativeWalk) launch(e *cppast.Call) *NativeValue {
	w.issues = "it launches kernels"
	l := &NativeLaunch{Node: e, Config: e.Config, Args: e.Args}
	w.eval(e.Func)
	for _, c := range e.Config {
		l.ConfV = append(l.ConfV, w.eval(c))
	}
	for _, a := range e.Args {
		l.Vals = append(l.Vals, w.eval(a))
	}
	for _, r := range w.rules.launch {
		r.Native.Launch(&NativePass{w, r}, l)
	}
	return nativeNothing
}

func (w *nativeWalk) call(e *cppast.Call) *NativeValue {
	c := &NativeCall{Node: e, Args: e.Args}
	switch f := e.Func.(type) {
	case *cppast.Name:
		c.Name, c.Targs = f.ID, f.Targs
		w.refs = append(w.refs, f.ID)
	case *cppast.Member:
		c.Recv, c.RecvV = f.X, w.eval(f.X)
		c.Name, c.Targs = "."+f.Name, f.Targs
		w.refs = append(w.refs, "."+f.Name)
	default:
		if v := w.eval(e.Func); v.Kind == NativePolicy {
			c.Name = "policy()"
		}
	}
	c.Short = cudaName(lastPart(c.Name))
	if i := strings.LastIndex(c.Name, lastPart(c.Name)); i >= 0 {
		c.Name = c.Name[:i] + c.Short
	}
	switch c.Short {
	case "assert", "DCHECK", "TORCH_INTERNAL_ASSERT_DEBUG_ONLY", "static_assert", "sizeof", "decltype":
		return nativeNothing // gone in a release build, or never evaluated
	case "call_once":
		w.once++
		defer func() { w.once-- }()
	}
	for _, a := range e.Args {
		c.Vals = append(c.Vals, w.eval(a))
	}
	if w.issues == "" && deviceWork(c) {
		w.issues = "it issues device work"
	}
	w.effects(c)
	for _, r := range w.rules.calls(c) {
		r.Native.Call(&NativePass{w, r}, c)
	}
	return w.result(c)
}

// deviceWork reports whether a call puts work on a device.
func deviceWork(c *NativeCall) bool {
	switch {
	case c.RecvV != nil:
		return false
	case strings.HasPrefix(c.Name, "thrust::") || strings.Contains(c.Name, "cub::Device"):
		return true
	}
	switch c.Short {
	case "cudaLaunchKernel", "cudaLaunchKernelEx", "cudaLaunchKernelExC", "cudaLaunchCooperativeKernel", "cuLaunchKernel", "cuLaunchKernelEx",
		"cudaMemcpyAsync", "cudaMemsetAsync":
		return true
	}
	return strings.HasPrefix(c.Short, "cublas") && strings.Contains(c.Short, "emm")
}

// cudaName is the name in CUDA for a name in HIP.
func cudaName(name string) string {
	if rest, ok := strings.CutPrefix(name, "hip"); ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' {
		switch rest {
		case "HostMalloc":
			return "cudaHostAlloc"
		case "HostFree":
			return "cudaFreeHost"
		}
		return "cuda" + rest
	}
	return name
}

func lastPart(name string) string {
	if i := strings.LastIndexAny(name, ":."); i >= 0 {
		return name[i+1:]
	}
	return name
}

// calleeName is the name of what is called as it is written: ns::f, or .method.
func calleeName(c *cppast.Call) string {
	switch f := c.Func.(type) {
	case *cppast.Name:
		return f.ID
	case *cppast.Member:
		return "." + f.Name
	}
	return ""
}

// effects is what a call does to the variables that it is given.
func (w *nativeWalk) effects(c *NativeCall) {
	set := func(i int, f func(*NativeValue)) {
		if i >= len(c.Args) {
			return
		}
		e := c.Args[i]
		for range 4 { // (void**)&p
			if x, ok := e.(*cppast.Cast); ok {
				e = x.X
			} else if x, ok := e.(*cppast.Call); ok && len(x.Args) == 1 && strings.HasSuffix(calleeName(x), "_cast") {
				e = x.Args[0]
			}
		}
		if u, ok := e.(*cppast.Unary); ok && u.Op == "&" {
			if p := w.path(u.X); p != "" {
				old := w.env[p]
				if old == nil {
					old = nativeNothing
				}
				w.env[p] = old.with(f)
			}
		}
	}
	switch c.Short {
	case "cudaMalloc", "cudaMallocAsync", "cudaMallocPitch", "cuMemAlloc", "cuMemAlloc_v2":
		set(0, func(v *NativeValue) { v.Kind, v.Place, v.Local = NativePointer, PlaceDevice, false })
	case "cudaMallocHost", "cudaHostAlloc", "cuMemAllocHost", "cuMemHostAlloc":
		set(0, func(v *NativeValue) { v.Kind, v.Place, v.Local = NativePointer, PlacePinned, false })
	case "cudaMallocManaged", "cuMemAllocManaged":
		set(0, func(v *NativeValue) { v.Kind, v.Place, v.Managed = NativePointer, PlaceUnknown, true })
	case "cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority", "cuStreamCreate":
		set(0, func(v *NativeValue) { v.Kind, v.Default = NativeStream, false })
	case "is_cpu":
		if p := w.path(c.Recv); p != "" && w.env[p].IsTensor() {
			w.env[p] = w.env[p].with(func(v *NativeValue) { v.Place = PlaceCPU })
		}
	}
	if strings.Contains(strings.ToUpper(c.Short), "CPU") && strings.Contains(strings.ToUpper(c.Short), "CHECK") && len(c.Args) > 0 {
		if p := w.path(c.Args[0]); p != "" && w.env[p].IsTensor() {
			w.env[p] = w.env[p].with(func(v *NativeValue) { v.Place = PlaceCPU })
		}
	}
}
