//go:build cuda

package device

// #cgo LDFLAGS: -ldl
// #define _GNU_SOURCE
// #include <cuda.h>
// #include <dlfcn.h>
// #include <stdlib.h>
// #include <string.h>
//
// static CUresult load_module(CUmodule *m, const void *image, char *log, unsigned size) {
//   CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
//   void *values[] = {log, (void *)(size_t)size};
//   return cuModuleLoadDataEx(m, image, 2, names, values);
// }
//
// // cuFuncGetParamInfo came with CUDA 12.4: a program that links it does not start on an older driver.
// typedef CUresult (*param_info_fn)(CUfunction, size_t, size_t *, size_t *);
// static CUresult param_info(CUfunction f, size_t i, size_t *offset, size_t *size) {
//   param_info_fn fn = (param_info_fn)dlsym(RTLD_DEFAULT, "cuFuncGetParamInfo");
//   return fn ? fn(f, i, offset, size) : CUDA_ERROR_NOT_SUPPORTED;
// }
//
// // The parameters lie in C memory: the driver reads as many as the kernel has, and finds zeros behind those of the spec.
// enum { EXTRA = 256, EXTRA_BYTES = 4096 };
// typedef struct { void **at; char *data; char zeros[EXTRA_BYTES]; } params;
// static params *params_new(size_t n, size_t bytes) {
//   params *p = calloc(1, sizeof *p);
//   if (!p) return NULL;
//   p->at = calloc(n + EXTRA, sizeof *p->at);
//   p->data = calloc(1, bytes + 16);
//   if (!p->at || !p->data) { free(p->at); free(p->data); free(p); return NULL; }
//   for (size_t i = 0; i < n + EXTRA; i++) p->at[i] = p->zeros;
//   return p;
// }
// static void params_set(params *p, size_t i, size_t offset, const void *from, size_t n) {
//   memcpy(p->data + offset, from, n);
//   p->at[i] = p->data + offset;
// }
// static void params_free(params *p) { free(p->at); free(p->data); free(p); }
// static CUresult launch(CUfunction f, const unsigned *g, const unsigned *b, unsigned shared, CUstream s, params *p) {
//   return cuLaunchKernel(f, g[0], g[1], g[2], b[0], b[1], b[2], shared, s, p->at, NULL);
// }
// static const char *error_name(int rc) {
//   const char *s = NULL;
//   return cuGetErrorName((CUresult)rc, &s) == CUDA_SUCCESS && s ? s : "";
// }
import "C"

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/gatebot/gatebot/gpu/kernel"
)

// loaded is a kernel with its parameters, ready to be launched.
type loaded struct {
	module      C.CUmodule
	function    C.CUfunction
	params      *C.params
	grid, block [3]C.uint
	shared      C.uint
}

// result words a code of the driver.
func result(rc C.CUresult) string {
	return fmt.Sprintf("%d %s", int(rc), C.GoString(C.error_name(C.int(rc))))
}

// loadModule returns the code and the compiler's complaints.
func loadModule(l *loaded, image []byte) (C.CUresult, string) {
	const size = 8192
	log := (*C.char)(C.calloc(1, size))
	defer C.free(unsafe.Pointer(log))
	text := C.CBytes(append(image[:len(image):len(image)], 0)) // PTX ends with a NUL
	defer C.free(text)
	rc := C.load_module(&l.module, text, log, size)
	return rc, string(bytes.TrimSpace([]byte(C.GoString(log))))
}

func (l *loaded) find(name string) C.CUresult {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return C.cuModuleGetFunction(&l.function, l.module, c)
}

// attribute is 0 for one that this driver does not know.
func (l *loaded) attribute(which C.CUfunction_attribute) int {
	var v C.int
	if C.cuFuncGetAttribute(&v, which, l.function) != C.CUDA_SUCCESS {
		return 0
	}
	return int(v)
}

