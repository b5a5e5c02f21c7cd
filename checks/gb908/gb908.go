// Package gb908 is rule GB908, dist-host-sync: calls a collective that blocks the host or moves Python objects.
package gb908

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB908.
var Rule = &checks.Rule{
	ID: "GB908", Name: "dist-host-sync", Group: checks.GroupLibraries, Severity: finding.Error, Tier: 1, Static: true,
	Title: "calls a collective that blocks the host or moves Python objects",
	Text: "A collective over device tensors is queued like any other kernel and can be captured. `barrier` and the " +
		"collectives of Python objects are different: objects are turned into bytes, sizes are exchanged and the host " +
		"waits for the other ranks. Inside a capture that fails on one rank and leaves the others hanging.",
	Before: "dist.broadcast_object_list(sizes, src=0)",
	After:  "dist.broadcast(sizes_tensor, src=0)  # a device tensor, queued on the stream",
	Fix:    "use a collective over device tensors; do host agreement outside the step",
	Fine: []string{
		"`all_reduce`, `all_gather_into_tensor`, `broadcast` of device tensors with NCCL",
		"`barrier` at start-up and before a capture",
		"`get_rank`, `get_world_size`",
	},
	Torch: "torch documents torch.distributed as outside its sync debug mode",
	Calls: torchop.Family("host-collective"),
	Call:  checks.Always("{expr} blocks the host until the other ranks have come"),
}
