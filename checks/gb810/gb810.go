// Package gb810 is rule GB810, managed-or-host-mapped-access: memory that the step shares with the host.
package gb810

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB810.
var Rule = &checks.Rule{
	ID: "GB810", Name: "managed-or-host-mapped-access", Group: checks.GroupNative, Severity: finding.Warn, Tier: 2, Static: true,
	Title: "touches managed or host-mapped memory in the step",
	Text: "Unified memory moves between host and device page by page when either touches it, so that the time of a step " +
		"depends on what the host has looked at; setting or copying it can hold the host. Memory of the host that a kernel " +
		"reads through a mapped pointer must not be rewritten while a replay may still be reading it.",
	Before: "cudaMallocManaged(&table, bytes);\nlookup<<<grid, block, 0, stream>>>(out, table);",
	After:  "// device memory, filled once at load time\nlookup<<<grid, block, 0, stream>>>(out, device_table.data_ptr<int>());",
	Fix:    "use device memory, and copy what changes from a pinned buffer",
	Fine: []string{
		"weights that are kept in mapped host memory on purpose: suppress it with that reason",
		"managed memory that is set up at load time",
	},
	Torch: "from NVIDIA's documentation, not measured",
	Native: &checks.Native{
		Calls: []string{"cudaMallocManaged", "cuMemAllocManaged", "cudaHostGetDevicePointer", "cuMemHostGetDevicePointer",
			"cudaMemPrefetchAsync", "cuMemPrefetchAsync", "cudaMemAdvise", "cuMemAdvise"},
		Call: call,
	},
}

func call(p *checks.NativePass, c *checks.NativeCall) {
	switch c.Short {
	case "cudaMallocManaged", "cuMemAllocManaged":
		p.Report(c.Node, "{expr} takes unified memory, whose pages move when the host or the device touches them")
	case "cudaHostGetDevicePointer", "cuMemHostGetDevicePointer":
		p.Report(c.Node, "{expr} lets the device read memory of the host", checks.WithConfidence(finding.Possible))
	default:
		p.Report(c.Node, "{expr} moves pages of unified memory in the step", checks.WithConfidence(finding.Possible))
	}
}
