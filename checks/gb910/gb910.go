// Package gb910 is rule GB910, moe-dispatch-host-counts: experts are dispatched with token counts on the host.
package gb910

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB910.
var Rule = &checks.Rule{
	ID: "GB910", Name: "moe-dispatch-host-counts", Group: checks.GroupLibraries, Severity: finding.Error, Tier: 1, Static: true,
	Title: "dispatches tokens to experts with counts on the host",
	Text: "How many tokens go to each expert is decided on the device, by the router. A dispatch that returns these counts as Python " +
		"numbers, or an all-to-all or grouped multiplication that takes them as a list, makes the host wait in every MoE layer of every " +
		"step. In a graph the counts of the recording are kept, and tokens of later steps go to the wrong place. Modes with a fixed " +
		"capacity leave the counts on the device.",
	Before: "recv, ids, w, counts, handle, event = buffer.dispatch(x, num_tokens_per_expert=n, ...)",
	After:  "recv, counts, handle, event, hook = buffer.low_latency_dispatch(x, topk_ids, max_tokens, num_experts)",
	Fix:    "dispatch with a fixed capacity (DeepEP: low_latency_dispatch) and pass the counts as a device tensor",
	Fine: []string{
		"`low_latency_dispatch`; `dispatch` with `num_worst_tokens=`, which does not wait",
		"`all_to_all_single` without split sizes: equal parts",
		"grouped multiplication with device offsets (`torch._grouped_mm(a, b, offs=…)`)",
		"prefill, where such a wait is a choice: suppress it there with the reason",
	},
	Torch:    "read from DeepEP's and grouped_gemm's sources: dispatch spins on the host until the counts arrive",
	Mentions: []string{"dispatch", "all_to_all_single", "gmm"},
	Done: func(p *checks.Pass) {
		for _, c := range region.Calls(p.Node()) {
			recv, name := region.Method(c)
			callee := p.Callee(c)
			switch {
			case callee == "user":
			case name == "dispatch" && recv != nil && deepEP(c):
				p.Report(c, nil, "{expr} waits on the host until the counts of all experts have arrived")
			case callee == "torch.distributed.all_to_all_single" && splits(p, c):
				p.Report(c, nil, "{expr} takes split sizes of the host, which follow the router: the device was waited for, and a graph keeps them")
			case strings.HasPrefix(callee, "grouped_gemm.") && name == "gmm" && counts(p, region.Arg(c, 2, "batch_sizes")):
				p.Report(c, nil, "{expr} takes the counts of the experts on the host")
			}
		}
	},
}

// deepEP reports whether a dispatch is that of DeepEP's normal mode, by its keywords.
func deepEP(c *pyast.Call) bool {
	normal := false
	for _, a := range c.Args {
		switch a.Name {
		case "num_tokens_per_rank", "num_tokens_per_expert", "is_token_in_rank", "num_tokens_per_rdma_rank":
			normal = true
		case "num_worst_tokens":
			return false
		}
	}
	return normal
}

// splits reports whether the call names split sizes that are a list of the host.
func splits(p *checks.Pass, c *pyast.Call) bool {
	for i, name := range []string{"output_split_sizes", "input_split_sizes"} {
		if e := region.Arg(c, 2+i, name); e != nil && counts(p, e) {
			return true
		}
	}
	return false
}

// counts reports whether e is host data that is computed: no literal, not None.
func counts(p *checks.Pass, e pyast.Expr) bool {
	v := p.Value(e)
	if v == nil || v.Kind != checks.KindList && !v.OnCPU() || v.Optional {
		return false
	}
	switch e := e.(type) {
	case *pyast.List, *pyast.Binary:
		return false // written out, as in [n] * world
	case *pyast.Call:
		return p.Callee(e) != "builtins.list"
	}
	return true
}
