// Package gb809 is rule GB809, uncapturable-api: features of CUDA that a graph does not have.
package gb809

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB809.
var Rule = &checks.Rule{
	ID: "GB809", Name: "uncapturable-api", Group: checks.GroupNative, Severity: finding.Error, Tier: 2, Static: true,
	Title: "uses a feature of CUDA that graphs do not have",
	Text: "A capture turns calls into nodes of a graph. For some calls there is no node: asking a stream or an event whether " +
		"it is done, attaching managed memory to a stream, texture references, launches over several devices at once. " +
		"The capture is refused at the call and everything recorded so far is lost.",
	Before: "while (cudaStreamQuery(stream) == cudaErrorNotReady) {}",
	After:  "cudaEventRecord(done, stream);\ncudaStreamWaitEvent(other, done, 0);  // the device waits",
	Fix:    "order work with events that the device waits for, and use texture objects",
	Fine: []string{
		"texture and surface objects (cudaTextureObject_t)",
		"cudaLaunchHostFunc: it becomes a host node",
		"queries in code that looks after streams outside of a step",
	},
	Torch: "measured on an H200, driver 580: cuStreamQuery of the captured stream gives error 900, cuEventQuery of a captured " +
		"event 907, cuLaunchHostFunc becomes a node; the rest is from NVIDIA's documentation",
	Native: &checks.Native{
		Words: []string{"texture<", "surface<"},
		Calls: []string{"cudaStreamQuery", "cuStreamQuery", "cudaEventQuery", "cuEventQuery", "cudaEventElapsedTime", "cuEventElapsedTime",
			"cudaStreamAttachMemAsync", "cuStreamAttachMemAsync", "cudaBindTexture", "cudaBindTexture2D", "cudaBindTextureToArray",
			"cudaUnbindTexture", "cudaGetTextureReference", "cudaBindSurfaceToArray", "cuTexRefSetAddress",
			"cudaLaunchCooperativeKernelMultiDevice", "cuLaunchCooperativeKernelMultiDevice", "cudaStreamAddCallback",
			"cuStreamAddCallback", "cudaDeviceReset"},
		Call: call,
		Decl: func(p *checks.NativePass, d *checks.NativeDecl) {
			if strings.HasPrefix(d.Node.Type, "texture<") || strings.HasPrefix(d.Node.Type, "surface<") {
				p.Report(d.Node, "{expr} is a texture reference, which graphs do not have")
			}
		},
	},
}

func call(p *checks.NativePass, c *checks.NativeCall) {
	switch {
	case strings.HasSuffix(c.Short, "StreamQuery"):
		p.Report(c.Node, "{expr} asks a stream whether it is done, which ends a capture of that stream")
	case strings.HasSuffix(c.Short, "EventQuery"), strings.HasSuffix(c.Short, "EventElapsedTime"):
		p.Report(c.Node, "{expr} asks an event whether it is done, which ends a capture that has recorded it",
			checks.WithConfidence(finding.Possible))
	case strings.HasSuffix(c.Short, "AddCallback"):
		p.Report(c.Node, "{expr} may not be captured (cudaLaunchHostFunc can)", checks.WithConfidence(finding.Possible))
	default:
		p.Report(c.Node, "{expr} cannot be part of a graph")
	}
}
