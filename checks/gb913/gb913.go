// Package gb913 is rule GB913, warp-numba-host-array: Warp or Numba copies to the host or waits inside the step.
package gb913

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB913.
var Rule = &checks.Rule{
	ID: "GB913", Name: "warp-numba-host-array", Group: checks.GroupLibraries, Severity: finding.Error, Tier: 3, Static: true,
	Title: "copies Warp or Numba arrays to the host, or waits for their streams",
	Text: "Warp and Numba launch kernels next to torch's. Their ways back to the host, `copy_to_host`, `wp.synchronize`, " +
		"`cuda.synchronize`, wait for the device, and some use the default stream, which a capture cannot contain (a public " +
		"report shows error 906). An array that torch sees through DLPack or `wp.to_torch` needs none of that.",
	Before: "scores = d_scores.copy_to_host()",
	After:  "scores = torch.as_tensor(d_scores, device=\"cuda\")  # the same memory",
	Fix:    "share the memory with torch (wp.to_torch, __cuda_array_interface__) and read after the step",
	Fine: []string{
		"`wp.to_torch`, `wp.from_torch`, `torch.as_tensor(d_array)`: no copy",
		"launching kernels",
		"waiting at load time and in tests",
	},
	Torch: "independent of torch; a public Warp issue shows the failing capture",
	Calls: []string{"warp.synchronize", "warp.synchronize_device", "warp.synchronize_stream", "warp.synchronize_event", "numba.cuda.synchronize",
		"numba.cuda.default_stream.synchronize"},
	Call:     checks.Always("{expr} makes the host wait for the device"),
	Mentions: []string{"copy_to_host"},
	Done: func(p *checks.Pass) {
		for _, c := range region.Calls(p.Node()) {
			if recv, name := region.Method(c); recv != nil && name == "copy_to_host" && p.Callee(c) != "user" {
				p.Report(c, nil, "{expr} copies to the host and waits for the device")
			}
		}
	},
}
