// Package gb805 is rule GB805, native-launch-no-stream: work that is not put on the current stream.
package gb805

import (
	"fmt"
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB805.
var Rule = &checks.Rule{
	ID: "GB805", Name: "native-launch-no-stream", Group: checks.GroupNative, Severity: finding.Error, Tier: 1, Static: true,
	Title: "launches work without naming the current stream",
	Text: "A launch without a stream goes to the legacy default stream. torch captures on a stream of its own, so the work " +
		"is not recorded: it runs once while the graph is captured and is missing from every replay, without an error. " +
		"Outside of captures it runs in no order with torch's own work when that is on another stream.",
	Before: "scale<<<grid, block>>>(out, in, n);",
	After:  "auto stream = at::cuda::getCurrentCUDAStream();\nscale<<<grid, block, 0, stream>>>(out, in, n);",
	Fix:    "pass at::cuda::getCurrentCUDAStream() as the stream",
	Fine: []string{
		"a stream that the caller hands in, or that was forked from the current one and is joined again",
		"files that are compiled with per-thread default streams (CUDA_API_PER_THREAD_DEFAULT_STREAM)",
		"CUB's first call with a null workspace: it only asks for the size",
	},
	Torch: "measured on an H200, driver 580: a launch on the null stream, or on an unrelated one, succeeds during a capture and " +
		"leaves no node in the graph",
	Native: &checks.Native{
		Words:  []string{"getDefaultCUDAStream", "cub::Device", "cublasCreate"},
		Calls:  nil,
		Call:   call,
		Launch: launch,
	},
}

func launch(p *checks.NativePass, l *checks.NativeLaunch) {
	if perThread(p) {
		return
	}
	switch n := len(l.Config); {
	case n > 0 && n < 4:
		p.Report(l.Node, fmt.Sprintf("the launch names no stream (%d of 4 launch arguments): it runs on the default stream", n))
	case n >= 4 && l.ConfV[3].Default:
		p.Report(l.Node, fmt.Sprintf("the launch runs on the default stream (%s)", p.Text(l.Config[3])))
	}
}

// stream is the position of the stream among the arguments of calls that take one, by name.
var stream = map[string]int{"cudaLaunchKernel": 5, "cudaLaunchCooperativeKernel": 5, "cuLaunchKernel": 8, "cudaMemcpyAsync": 4,
	"cudaMemsetAsync": 3, "cudaMemcpy2DAsync": 7, "cudaMallocAsync": 2, "cudaFreeAsync": 1, "cudaLaunchHostFunc": 0,
	"cuMemcpyHtoDAsync": 3, "cuMemcpyDtoHAsync": 3, "cuMemcpyDtoDAsync": 3, "cuMemsetD8Async": 3, "cuMemsetD32Async": 3}

func call(p *checks.NativePass, c *checks.NativeCall) {
	if c.RecvV != nil || perThread(p) {
		return
	}
	switch c.Short {
	case "cudaMemset", "cuMemsetD8", "cuMemsetD16", "cuMemsetD32", "cudaMemset2D":
		if !p.FirstUse() {
			p.Report(c.Node, "{expr} runs on the default stream", checks.WithFix("use the Async form on the current stream"))
		}
		return
	case "cublasCreate", "cublasCreate_v2":
		if !strings.Contains(p.Body(), "SetStream") && !p.FirstUse() {
			p.Report(c.Node, "{expr} makes a handle that works on the default stream",
				checks.WithFix("use at::cuda::getCurrentCUDABlasHandle(), or call cublasSetStream before each use"))
		}
		return
	}
	if at, ok := stream[c.Short]; ok {
		switch {
		case at >= len(c.Args) && len(c.Args) >= at-1 && c.Short != "cudaLaunchHostFunc":
			p.Report(c.Node, "{expr} names no stream: it runs on the default stream")
		case at < len(c.Args) && c.Vals[at].Default:
			p.Report(c.Node, "{expr} runs on the default stream")
		}
		return
	}
	if strings.Contains(c.Name, "cub::Device") && len(c.Args) > 3 {
		cub(p, c)
	}
}

// cub is cub::DeviceX::F(temp, bytes, …, stream): the stream is the last argument and has a default.
func cub(p *checks.NativePass, c *checks.NativeCall) {
	if c.Vals[0].Default {
		return
	}
	for i, v := range c.Vals {
		if v.Kind == checks.NativeStream || strings.Contains(strings.ToLower(p.Text(c.Args[i])), "stream") {
			if v.Default {
				p.Report(c.Node, "{expr} runs on the default stream")
			}
			return
		}
	}
	p.Report(c.Node, "{expr} names no stream: it runs on the default stream", checks.WithConfidence(cubSure(c)))
}

// cubSure is less than certain when the workspace is a variable that may be null: the call then only asks for the size.
func cubSure(c *checks.NativeCall) finding.Confidence {
	if strings.Contains(c.Vals[0].Type, "*") && c.Vals[0].Place == checks.PlaceUnknown {
		return finding.Possible
	}
	return finding.Likely
}

// perThread reports whether the null stream is one of the calling thread here.
func perThread(p *checks.NativePass) bool { return p.FileHas("CUDA_API_PER_THREAD_DEFAULT_STREAM") }
