// Package gb610 is rule GB610, host-callback-in-graph: a host function that every replay has to call.
package gb610

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB610.
var Rule = &checks.Rule{
	ID: "GB610", Name: "host-callback-in-graph", Group: checks.GroupStream, Severity: finding.Warn, Tier: 2, Static: true,
	Title: "puts a host function into the stream",
	Text: "A host function in a stream becomes a node of the graph: at every replay the device stops at that point until a " +
		"thread of the host has run it. A Python function needs the interpreter lock for that, so a busy scheduler delays the " +
		"device. It must not call CUDA either. Legal, and meant for signalling, but it puts the host back into the step that " +
		"the graph was made to take it out of.",
	Before: "cudart.cudaLaunchHostFunc(stream, on_layer_done, layer_id)",
	After:  "self.done[layer_id].record()  # the host asks the event after the step",
	Fix:    "signal with an event or a flag in pinned memory that the device writes, and let the host look after the step",
	Fine: []string{
		"callbacks of trainers, futures and other objects that are no streams",
		"host functions between steps, outside the graph",
	},
	Native: &checks.Native{
		Calls: []string{"cudaLaunchHostFunc", "cuLaunchHostFunc", "cudaStreamAddCallback", "cuStreamAddCallback"},
		Call:  checks.NativeAlways("{expr} makes the device wait for a host function, in every replay of a graph too"),
	},
	Torch:    "32 driver calls in three capture modes were measured on an H200: cuLaunchHostFunc is captured as a host node",
	Mentions: []string{"launch_host_func", "add_callback", "cudaLaunchHostFunc", "cuLaunchHostFunc", "cudaStreamAddCallback", "cuStreamAddCallback"},
	Done: func(p *checks.Pass) {
		for _, c := range region.Calls(p.Node()) {
			if callback(p, c) {
				p.Report(c, nil, "{expr} makes the device wait for a host function, in every replay of a graph too")
			}
		}
	},
}

func callback(p *checks.Pass, c *pyast.Call) bool {
	recv, name := region.Method(c)
	if p.Callee(c) == "user" {
		return false
	}
	switch name {
	case "cudaLaunchHostFunc", "cuLaunchHostFunc", "cudaStreamAddCallback", "cuStreamAddCallback":
		return true
	case "launch_host_func":
		return recv != nil
	case "add_callback":
		return recv != nil && strings.Contains(strings.ToLower(p.Text(recv)), "stream")
	}
	return false
}
