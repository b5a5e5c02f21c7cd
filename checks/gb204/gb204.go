// Package gb204 is rule GB204, bincount-histc: makes a histogram whose range comes from the data.
package gb204

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB204.
var Rule = &checks.Rule{
	ID: "GB204", Name: "bincount-histc", Group: checks.GroupShape, Severity: finding.Error, Tier: 1, Static: true,
	Title: "makes a histogram whose range comes from the data",
	Text: "`bincount` copies the smallest and the largest value to the host, two waits, to know how many bins there are. " +
		"`minlength` does not help: both are still read. `histc` does the same when it is given no range. Counting into " +
		"a buffer of fixed size with `scatter_add_` stays on the device.",
	Before: "counts = torch.bincount(expert_ids, minlength=n_experts)",
	After:  "counts = self.counts.zero_().scatter_add_(0, expert_ids, self.ones)",
	Fix:    "use scatter_add_ into a preallocated integer buffer",
	Fine: []string{
		"`np.bincount` and histograms of CPU tensors",
		"`torch.histc(x, bins, min=0, max=10)`: the range is given",
	},
	Torch: "measured on an H200, torch 2.11: bincount two waits with and without minlength, histc two without a range",
	Calls: torchop.Family("histogram"),
	Call: func(p *checks.Pass, c *checks.Call) {
		v := c.Subject()
		if !v.DeviceTensor() {
			return
		}
		if strings.HasSuffix(c.Name, ".histc") {
			_, low := c.Param("min")
			_, high := c.Param("max")
			if low && high || c.Has("max") {
				return
			}
		}
		p.Report(c.Node, v, "{expr} reads the range of the data on the host and waits for the stream")
	},
}
