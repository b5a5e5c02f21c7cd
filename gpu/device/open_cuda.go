//go:build cuda

package device

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"unsafe"

	"gorgonia.org/cu"
)

// This file is the only importer of gorgonia.org/cu, whose init() calls cuInit and ends the process, with a line on
// stdout and code 1, when that fails.

// Read asks the driver for its devices. Free memory needs a context on each; where none can be made (a busy card in
// exclusive mode) the device is listed with the reason.
func Read() (*Inventory, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	inv := &Inventory{Schema: InventorySchema, Driver: kernelDriver(), CUDA: cudaVersion()}
	n, err := cu.NumDevices()
	if err != nil {
		return nil, fmt.Errorf("cuDeviceGetCount: %w", err)
	}
	if n == 0 {
		return nil, fmt.Errorf("%w: driver %s sees none (CUDA_VISIBLE_DEVICES?)", ErrNoCUDA, inv.Driver)
	}
	for i := range n {
		info, dev, err := describe(i)
		if err != nil {
			return nil, err
		}
		if info.FreeBytes, err = freeBytes(dev); err != nil {
			info.Error = err.Error()
		}
		inv.Devices = append(inv.Devices, info)
	}
	return inv, nil
}

func describe(index int) (Info, cu.Device, error) {
	dev, err := cu.GetDevice(index)
	if err != nil {
		return Info{}, 0, fmt.Errorf("device %d: %w", index, err)
	}
	name, err := dev.Name()
	if err != nil {
		return Info{}, 0, fmt.Errorf("name of device %d: %w", index, err)
	}
	id, err := dev.UUID()
	if err != nil {
		return Info{}, 0, fmt.Errorf("uuid of device %d: %w", index, err)
	}
	total, err := dev.TotalMem()
	if err != nil {
		return Info{}, 0, fmt.Errorf("memory of device %d: %w", index, err)
	}
	major, err := dev.Attribute(cu.ComputeCapabilityMajor)
	if err != nil {
		return Info{}, 0, fmt.Errorf("compute capability of device %d: %w", index, err)
	}
	minor, err := dev.Attribute(cu.ComputeCapabilityMinor)
	if err != nil {
		return Info{}, 0, fmt.Errorf("compute capability of device %d: %w", index, err)
	}
	return Info{Index: index, Name: name, UUID: "GPU-" + id.String(), TotalBytes: total,
		ComputeCapability: fmt.Sprintf("%d.%d", major, minor)}, dev, nil
}

func freeBytes(dev cu.Device) (free int64, err error) {
	ctx, err := dev.MakeContext(cu.SchedAuto)
	if err != nil {
		return 0, fmt.Errorf("cuCtxCreate: %w (is the device in exclusive use?)", err)
	}
	defer func() {
		if e := ctx.Destroy(); err == nil && e != nil {
			err = fmt.Errorf("cuCtxDestroy: %w", e)
		}
	}()
	if free, _, err = cu.MemInfo(); err != nil {
		return 0, fmt.Errorf("cuMemGetInfo: %w", err)
	}
	return free, nil
}

func cudaVersion() string {
	v := cu.Version() // 13000
	return fmt.Sprintf("%d.%d", v/1000, v%1000/10)
}

var versionLine = regexp.MustCompile(`\s(\d+\.\d+(?:\.\d+)?)\s`)

// kernelDriver reads the version of the kernel module, which the driver API does not tell.
func kernelDriver() string {
	text, err := os.ReadFile("/proc/driver/nvidia/version")
	if err != nil {
		return ""
	}
	if m := versionLine.FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return ""
}

// code returns the CUresult of an error of cu, whose type is not exported.
func code(err error) int {
	if err == nil {
		return codeSuccess
	}
	if v := reflect.ValueOf(err); v.Kind() == reflect.Int {
		return int(v.Int())
	}
	return -1
}

// handle gives the capture wrapper the stream; C types of two packages are different types to Go.
func handle(s cu.Stream) unsafe.Pointer { return unsafe.Pointer(s.C()) }

// bench is a context with the buffers of the canary.
type bench struct {
	r                    *Report
	info                 Info
	ctx                  cu.CUContext
	in, out, tmp, second cu.DevicePtr
}

func newBench(index int) (*bench, error) {
	info, dev, err := describe(index)
	if err != nil {
		return nil, err
	}
	b := &bench{info: info}
	if b.ctx, err = dev.MakeContext(cu.SchedAuto); err != nil {
		return nil, fmt.Errorf("device %d: cuCtxCreate: %w (is it in exclusive use?)", index, err)
	}
	if b.info.FreeBytes, _, err = cu.MemInfo(); err != nil {
		return nil, errors.Join(fmt.Errorf("device %d: cuMemGetInfo: %w", index, err), b.ctx.Destroy())
	}
	for _, p := range []*cu.DevicePtr{&b.in, &b.out, &b.tmp, &b.second} {
		if *p, err = cu.MemAlloc(canaryBytes); err != nil {
			return nil, errors.Join(fmt.Errorf("device %d: cuMemAlloc: %w", index, err), b.ctx.Destroy())
		}
	}
	return b, nil
}

