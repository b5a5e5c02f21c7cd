// Package gb406 is rule GB406, per-expert-host-loop: loops on the host over what the device chose or counted.
package gb406

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB406.
var Rule = &checks.Rule{
	ID: "GB406", Name: "per-expert-host-loop", Group: checks.GroupControl, Severity: finding.Error, Tier: 1, Static: true,
	Title: "loops on the host over what the device chose or counted",
	Text: "The loop visits the experts (or requests) that a device tensor names, or skips those whose device count is zero. " +
		"Either way values are read on the host, once or per turn, and the launches differ from step to step. A loop " +
		"over all experts with masked work, or one grouped kernel that reads the offsets on the device, is the same in " +
		"every step.",
	Before: "for e in active.tolist():\n    out += expert(e, x)",
	After:  "out = grouped_experts(x, weights, offsets)  # one launch, offsets on the device",
	Fix:    "use a grouped kernel with device offsets, or loop over all experts with masked work",
	Fine: []string{
		"a loop over a fixed range of experts with masked work",
		"loops over lists that the host made",
	},
	Torch: "measured on an H200, torch 2.11: one wait for tolist, one per test of an element",
	Over:  []string{"GB101", "GB102", "GB401"},
	Iterate: func(p *checks.Pass, it *checks.Iterate) {
		if it.Kind != checks.IterFor && it.Kind != checks.IterComp && it.Call != "builtins.enumerate" {
			return
		}
		call, ok := it.Node.(*pyast.Call)
		if !ok {
			return
		}
		if f, ok := call.Func.(*pyast.Attr); ok && f.Name == "tolist" {
			if v := p.Value(f.X); v.DeviceTensor() {
				p.Report(it.Node, v, "the loop over {expr} copies the tensor to the host, which waits, and its turns follow the data")
			}
		}
	},
	Truth: func(p *checks.Pass, t *checks.Truth) {
		s, ok := t.Stmt.(*pyast.If)
		if ok && t.Kind == checks.TruthIf && p.Loop() > 0 && t.Value.DeviceTensor() && skips(s.Body) {
			p.Report(t.Node, t.Value, "the loop skips turns by {expr}, a device value: it is read on the host in every turn")
		}
	},
}

// skips reports whether body ends the turn of the loop.
func skips(body []pyast.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	j, ok := body[len(body)-1].(*pyast.Jump)
	return ok && j.Keyword == "continue"
}
