//go:build cuda

package device

// #include <cuda.h>
import "C"

import (
	"fmt"
	"runtime"
	"time"

	"gorgonia.org/cu"

	"github.com/gatebot/gatebot/gpu/kernel"
	"github.com/gatebot/gatebot/internal/finding"
)

// start states: the buffers that are filled at random hold other numbers in each.
const states = 4

// RunKernel launches one kernel eagerly, captured and replayed, in a context of its own on device index. What the kernel
// does wrong is in the report; an error means that the machine stood in the way.
func RunKernel(index int, image []byte, spec *kernel.Spec, replays int) (*kernel.Report, error) {
	runtime.LockOSThread() // a context is current on an OS thread
	defer runtime.UnlockOSThread()
	began := time.Now()
	info, dev, err := describe(index)
	if err != nil {
		return nil, err
	}
	r := &kernel.Report{Driver: kernelDriver(), CUDA: cudaVersion(), Device: info.Name, Capability: info.ComputeCapability,
		Kernel: spec.Kernel, Replays: replays}
	ctx, err := dev.MakeContext(cu.SchedAuto)
	if err != nil {
		return nil, fmt.Errorf("device %d: cuCtxCreate: %w (is it in exclusive use?)", index, err)
	}
	k := &run{r: r, spec: spec, dev: int(dev)}
	err = k.all(image, replays)
	k.close()
	// after a fault of the kernel every call fails, this one too, and the report has said it
	if e := ctx.Destroy(); e != nil && err == nil && !k.dead {
		err = fmt.Errorf("cuCtxDestroy: %w", e)
	}
	if err != nil {
		return nil, err
	}
	r.DurationMS = time.Since(began).Milliseconds()
	r.Conclude()
	return r, nil
}

// run is one kernel on its way through the checks.
type run struct {
	r       *kernel.Report
	spec    *kernel.Spec
	dev     int
	l       loaded
	stream  cu.Stream
	opened  bool
	buffers []*buffer
	graph   execGraph
	want    [states]outputs // of eager launches, by start state
	dead    bool            // the context is lost
}

// all runs the checks until one does not pass.
func (k *run) all(image []byte, replays int) error {
	for _, check := range []func() error{
		func() error { return k.load(image) }, k.prepare, k.eager, k.capture, func() error { return k.replay(replays) },
	} {
		n := len(k.r.Checks)
		if err := check(); err != nil {
			return err
		}
		for _, c := range k.r.Checks[n:] {
			if c.Status != finding.StatusPass {
				return nil
			}
		}
	}
	return k.time()
}

func (k *run) close() {
	k.l.close()
	if k.opened && !k.dead {
		_ = k.stream.Destroy() // the context goes next
	}
}

// failed records a code as the kernel's failure, or returns it where the machine stood in the way.
func (k *run) failed(check, what string, rc C.CUresult, more string) error {
	if broken[rc] {
		return fmt.Errorf("%s: CUresult %s", what, result(rc))
	}
	k.r.Fail(check, "%s: CUresult %s%s", what, result(rc), more)
	return nil
}

func (k *run) load(image []byte) error {
	rc, log := loadModule(&k.l, image)
	if rc != C.CUDA_SUCCESS {
		more := ""
		switch rc {
		case C.CUDA_ERROR_NO_BINARY_FOR_GPU:
			more = fmt.Sprintf(" (the module has nothing for compute capability %s; a cubin runs on its own architecture only)", k.r.Capability)
		case C.CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
			more = fmt.Sprintf(" (its PTX is newer than this driver, which has CUDA %s)", k.r.CUDA)
		}
		if log != "" {
			more += ": " + log
		}
		return k.failed("load", "module", rc, more)
	}
	if rc := k.l.find(k.spec.Kernel); rc != C.CUDA_SUCCESS {
		return k.failed("load", "kernel "+k.spec.Kernel, rc, " (is the name mangled? extern \"C\" keeps it as it is)")
	}
	k.r.Attributes = k.l.attributes(k.dev)
	k.r.Pass("load", "")
	return nil
}

// prepare holds the launch against what the kernel and the device allow, and makes the buffers.
func (k *run) prepare() error {
	a, grid, block := k.r.Attributes, kernel.Dim(k.spec.Grid), kernel.Dim(k.spec.Block)
	threads := uint64(block[0]) * uint64(block[1]) * uint64(block[2])
	switch {
	case threads > uint64(a.MaxThreads):
		k.r.Fail("launch", "block of %d threads, the kernel takes %d with its %d registers a thread", threads, a.MaxThreads, a.Registers)
		return nil
	case int64(k.spec.Shared) > int64(a.SharedMax):
		k.r.Fail("launch", "%d bytes of dynamic shared memory, this device lets the kernel have %d", k.spec.Shared, a.SharedMax)
		return nil
	}
	for i := range 3 {
		k.l.grid[i], k.l.block[i] = C.uint(grid[i]), C.uint(block[i])
	}
	k.l.shared = C.uint(k.spec.Shared)
	if rc := k.l.allow(int(k.spec.Shared)); rc != C.CUDA_SUCCESS {
		return k.failed("launch", "dynamic shared memory", rc, "")
	}
	a.BlocksPerSM = k.l.resident(int(threads), int(k.spec.Shared)) // depends on what is allowed
	var err error
	if k.stream, err = newStream(); err != nil {
		return err
	}
	k.opened = true
	args, err := k.arguments()
	if err != nil {
		return err
	}
	if sizes, ok := k.l.parameters(); ok {
		if why := mismatch(args, sizes); why != "" {
			k.r.Fail("launch", "%s", why)
			return nil
		}
	}
	if err := k.l.pack(args); err != nil {
		return err
	}
	k.r.Pass("launch", "")
	return nil
}

// mismatch compares the parameters of the spec with those of the kernel.
func mismatch(args [][]byte, sizes []int) string {
	if len(args) != len(sizes) {
		return fmt.Sprintf("the spec has %d parameters, the kernel %d", len(args), len(sizes))
	}
	for i, b := range args {
		if len(b) != sizes[i] {
			return fmt.Sprintf("args[%d] has %d bytes, the kernel takes %d (a buffer is a pointer of 8)", i, len(b), sizes[i])
		}
	}
	return ""
}
