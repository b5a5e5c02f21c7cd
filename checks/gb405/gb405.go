// Package gb405 is rule GB405, range-on-device-value: takes the number of turns of a loop from the device.
package gb405

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB405.
var Rule = &checks.Rule{
	ID: "GB405", Name: "range-on-device-value", Group: checks.GroupControl, Severity: finding.Error, Tier: 1, Static: true,
	Title: "takes the number of turns of a loop from the device",
	Text: "`range` needs a Python int, so the tensor is read on the host, with a wait. Worse, the number of turns now follows " +
		"the data: each step launches something else and a graph replays the number it was captured with. Loop up to a " +
		"bound that the host knows and mask the rest.",
	Before: "for k in range(int(n_blocks)):",
	After:  "for k in range(max_blocks):  # work of blocks past n_blocks is masked",
	Fix:    "loop up to a bound that the host knows and mask the rest",
	Fine: []string{
		"`range(x.shape[0])`, `range(len(t))`, `range(cfg.layers)`",
		"`range(int(cpu_count))` with a CPU tensor",
	},
	Torch: "measured on an H200, torch 2.11: one wait",
	Over:  []string{"GB101", "GB105"},
	Calls: torchop.Family("trip-count"),
	Call: func(p *checks.Pass, c *checks.Call) {
		for _, a := range c.Args {
			v := a.Value
			if !v.DeviceTensor() {
				v = castOf(p, a.Node)
			}
			if v.DeviceTensor() {
				p.Report(c.Node, v, "the number of turns comes from the device: it is read on the host, which waits")
				return
			}
		}
	},
	Binary: func(p *checks.Pass, b *checks.Binary) {
		if b.Op != "*" {
			return
		}
		for _, pair := range [][2]*checks.Value{{b.L, b.R}, {b.R, b.L}} {
			if seq := pair[0]; seq != nil && seq.Kind == checks.KindList && pair[1].DeviceTensor() {
				p.Report(b.Node, pair[1], "repeating a list by a device tensor reads it on the host, which waits")
				return
			}
		}
	},
}

// castOf returns t of int(t) and t.item() when it is a tensor.
func castOf(p *checks.Pass, e pyast.Expr) *checks.Value {
	call, ok := e.(*pyast.Call)
	if !ok {
		return nil
	}
	switch f := call.Func.(type) {
	case *pyast.Name:
		if f.ID == "int" && len(call.Args) == 1 {
			return p.Value(call.Args[0].Value)
		}
	case *pyast.Attr:
		if f.Name == "item" && len(call.Args) == 0 {
			return p.Value(f.X)
		}
	}
	return nil
}
