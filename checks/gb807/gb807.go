// Package gb807 is rule GB807, native-pageable-async: asynchronous copies from or to the stack or a std::vector.
package gb807

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/cppast"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB807.
var Rule = &checks.Rule{
	ID: "GB807", Name: "native-pageable-async", Group: checks.GroupNative, Severity: finding.Error, Tier: 2, Static: true,
	Title: "copies asynchronously from or to the stack or a std::vector",
	Text: "Memory that is not page-locked cannot be copied behind the host's back: the driver stages it, and the call waits. " +
		"In a capture it is worse. The copy is recorded with the host address, and each replay reads that address again, " +
		"long after the function has returned and the vector is gone: stale or foreign data, or a fault.",
	Before: "std::vector<int> offsets = …;\ncudaMemcpyAsync(d_offsets, offsets.data(), bytes, cudaMemcpyHostToDevice, stream);",
	After:  "// a pinned buffer that lives as long as the graph, or kernel arguments by value\nkernel<<<grid, block, 0, stream>>>(out, OffsetsByValue{…});",
	Fix:    "copy from a pinned buffer that outlives the graph, or pass the data to the kernel by value",
	Fine: []string{
		"pinned memory that is owned by something that lives on, and copies between devices",
		"memory that the caller owns: what a pointer parameter points to is not known here",
	},
	Torch: "measured on an H200, driver 580: cuMemcpyHtoDAsync from pageable memory succeeds in a capture and is recorded with " +
		"its host address",
	Native: &checks.Native{
		Words: []string{"from_blob"},
		Calls: []string{"cudaMemcpyAsync", "cudaMemcpy2DAsync", "cudaMemcpyToSymbolAsync", "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync",
			"cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", ".to", ".cuda", ".copy_", "torch::tensor", "at::tensor"},
		Call: call,
	},
}

func call(p *checks.NativePass, c *checks.NativeCall) {
	if c.RecvV != nil {
		blob(p, c)
		return
	}
	if p.FirstUse() {
		return
	}
	if c.Short == "tensor" {
		numbers(p, c)
		return
	}
	dst, src := 0, 1
	if c.Short == "cudaMemcpy2DAsync" {
		src = 2
	}
	kind := ""
	for _, a := range c.Args {
		if n, ok := a.(*cppast.Name); ok && strings.Contains(n.ID, "Memcpy") {
			kind = n.ID
		}
	}
	switch {
	case strings.Contains(kind, "DeviceToDevice"):
	case strings.Contains(kind, "DeviceToHost"), strings.Contains(c.Short, "DtoH"):
		side(p, c, dst, "to")
	default:
		side(p, c, src, "from")
	}
}

// numbers is torch::tensor({…}, options of the device): the numbers are put into a tensor on the CPU and copied from there.
func numbers(p *checks.NativePass, c *checks.NativeCall) {
	for i, a := range c.Args {
		v := c.Arg(i)
		given := v != nil && v.Kind == checks.NativeOptions && v.Place != checks.PlaceCPU && v.Place != checks.PlacePinned
		if i > 0 && (given || strings.Contains(p.Text(a), "kCUDA")) {
			p.Report(c.Node, "{expr} copies numbers from the host to the device and waits",
				checks.WithFix("pass them to the kernel by value, or make the tensor once and keep it"))
			return
		}
	}
}

// side looks at the host's side of a copy.
func side(p *checks.NativePass, c *checks.NativeCall, i int, word string) {
	v := c.Arg(i)
	if v == nil || !v.Local || v.Static || v.Place == checks.PlacePinned || v.Place == checks.PlaceDevice || v.Managed {
		return
	}
	switch v.Kind {
	case checks.NativePointer, checks.NativeArray, checks.NativeContainer:
	default:
		return
	}
	if v.Kind == checks.NativePointer && v.Place != checks.PlaceCPU {
		return
	}
	p.Report(c.Node, "{expr} copies "+word+" memory of this call ("+p.Text(c.Args[i])+"), which is pageable and gone when a graph is replayed")
}

// blob is torch::from_blob(vec.data(), …).to(device).
func blob(p *checks.NativePass, c *checks.NativeCall) {
	v := c.RecvV
	if c.Short == "copy_" {
		v = c.Arg(0)
	}
	if v == nil || !v.IsTensor() || !v.Local || v.Place != checks.PlaceCPU || !blobOf(p, c) {
		return
	}
	if c.Short == "to" {
		to := false
		for _, a := range c.Args {
			text := p.Text(a)
			to = to || strings.Contains(text, "kCUDA") || strings.Contains(text, "device")
		}
		if !to {
			return
		}
	}
	p.Report(c.Node, "{expr} copies memory of this call to the device, which is pageable and gone when a graph is replayed",
		checks.WithConfidence(finding.Likely))
}

// blobOf reports whether the tensor was made over memory that somebody else owns, here or in an earlier statement.
func blobOf(p *checks.NativePass, c *checks.NativeCall) bool {
	subject := c.Recv
	if c.Short == "copy_" && len(c.Args) > 0 {
		subject = c.Args[0]
	}
	if n, ok := subject.(*cppast.Name); ok {
		return strings.Contains(p.Body(), n.ID+" = torch::from_blob") || strings.Contains(p.Body(), n.ID+" = at::from_blob")
	}
	return strings.Contains(p.Text(subject), "from_blob")
}
