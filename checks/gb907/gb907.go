// Package gb907 is rule GB907, library-sampler-seed-on-host: a library's sampler takes its random state from the host.
package gb907

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB907.
var Rule = &checks.Rule{
	ID: "GB907", Name: "library-sampler-seed-on-host", Group: checks.GroupLibraries, Severity: finding.Error, Tier: 2, Static: true,
	Title: "samples with a seed that a library reads on the host",
	Text: "A sampling kernel outside torch asks torch's generator for a seed and an offset when it is called, on the host, and passes both " +
		"as numbers. In a graph they stay what they were at the recording, or the capture refuses the question. Then every replay " +
		"draws the same random numbers: the same prompt gives the same text, at any temperature. Seed and offset in device tensors are " +
		"read anew by each replay.",
	Before: "ids = flashinfer.sampling.top_p_sampling_from_probs(probs, top_p)",
	After:  "ids = flashinfer.sampling.top_p_sampling_from_probs(probs, top_p, seed=self.seed, offset=self.offset)",
	Fix:    "pass seed and offset as device tensors that are updated for each step, or sample outside the graph",
	Fine: []string{
		"calls with `seed=` and `offset=`",
		"torch's own samplers with the default generator",
		"kernels that only renormalise or mask probabilities",
	},
	Torch:    "read from FlashInfer's sources; two Megatron pull requests describe the repeated draws",
	Mentions: samplers,
	Done: func(p *checks.Pass) {
		for _, c := range region.Calls(p.Node()) {
			_, name := region.Method(c)
			callee := p.Callee(c)
			if !listed(name) || callee == "user" || strings.HasPrefix(callee, "torch.") || seeded(c) || p.Value(c).OnCPU() {
				continue
			}
			p.Report(c, nil, "{expr} takes seed and offset from the host: replays of a graph draw the same numbers")
		}
	},
}

var samplers = []string{"sampling_from_probs", "sampling_from_logits", "top_p_sampling_from_probs", "top_k_sampling_from_probs",
	"min_p_sampling_from_probs", "top_k_top_p_sampling_from_probs", "top_k_top_p_sampling_from_logits", "chain_speculative_sampling"}

func listed(name string) bool {
	for _, s := range samplers {
		if s == name {
			return true
		}
	}
	return false
}

func seeded(c *pyast.Call) bool {
	for _, a := range c.Args {
		if a.Name == "seed" || a.Name == "philox_seed" || a.Star == 2 {
			return true
		}
	}
	return false
}