// close destroys the context and with it the buffers.
func (b *bench) close() error {
	if err := b.ctx.Destroy(); err != nil {
		return fmt.Errorf("cuCtxDestroy: %w", err)
	}
	return nil
}

// fill sets the input and the two outputs and waits until that is done.
func (b *bench) fill(in, out, second byte) error {
	return errors.Join(cu.MemsetD8(b.in, in, canaryBytes), cu.MemsetD8(b.out, out, canaryBytes),
		cu.MemsetD8(b.second, second, canaryBytes), cu.Synchronize())
}

// read returns the two outputs.
func (b *bench) read() ([]byte, error) {
	got := make([]byte, 2*canaryBytes)
	err := errors.Join(cu.MemcpyDtoH(pointer(got), b.out, canaryBytes),
		cu.MemcpyDtoH(pointer(got[canaryBytes:]), b.second, canaryBytes))
	return got, err
}

func (b *bench) memsetAsync(p cu.DevicePtr, v byte, s cu.Stream) error {
	return cu.MemsetD8Async(p, v, canaryBytes, s)
}

func (b *bench) copyAsync(dst, src cu.DevicePtr, s cu.Stream) error {
	return cu.MemcpyDtoDAsync(dst, src, canaryBytes, s)
}

// newStream makes a stream that does not wait for the default stream, as PyTorch's streams are.
func newStream() (cu.Stream, error) { return cu.MakeStream(cu.NonBlocking) }

// violation has what a plant may need: the captured stream, another one, an event.
type violation struct {
	stream, other cu.Stream
	event         cu.Event
	memory        cu.DevicePtr // of an allocation that was not refused
}

func newViolation() (*violation, error) {
	v := &violation{}
	var err error
	if v.stream, err = newStream(); err != nil {
		return nil, err
	}
	if v.other, err = newStream(); err != nil {
		return nil, err
	}
	v.event, err = cu.MakeEvent(cu.DisableTiming)
	return v, err
}

func (v *violation) close() error {
	err := errors.Join(cu.DestroyEvent(&v.event), v.other.Destroy(), v.stream.Destroy())
	if v.memory != 0 {
		err = errors.Join(err, cu.MemFree(v.memory))
	}
	return err
}

// act is how a plant is committed; issued counts the device operations it adds to the capture.
type act struct {
	before func(*violation) error
	during func(*bench, *violation) error
	issued int
}

var acts = map[string]act{
	"cuStreamSynchronize(captured)": {during: func(_ *bench, v *violation) error { return v.stream.Synchronize() }},
	"cuStreamQuery(captured)":       {during: func(_ *bench, v *violation) error { return v.stream.Query() }},
	"cuStreamSynchronize(other stream)": {during: func(_ *bench, v *violation) error {
		return v.other.Synchronize()
	}},
	"cuCtxSynchronize": {during: func(*bench, *violation) error { return cu.Synchronize() }},
	"cuMemAlloc": {during: func(_ *bench, v *violation) (err error) {
		v.memory, err = cu.MemAlloc(256)
		return err
	}},
	"cuEventQuery(captured event)": {during: func(_ *bench, v *violation) error {
		if err := v.event.Record(v.stream); err != nil {
			return fmt.Errorf("cuEventRecord: %w", err)
		}
		return v.event.Query()
	}},
	"cuEventSynchronize(captured event)": {during: func(_ *bench, v *violation) error {
		if err := v.event.Record(v.stream); err != nil {
			return fmt.Errorf("cuEventRecord: %w", err)
		}
		return v.event.Synchronize()
	}},
	"wait on event recorded before capture": {
		before: func(v *violation) error { return v.event.Record(v.other) },
		during: func(_ *bench, v *violation) error { return v.stream.Wait(v.event, 0) },
	},
	"fork to side stream, never joined": {issued: 1, during: func(b *bench, v *violation) error {
		if err := v.event.Record(v.stream); err != nil {
			return fmt.Errorf("cuEventRecord: %w", err)
		}
		if err := v.other.Wait(v.event, 0); err != nil {
			return fmt.Errorf("cuStreamWaitEvent: %w", err)
		}
		return b.memsetAsync(b.second, 2, v.other)
	}},
	"cuMemcpyDtoH (sync, pageable)": {issued: 1, during: func(b *bench, _ *violation) error {
		return cu.MemcpyDtoH(pointer(make([]byte, 64)), b.tmp, 64)
	}},
}
