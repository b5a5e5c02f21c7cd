// Package gb801 is rule GB801, native-sync-api: C++ or CUDA host code that waits for the device.
package gb801

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB801.
var Rule = &checks.Rule{
	ID: "GB801", Name: "native-sync-api", Group: checks.GroupNative, Severity: finding.Error, Tier: 1, Static: true,
	Title: "waits for the device in C++ or CUDA host code",
	Text: "The host stops inside the operation until a stream, an event or the whole device is done. Every step pays for " +
		"it, and a capture that meets the call is over: it is refused and the graph is lost. Nothing in Python shows " +
		"it, and torch's sync debug mode does not report a wait that an extension calls by itself.",
	Before: "quantize<<<grid, block, 0, stream>>>(out, in);\ncudaStreamSynchronize(stream);",
	After:  "quantize<<<grid, block, 0, stream>>>(out, in);\n// whoever reads out on another stream waits for an event there",
	Fix:    "delete it; where order across streams is needed, record an event and let the other stream wait for it",
	Fine: []string{
		"waits in destructors, in code for tests, under #ifdef DEBUG, and on the way to an abort",
		"code that runs while nothing is being captured: `if (status == cudaStreamCaptureStatusNone)`",
		"cudaStreamWaitEvent: the device waits, the host does not",
	},
	Torch: "measured on an H200, driver 580: cuStreamSynchronize and cuCtxSynchronize give error 900 in a capture of any " +
		"mode (of another stream than the captured one: not in relaxed mode), cuEventSynchronize 907",
	Native: &checks.Native{
		Words: []string{".synchronize()", "->synchronize()"},
		Calls: []string{"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize", "cudaThreadSynchronize",
			"cuCtxSynchronize", "cuStreamSynchronize", "cuEventSynchronize", "cuda::device_synchronize", "cuda::stream_synchronize",
			"cuda::synchronize", ".synchronize"},
		Call: call,
	},
}

func call(p *checks.NativePass, c *checks.NativeCall) {
	if p.FirstUse() { // warmed up, it is over before a capture begins
		p.Report(c.Node, "{expr} makes the host wait, on the first call", checks.WithSeverity(finding.Warn),
			checks.WithFix("do it at load time, or make sure that every configuration is warmed up before the capture"))
		return
	}
	switch c.Short {
	case "cudaDeviceSynchronize", "cudaThreadSynchronize", "cuCtxSynchronize", "device_synchronize":
		p.Report(c.Node, "{expr} makes the host wait for the whole device")
	case "cudaEventSynchronize", "cuEventSynchronize":
		p.Report(c.Node, "{expr} makes the host wait for an event")
	case "synchronize":
		method(p, c)
	default:
		p.Report(c.Node, "{expr} makes the host wait for the stream")
	}
}

// method is x.synchronize(), of a stream or event of c10, or of something else with such a method.
func method(p *checks.NativePass, c *checks.NativeCall) {
	if c.RecvV == nil {
		p.Report(c.Node, "{expr} makes the host wait for the device")
		return
	}
	switch c.RecvV.Kind {
	case checks.NativeStream, checks.NativeEvent:
		p.Report(c.Node, "{expr} makes the host wait")
	default:
		if len(c.Args) == 0 {
			p.Report(c.Node, "{expr} may make the host wait", checks.WithConfidence(finding.Possible))
		}
	}
}