func (l *loaded) attributes(dev int) *kernel.Attributes {
	a := &kernel.Attributes{
		Registers: l.attribute(C.CU_FUNC_ATTRIBUTE_NUM_REGS), SharedStatic: l.attribute(C.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
		Const: l.attribute(C.CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES), Local: l.attribute(C.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
		MaxThreads: l.attribute(C.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), PTX: l.attribute(C.CU_FUNC_ATTRIBUTE_PTX_VERSION),
		Binary: l.attribute(C.CU_FUNC_ATTRIBUTE_BINARY_VERSION),
	}
	var optin C.int
	if C.cuDeviceGetAttribute(&optin, C.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, C.CUdevice(dev)) == C.CUDA_SUCCESS {
		a.SharedMax = max(0, int(optin)-a.SharedStatic)
	}
	a.Parameters = -1
	if sizes, ok := l.parameters(); ok {
		a.Parameters = len(sizes)
	}
	return a
}

// resident is how many blocks fit on one SM at a time; 0: the driver does not say.
func (l *loaded) resident(threads, shared int) int {
	var blocks C.int
	if C.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, l.function, C.int(threads), C.size_t(shared)) != C.CUDA_SUCCESS {
		return 0
	}
	return int(blocks)
}

// parameters are the sizes of the kernel's parameters, where this driver tells.
func (l *loaded) parameters() (sizes []int, ok bool) {
	for i := range C.EXTRA {
		var offset, size C.size_t
		switch C.param_info(l.function, C.size_t(i), &offset, &size) {
		case C.CUDA_SUCCESS:
			sizes = append(sizes, int(size))
		case C.CUDA_ERROR_INVALID_VALUE:
			return sizes, true
		default:
			return nil, false
		}
	}
	return nil, false
}

// allow asks for more dynamic shared memory than a launch may have by default.
func (l *loaded) allow(shared int) C.CUresult {
	return C.cuFuncSetAttribute(l.function, C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, C.int(shared))
}

// pack copies the parameters to where the driver reads them.
func (l *loaded) pack(all [][]byte) error {
	if len(all) > C.EXTRA {
		return fmt.Errorf("%d parameters, a kernel has no more than %d here", len(all), int(C.EXTRA))
	}
	total := 0
	for _, b := range all {
		total += (len(b) + 15) &^ 15
	}
	if l.params = C.params_new(C.size_t(len(all)), C.size_t(total)); l.params == nil {
		return fmt.Errorf("out of host memory")
	}
	at := 0
	for i, b := range all {
		C.params_set(l.params, C.size_t(i), C.size_t(at), unsafe.Pointer(unsafe.SliceData(b)), C.size_t(len(b)))
		at += (len(b) + 15) &^ 15
	}
	return nil
}

func (l *loaded) launch(stream unsafe.Pointer) C.CUresult {
	return C.launch(l.function, &l.grid[0], &l.block[0], l.shared, C.CUstream(stream), l.params)
}

// close gives back what is the host's. The module goes with the context.
func (l *loaded) close() {
	if l.params != nil {
		C.params_free(l.params)
	}
}

// broken are codes that speak of the machine and not of the kernel: out of memory, no or a lost device, ECC, NVLink,
// drivers that do not fit, another process's fault.
var broken = map[C.CUresult]bool{C.CUDA_ERROR_OUT_OF_MEMORY: true, C.CUDA_ERROR_NOT_INITIALIZED: true,
	C.CUDA_ERROR_DEINITIALIZED: true, C.CUDA_ERROR_DEVICE_UNAVAILABLE: true, C.CUDA_ERROR_NO_DEVICE: true,
	C.CUDA_ERROR_INVALID_DEVICE: true, C.CUDA_ERROR_ECC_UNCORRECTABLE: true, C.CUDA_ERROR_NVLINK_UNCORRECTABLE: true,
	C.CUDA_ERROR_SYSTEM_NOT_READY: true, C.CUDA_ERROR_SYSTEM_DRIVER_MISMATCH: true, C.CUDA_ERROR_MPS_SERVER_NOT_READY: true,
	C.CUDA_ERROR_UNKNOWN: true}
