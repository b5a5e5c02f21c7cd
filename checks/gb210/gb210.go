// Package gb210 is rule GB210, select-with-0d-device-index: picks one element by a device tensor without dimensions.
package gb210

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB210.
var Rule = &checks.Rule{
	ID: "GB210", Name: "select-with-0d-device-index", Group: checks.GroupShape, Severity: finding.Error, Tier: 1, Static: true,
	Title: "picks one element by a device tensor without dimensions",
	Text: "An index tensor with one dimension makes a gather that runs on the device. A tensor with no dimension is taken " +
		"for a Python number instead: torch reads it on the host, with a wait, and selects that row. The two look the " +
		"same in the source. Python lists and module lists can only be indexed by numbers, so they read any tensor.",
	Before: "row = table[pos]  # pos is a 0-d tensor",
	After:  "row = table.index_select(0, pos.view(1))",
	Fix:    "keep the index one-dimensional: index_select(0, i.view(1))",
	Fine: []string{
		"`x[idx]` with a one-dimensional index tensor",
		"`x[0]`, `x[i]` with a host number",
		"a 0-d index on the CPU: read without a wait",
	},
	Torch: "measured on an H200, torch 2.11: one wait with a 0-d index, none with a 1-d one",
	Calls: torchop.Family("select"),
	Call: func(p *checks.Pass, c *checks.Call) {
		if i := c.ParamValue("index"); i.DeviceTensor() && c.Subject().MayBeOnDevice() {
			p.Report(c.Node, i, "the index of `select` is a device tensor: it is read on the host, which waits")
		}
	},
	Load:  func(p *checks.Pass, l *checks.Load) { index(p, l.Base, l.Index) },
	Store: func(p *checks.Pass, s *checks.Store) { index(p, s.Base, s.Index) },
}

func index(p *checks.Pass, base *checks.Value, index []checks.Index) {
	if base == nil {
		return
	}
	sequence := base.Kind == checks.KindList || base.Kind == checks.KindTuple
	if !sequence && !base.DeviceTensor() {
		return
	}
	for _, ix := range index {
		v := ix.Value
		if !v.DeviceTensor() || v.IsBool() {
			continue
		}
		if d, known := v.Dim(); sequence || known && d == 0 {
			p.Report(ix.Node, v, "the index {expr} is a device tensor without dimensions: it is read on the host, which waits")
			return
		}
	}
}
