// Package gb804 is rule GB804, native-alloc-free: C++ code that allocates or frees device or pinned memory in an
// operation.
package gb804

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB804.
var Rule = &checks.Rule{
	ID: "GB804", Name: "native-alloc-free", Group: checks.GroupNative, Severity: finding.Error, Tier: 1, Static: true,
	Title: "allocates or frees device or pinned memory in an operation",
	Text: "These calls go to the driver, past torch's allocator. They take microseconds to milliseconds, freeing waits for " +
		"the device, and during a capture they are refused and the graph is lost. In the one mode that lets them pass, " +
		"the graph keeps the address of memory that the next line gives back.",
	Before: "float* ws;\ncudaMalloc(&ws, bytes);\nreduce<<<grid, block, 0, stream>>>(out, in, ws);\ncudaFree(ws);",
	After:  "auto ws = at::empty({bytes}, in.options().dtype(at::kByte));  // torch's allocator, graph-safe\nreduce<<<grid, block, 0, stream>>>(out, in, ws.data_ptr());",
	Fix:    "take workspace from torch's allocator (at::empty) or from the caller, or allocate it once at load time",
	Fine: []string{
		"allocation in constructors and destructors, and in functions named for it (init…, create…, free…)",
		"a workspace that is made on the first call, under a test for it or in the initializer of a static (GB811 looks at those)",
		"at::empty, the caching allocator's raw_alloc, and cudaMallocAsync on the current stream",
	},
	Torch: "measured on an H200, driver 580: cuMemAlloc and cuMemAllocHost give error 900 in a global or thread-local capture; " +
		"cuMemAllocAsync and cuMemFreeAsync become nodes",
	Native: &checks.Native{
		Words: []string{"pinned_memory(true)"},
		Calls: []string{"cudaMalloc", "cudaFree", "cudaMallocHost", "cudaHostAlloc", "cudaHostRegister", "cudaHostUnregister", "cudaFreeHost",
			"cudaMallocPitch", "cudaMalloc3D", "cudaMallocArray", "cudaFreeArray", "cuMemAlloc", "cuMemAlloc_v2", "cuMemFree",
			"cuMemFree_v2", "cuMemCreate", "cuMemRelease", "cuMemMap", "cuMemUnmap", "cuMemAllocHost", "cuMemAllocHost_v2", "cuMemHostAlloc",
			"cuMemHostRegister", "cuMemFreeHost", "cuMemAddressReserve", "cudaExtMallocWithFlags", "at::empty", "torch::empty", "at::zeros", "torch::zeros", "emptyCache"},
		Call: call,
	},
}

func call(p *checks.NativePass, c *checks.NativeCall) {
	switch {
	case p.FirstUse():
	case c.Short == "emptyCache":
		p.Report(c.Node, "{expr} gives what the allocator keeps back to the driver, which waits for the device")
	case c.Short == "empty" || c.Short == "zeros":
		if strings.Contains(p.Text(c.Node), "pinned_memory(true)") {
			p.Report(c.Node, "{expr} takes page-locked memory in every call", checks.WithSeverity(finding.Warn),
				checks.WithFix("keep one pinned buffer and fill it"))
		}
	case strings.Contains(c.Short, "Free") || strings.Contains(c.Short, "Unregister") || strings.Contains(c.Short, "Unmap") || strings.Contains(c.Short, "Release"):
		if v := c.Arg(0); v != nil && v.Default {
			return // cudaFree(0) makes a context and frees nothing
		}
		p.Report(c.Node, "{expr} gives memory back to the driver, which waits for the device")
	case strings.Contains(c.Short, "Host"):
		p.Report(c.Node, "{expr} page-locks memory in every call")
	default:
		p.Report(c.Node, "{expr} takes memory from the driver in every call")
	}
}
