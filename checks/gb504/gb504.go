// Package gb504 is rule GB504, index-with-host-data: indexes a device tensor with a list, an array or a CPU tensor.
package gb504

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB504.
var Rule = &checks.Rule{
	ID: "GB504", Name: "index-with-host-data", Group: checks.GroupTransfer, Severity: finding.Error, Tier: 1, Static: true,
	Title: "indexes a device tensor with a list, an array or a CPU tensor",
	Text: "The index has to be on the device. torch makes a tensor of the list and copies it over with a wait, each time, " +
		"also when the list never changes. A capture refuses the copy. An index buffer that is put on the device once " +
		"costs nothing.",
	Before: "logits[:, suppress_ids] = float(\"-inf\")  # a list",
	After:  "logits.index_fill_(1, self.suppress_ids_dev, float(\"-inf\"))",
	Fix:    "keep the index in a device tensor that is made once",
	Fine: []string{
		"`x[0]`, `x[1:3]`, `x[i]` with host numbers",
		"`x[idx]` with an index tensor on the device",
		"a 0-d CPU tensor as an index: read without a wait",
		"a boolean mask on the CPU: its positions are counted on the host and copied without a wait",
		"host lists indexed by host numbers",
	},
	Torch: "measured on an H200, torch 2.11: one wait per list, array, range or CPU tensor",
	Load:  func(p *checks.Pass, l *checks.Load) { index(p, l.Node, l.Base, l.Index) },
	Store: func(p *checks.Pass, s *checks.Store) { index(p, s.Node, s.Base, s.Index) },
}

func index(p *checks.Pass, at pyast.Node, base *checks.Value, index []checks.Index) {
	if !base.DeviceTensor() {
		return
	}
	for _, ix := range index {
		if !hostIndex(ix.Value) {
			continue
		}
		p.Report(at, base, "the index `"+p.Text(ix.Node)+"` is host data: it is copied to the device, which waits",
			sure(ix.Value))
		return
	}
}

// hostIndex reports whether v has to be copied to the device: a list of numbers, an array, a CPU tensor with
// dimensions. A tuple is several indices and not one.
func hostIndex(v *checks.Value) bool {
	switch {
	case v == nil:
		return false
	case v.OnCPU():
		d, known := v.Dim()
		return !v.IsBool() && (!known || d > 0)
	case v.IsArray():
		d, known := v.Dim()
		return !known || d > 0
	case v.Kind == checks.KindList:
		// A tuple of unknown length looks like a list: it holds slices, Ellipsis and None, a list index does not.
		if _, held := v.HoldsDevice(); held {
			return false
		}
		e := v.Element()
		return e == nil || e.Kind == checks.KindUnknown || e.Kind == checks.KindNumber || e.Kind == checks.KindList
	}
	return false
}

// sure lowers the confidence for a list of which nothing is known, which may hold anything, and for an array of unknown
// rank, which may be a number.
func sure(v *checks.Value) checks.ReportOption {
	unknown := false
	switch {
	case v.Kind == checks.KindList:
		unknown = !v.HostData() && v.Element().IsUnknown()
	case v.IsArray():
		_, known := v.Dim()
		unknown = !known
	}
	if unknown {
		return checks.WithConfidence(finding.Possible)
	}
	return checks.AtMost(v)
}
