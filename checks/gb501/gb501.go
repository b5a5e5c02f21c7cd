// Package gb501 is rule GB501, tensor-from-python: builds a device tensor from Python data in the step.
package gb501

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB501.
var Rule = &checks.Rule{
	ID: "GB501", Name: "tensor-from-python", Group: checks.GroupTransfer, Severity: finding.Error, Tier: 1, Static: true,
	Title: "builds a device tensor from Python data in the step",
	Text: "The numbers are first written into an ordinary CPU tensor and then copied to the device, and since that memory " +
		"is not pinned the host waits for the copy and for everything queued before it. During capture the copy raises " +
		"or, with older torch, records an address that is gone at replay.",
	Before: "q_len = torch.tensor([draft] * bs, device=dev)",
	After:  "q_len = self.q_len.fill_(draft)  # made in __init__",
	Fix:    "fill a preallocated tensor (fill_), or copy from a pinned buffer with non_blocking=True before the step",
	Fine: []string{
		"`torch.tensor(…)` that stays on the CPU",
		"`torch.full((n,), 3, device=dev)`: a fill on the device (an allocation, GB301)",
		"`torch.as_tensor(t)` of a tensor that is on the device already",
		"`torch.tensor([], device=dev)`: nothing to copy",
		"load-time code",
	},
	Torch: "measured on an H200, torch 2.11: one wait for a list, a number or an array",
	Calls: torchop.Family("from-python"),
	Call: func(p *checks.Pass, c *checks.Call) {
		data, ok := c.Param("data")
		v := data.Value
		if !ok || v.DeviceTensor() || empty(data.Node) {
			return
		}
		switch {
		case c.Recv != nil: // t.new_tensor(data)
			if c.Recv.DeviceTensor() && !c.Result.OnCPU() {
				p.Report(c.Node, v, message, checks.AtMost(c.Recv))
			}
		case strings.HasPrefix(c.Name, "torch.cuda."):
			if v.IsSequence() || v.IsArray() {
				p.Report(c.Node, v, message)
			}
		case c.Result.DeviceTensor():
			p.Report(c.Node, v, message, checks.AtMost(c.Result))
		}
	},
}

// empty reports whether e is an empty list: there is nothing to copy.
func empty(e pyast.Expr) bool {
	l, ok := e.(*pyast.List)
	return ok && len(l.Elts) == 0
}

const message = "{expr} copies host data to the device and waits for the stream"
