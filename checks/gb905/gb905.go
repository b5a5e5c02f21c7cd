// Package gb905 is rule GB905, attention-plan-host-read: an attention planner is given index pointers on the device.
package gb905

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB905.
var Rule = &checks.Rule{
	ID: "GB905", Name: "attention-plan-host-read", Group: checks.GroupLibraries, Severity: finding.Error, Tier: 1, Static: true,
	Title: "plans attention from index pointers that are on the device",
	Text: "Libraries like FlashInfer split the work of attention on the host: `plan` looks at the lengths of all requests. Lengths that " +
		"are on the device are copied to the host for that, and the host waits for everything that was queued before. In a decode " +
		"loop this happens in every step, right before the largest kernels. The scheduler knows the same lengths on the host " +
		"already; in a captured region the copy breaks the capture.",
	Before: "wrapper.plan(self.indptr, self.indices, self.last_page_len, ...)  # device tensors",
	After:  "wrapper.plan(self.indptr_cpu, self.indices, self.last_page_len_cpu, ...)  # the scheduler's copies",
	Fix:    "pass the host copies that the scheduler keeps, and plan outside the graph",
	Fine: []string{
		"index pointers on the CPU: the copy does nothing",
		"`indices`, which stay on the device",
		"`plan` of other classes; `fast_decode_plan`, which takes the host copies",
	},
	Torch:    "read from FlashInfer's sources and issues: plan calls indptr.to(\"cpu\")",
	Mentions: []string{"plan", "begin_forward"},
	Done: func(p *checks.Pass) {
		for _, c := range region.Calls(p.Node()) {
			recv, name := region.Method(c)
			if recv == nil || name != "plan" && name != "begin_forward" || p.Callee(c) == "user" {
				continue
			}
			for _, a := range c.Args {
				if v := p.Value(a.Value); v.OnDevice() && pointer(a.Name, a.Value) {
					p.Report(c, v, "{expr} is given `"+p.Text(a.Value)+"` on the device, which it copies to the host and waits for")
					break
				}
			}
		}
	},
}

// pointer reports whether an argument holds pointers into the pages of requests, or their lengths, by its keyword or name.
func pointer(keyword string, e pyast.Expr) bool {
	if c, ok := e.(*pyast.Call); ok {
		recv, _ := region.Method(c)
		e = recv
	}
	for _, n := range []string{keyword, region.Last(region.Root(e))} {
		if n = strings.ToLower(n); strings.Contains(n, "indptr") || strings.Contains(n, "last_page_len") {
			return true
		}
	}
	return false
}
