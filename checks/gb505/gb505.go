// Package gb505 is rule GB505, blocking-h2d: copies from the host to the device and waits for it.
package gb505

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB505.
var Rule = &checks.Rule{
	ID: "GB505", Name: "blocking-h2d", Group: checks.GroupTransfer, Severity: finding.Warn, Tier: 1, Static: true,
	Title: "copies from the host to the device and waits for it",
	Text: "A copy between host and device waits for the stream unless it is told `non_blocking=True`, also when the host " +
		"memory is pinned. Outside the captured part, between steps, that is a short stall; inside it the copy breaks " +
		"the capture. An asynchronous copy has a price: the host must not overwrite the buffer before it has been read.",
	Before: "phase = torch.arange(n).to(x.device)",
	After:  "phase = self.cols  # put on the device once",
	Fix:    "keep it on the device, or copy from a pinned buffer with non_blocking=True and do not rewrite it too early",
	Fine: []string{
		"`pinned.to(dev, non_blocking=True)`",
		"`.to(dtype)`, `.to(other_device_tensor)`: no transfer",
		"`buf.copy_(pinned)` outside the captured part is reported as info only",
		"loading weights",
	},
	Torch: "measured on an H200, torch 2.11: one wait from pageable and from pinned memory; none with non_blocking",
	Calls: []string{"Tensor.to", "Tensor.cuda", "Tensor.copy_"},
	Call: func(p *checks.Pass, c *checks.Call) {
		if on, known := c.NonBlocking(); on || !known {
			return
		}
		if c.Name != "Tensor.copy_" {
			if c.Recv.OnCPU() && c.Result.OnDevice() {
				p.Report(c.Node, c.Recv, "{expr} copies to the device and waits for the stream")
			}
			return
		}
		src := c.ParamValue("src")
		if !c.Recv.OnDevice() || !src.OnCPU() {
			return
		}
		if src.Pinned() {
			p.Report(c.Node, src, "a copy from pinned memory without non_blocking=True waits for the stream",
				checks.WithSeverity(finding.Info))
			return
		}
		p.Report(c.Node, src, "{expr} copies to the device and waits for the stream")
	},
	Store: func(p *checks.Pass, s *checks.Store) {
		if s.Base.OnDevice() && s.Value.OnCPU() && s.Op == "" {
			if d, known := s.Value.Dim(); known && d == 0 && sliced(s.Index) {
				return // a fill
			}
			p.Report(s.Node, s.Value, "writing a CPU tensor into a device tensor copies it and waits for the stream")
		}
	},
}

func sliced(index []checks.Index) bool {
	for _, ix := range index {
		if ix.Slice != nil {
			return true
		}
	}
	return false
}
