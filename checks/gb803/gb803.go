// Package gb803 is rule GB803, native-sync-memcpy: C++ code that copies with a call that waits.
package gb803

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB803.
var Rule = &checks.Rule{
	ID: "GB803", Name: "native-sync-memcpy", Group: checks.GroupNative, Severity: finding.Error, Tier: 1, Static: true,
	Title: "copies with a call that waits",
	Text: "Copies without `Async` in their name run on the default stream and hold the host until they are done. They are " +
		"also worse than an error in a capture: where the capturing stream does not block on the default one, the call " +
		"succeeds, copies once, and is missing from the graph, so that every replay works with what was there at the " +
		"time. With a blocking stream it ends the capture.",
	Before: "cudaMemcpy(d_offsets, offsets, bytes, cudaMemcpyHostToDevice);",
	After:  "cudaMemcpyAsync(d_offsets, pinned_offsets, bytes, cudaMemcpyHostToDevice, stream);",
	Fix:    "use cudaMemcpyAsync from pinned memory on the current stream, or pass small structures as kernel arguments",
	Fine: []string{
		"copies at load time, in constructors and in functions that are named for it (init…, load…, setup…)",
		"copies that run once, under a test for what they fill",
		"cudaMemcpyAsync on the current stream (from pageable memory it is GB807)",
	},
	Torch: "measured on an H200, driver 580, non-blocking capture stream: cuMemcpyDtoH, HtoD and DtoD succeed in a capture of " +
		"any mode and leave no node in the graph",
	Native: &checks.Native{
		Calls: []string{"cudaMemcpy", "cudaMemcpy2D", "cudaMemcpy3D", "cudaMemcpyToSymbol", "cudaMemcpyFromSymbol", "cudaMemcpyPeer",
			"cudaMemcpyToArray", "cudaMemcpyFromArray", "cudaMemcpy2DToArray", "cudaMemcpy2DFromArray", "cuMemcpy", "cuMemcpyHtoD",
			"cuMemcpyDtoH", "cuMemcpyDtoD", "cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2", "cuMemcpyDtoD_v2", "cuMemcpy2D", "cuMemcpy3D",
			"cuMemcpyPeer", "cudaMemcpyWithStream", "cudaMemcpyHtoD", "cudaMemcpyDtoH", "cudaMemcpyDtoD"},
		Call: func(p *checks.NativePass, c *checks.NativeCall) {
			if !p.FirstUse() {
				p.Report(c.Node, "{expr} copies on the default stream and makes the host wait")
			}
		},
	},
}
