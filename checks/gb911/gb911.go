// Package gb911 is rule GB911, cupy-host-touch: CuPy brings data to the host or leaves the captured stream.
package gb911

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB911.
var Rule = &checks.Rule{
	ID: "GB911", Name: "cupy-host-touch", Group: checks.GroupLibraries, Severity: finding.Error, Tier: 3, Static: true,
	Title: "reads CuPy data on the host, or waits for CuPy's streams",
	Text: "CuPy shares the device with torch and knows nothing of its streams. `cupy.asnumpy` copies to the host and waits, as does a " +
		"synchronize of a CuPy stream or device. CuPy's own default is the null stream, which cannot be captured: its work is " +
		"missing from the graph, or breaks it, unless torch's current stream is handed over first.",
	Before: "scores = cupy.asnumpy(cupy.from_dlpack(x))",
	After:  "with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):\n    scores = kernel(cupy.from_dlpack(x))  # stays on the device",
	Fix:    "stay on the device, on torch's current stream (cupy.cuda.ExternalStream), and read after the step",
	Fine: []string{
		"`cupy.from_dlpack`, `cupy.asarray`: no copy",
		"work inside `with cupy.cuda.ExternalStream(…)` of torch's stream",
		"CuPy at load time",
	},
	Torch: "independent of torch; the trace of the GPU checks sees CuPy's waits",
	Calls: []string{"cupy.asnumpy", "cupy.cuda.Device.synchronize", "cupy.cuda.runtime.deviceSynchronize", "cupy.cuda.runtime.streamSynchronize",
		"cupy.cuda.stream.get_current_stream.synchronize", "cupy.cuda.Stream.null.synchronize", "cupy.cuda.Stream.null.use"},
	Call: checks.Always("{expr} makes the host wait for the device, or leaves the stream that is captured"),
}
