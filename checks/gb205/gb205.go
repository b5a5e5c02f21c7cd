// Package gb205 is rule GB205, repeat-interleave-no-size: repeats rows by a tensor of counts without saying the total.
package gb205

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB205.
var Rule = &checks.Rule{
	ID: "GB205", Name: "repeat-interleave-no-size", Group: checks.GroupShape, Severity: finding.Error, Tier: 1, Static: true,
	Title: "repeats rows by a tensor of counts without saying the total",
	Text: "The length of the result is the sum of the counts, which are on the device. Without `output_size` torch copies " +
		"that sum to the host and waits, twice. When the total is known on the host (it usually is: tokens in the batch), " +
		"saying so makes the call free of waits and its shape fixed.",
	Before: "owner = torch.repeat_interleave(rows, lens)",
	After:  "owner = torch.repeat_interleave(rows, lens, output_size=total)",
	Fix:    "pass output_size= with the total that the host knows",
	Fine: []string{
		"`repeat_interleave(x, 2)`: a plain number",
		"`repeat_interleave(x, counts, output_size=n)`",
		"counts on the CPU with a CPU tensor",
	},
	Torch: "measured on an H200, torch 2.11: two waits without output_size, none with it",
	Calls: torchop.Family("repeat-interleave"),
	Call: func(p *checks.Pass, c *checks.Call) {
		if c.Has("output_size") {
			return
		}
		repeats := c.ParamValue("repeats")
		if n, star := c.Positional(); c.Recv == nil && n == 1 && !star && !c.Has("repeats") {
			repeats = c.Subject() // torch.repeat_interleave(counts)
		}
		if repeats.DeviceTensor() {
			p.Report(c.Node, repeats, "{expr} reads the sum of the counts on the host and waits for the stream")
		}
	},
}
