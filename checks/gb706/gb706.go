// Package gb706 is rule GB706, host-state-mutation: the step changes Python state, which a replay does not.
package gb706

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB706.
var Rule = &checks.Rule{
	ID: "GB706", Name: "host-state-mutation", Group: checks.GroupReplay, Severity: finding.Warn, Tier: 1, Static: true,
	Title: "counts or collects in Python inside a module's forward",
	Text: "The device replays its own work and no Python. A counter that a layer advances, a list to which it appends, a dict in " +
		"which it leaves its output: all of that happens once, when the graph is recorded, and never again. What reads it later " +
		"sees the state of the recording. Tensors that a list keeps also hold the graph's memory.",
	Before: "self.seen += 1\nself.router_logits.append(logits)",
	After:  "self.seen_buf.add_(1)  # counted on the device\nself.router_logits_buf.copy_(logits)",
	Fix:    "count in a device tensor, copy into a buffer that is kept, or move the bookkeeping to the caller",
	Fine: []string{
		"filling a cache on first use (`if self.buf is None:`)",
		"runners, schedulers and builders: they run beside the graph",
		"local lists of the step, and statistics that are kept in an object of their own",
		"device counters: `self.seen_buf += 1`",
	},
	Torch: "independent of the version",
	AttrStore: func(p *checks.Pass, s *checks.AttrStore) {
		if region.Last(s.Node.X) == "self" && (s.Op == "+" || s.Op == "-") && s.Value.IsNumber() && own(s.Recv) && p.Module() && !p.FirstUse() {
			p.Report(s.Node, nil, "{expr} is changed when the graph is recorded and in no replay")
		}
	},
	Call: func(p *checks.Pass, c *checks.Call) {
		f, ok := c.Node.Func.(*pyast.Attr)
		if !ok || len(c.Args) != 1 || !p.Module() || p.FirstUse() {
			return
		}
		list, ok := f.X.(*pyast.Attr)
		if !ok || region.Last(list.X) != "self" || !own(p.Value(list.X)) {
			return
		}
		if v := c.Args[0].Value; v.OnDevice() {
			p.Report(c.Node, v, "{expr} keeps a tensor of the recording: a replay appends nothing")
		}
	},
	Calls: []string{"list.append"},
}

// own reports whether v is an object of the project.
func own(v *checks.Value) bool { return v != nil && v.Kind == checks.KindInstance && v.Class != nil }
