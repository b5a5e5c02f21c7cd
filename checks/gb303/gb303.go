// Package gb303 is rule GB303, per-step-pinned-alloc: page-locks host memory in every step.
package gb303

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB303.
var Rule = &checks.Rule{
	ID: "GB303", Name: "per-step-pinned-alloc", Group: checks.GroupAlloc, Severity: finding.Error, Tier: 1, Static: true,
	Title: "page-locks host memory in every step",
	Text: "Pinned memory is what asynchronous copies need, but making it is a slow call into the driver, and even when it " +
		"comes from torch's cache, events are queried to find out whether the block is free. Older torch cannot do it " +
		"during a capture at all. Make the pinned buffer once and write into it.",
	Before: "n = torch.tensor(count, pin_memory=True).to(device, non_blocking=True)",
	After:  "self.pinned_n.fill_(count)  # pinned, made once\nself.n.copy_(self.pinned_n, non_blocking=True)",
	Fix:    "allocate the pinned buffer once at load time and refill it",
	Fine: []string{
		"a pinned buffer made in `__init__`",
		"a pinned buffer made on first use: `if self.pinned is None`",
		"`pin_memory=False`",
		"copies from a pinned buffer that exists",
	},
	Torch: "torch 2.11 allows it in a capture and never reuses the block; older torch raises",
	Calls: pinning(),
	Call: func(p *checks.Pass, c *checks.Call) {
		if p.FirstUse() {
			return
		}
		if c.Name == "Tensor.pin_memory" {
			if c.Recv.OnDevice() || c.Recv.IsArray() {
				return
			}
			p.Report(c.Node, c.Recv, "`.pin_memory()` page-locks host memory in every step", confidence(c.Recv))
			return
		}
		a, ok := c.Arg(-1, "pin_memory")
		if !ok {
			return
		}
		if on, known := a.Value.Bool(); known && !on {
			return
		}
		p.Report(c.Node, nil, "{expr} page-locks host memory in every step")
	},
}

// confidence takes a tensor of unknown place for a host tensor: only those can be pinned.
func confidence(v *checks.Value) checks.ReportOption {
	if v.IsTensor() && v.Sure == checks.Likely {
		return checks.WithConfidence(finding.Likely)
	}
	return checks.AtMost(v)
}

func pinning() []string {
	out := torchop.Family("pin")
	for op := range torchop.All() {
		if op.Result == torchop.Factory || op.Result == torchop.Data || op.Alloc == torchop.AllocLike ||
			op.Alloc == torchop.AllocNew {
			out = append(out, op.Name)
		}
	}
	return out
}
