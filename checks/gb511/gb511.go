// Package gb511 is rule GB511, default-device-factory: host data lands on the device because of a default.
package gb511

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB511.
var Rule = &checks.Rule{
	ID: "GB511", Name: "default-device-factory", Group: checks.GroupTransfer, Severity: finding.Warn, Tier: 2, Static: true,
	Title: "creates tensors from host data on a device that only a default names",
	Text: "Inside `with torch.device(\"cuda\"):` every factory without a device makes its tensor on the device. For zeros and ones that is " +
		"what was meant. `torch.tensor([1, 2])` however builds the data on the host first and copies it over, for which the host " +
		"waits, and nothing on the line says so. `torch.set_default_device` in the step changes the default for everything after it.",
	Before: "with torch.device(\"cuda\"):\n    ids = torch.tensor(self.stop_ids)",
	After:  "ids = self.stop_ids_buf  # made once, at load time",
	Fix:    "make the tensor once at load time, and name the device on the line where it is made",
	Fine: []string{
		"`torch.zeros`, `ones`, `arange` in such a block: made on the device, no copy",
		"`torch.tensor(data, device=\"cpu\")`",
		"such blocks at load time",
		"`with torch.cuda.device(1):`, which is another thing: it changes the current card and no default",
	},
	Torch:    "the copy was measured on an H200, torch 2.11 (GB501); the block was read from the sources",
	Calls:    []string{"torch.set_default_device"},
	Call:     checks.Always("{expr} changes where every factory after it makes its tensor"),
	Mentions: []string{"device"},
	Done: func(p *checks.Pass) {
		region.Stmts(p.Node(), func(n pyast.Stmt) {
			if w, ok := n.(*pyast.With); ok && enters(p, w) {
				block(p, w.Body)
			}
		})
	},
}

// enters reports whether a block has a default device that is not the CPU.
func enters(p *checks.Pass, w *pyast.With) bool {
	for _, it := range w.Items {
		if v := p.Value(it.X); v != nil && v.Kind == checks.KindDevice && v.Place == checks.PlaceDevice {
			return true
		}
	}
	return false
}

func block(p *checks.Pass, body []pyast.Stmt) {
	for _, c := range region.CallsIn(body) {
		op, ok := torchop.Lookup(p.Callee(c))
		if !ok || op.Result != torchop.Data || op.Family != "from-python" || op.Method() || named(c) || len(c.Args) == 0 {
			continue
		}
		if v := p.Value(c.Args[0].Value); v.HostData() && !v.IsNone() {
			p.Report(c, nil, "{expr} is made on the host and copied to the default device, for which the host waits",
				checks.WithConfidence(confidence(v)))
		}
	}
}

func confidence(v *checks.Value) finding.Confidence {
	if v.IsUnknown() {
		return finding.Possible
	}
	return finding.Likely
}

func named(c *pyast.Call) bool {
	for _, a := range c.Args {
		if a.Name == "device" || a.Star == 2 {
			return true
		}
	}
	return false
}
