// Package gb917 is rule GB917, narrow-index: an index of a type that scatter and gather do not take.
package gb917

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB917.
var Rule = &checks.Rule{
	ID: "GB917", Name: "narrow-index", Group: checks.GroupLibraries, Severity: finding.Error, Tier: 2, Static: true,
	Title: "indexes with 8 or 16 bit integers, which scatter and gather refuse",
	Text: "Counting with `scatter_add_` instead of bincount is the way to keep a step free of syncs, and router ids are often " +
		"kept in narrow types. The operations that scatter and gather take only int64 (and, in newer versions, int32) as an " +
		"index and raise for anything else, on the device, when the step first runs.",
	Before: "counts.scatter_add_(0, ids.to(torch.int16), ones)",
	After:  "ids64.copy_(ids16)  # a static buffer; the cast is a kernel\ncounts.scatter_add_(0, ids64, ones)",
	Fix:    "cast the index to int64 first, into a buffer that is kept",
	Fine: []string{
		"int32 and int64 indices",
		"narrow integers as values instead of as the index",
	},
	Torch: "measured on an H200, torch 2.11: int16 raises in eager mode; int32 and int64 are taken",
	Calls: calls(),
	Call:  call,
}

// calls are the operations with an index behind the dimension, as methods and functions.
func calls() []string {
	var out []string
	for _, op := range strings.Fields("scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_ gather index_select " +
		"index_add index_add_ index_copy index_copy_ index_fill index_fill_") {
		out = append(out, "Tensor."+op)
		if !strings.HasSuffix(op, "_") {
			out = append(out, "torch."+op)
		}
	}
	return out
}

func call(p *checks.Pass, c *checks.Call) {
	index, ok := c.Operand(1, "index")
	if !ok || !index.Value.IsInt() {
		return
	}
	switch t := index.Value.Name; t {
	case "torch.int8", "torch.int16", "torch.short", "torch.uint8", "torch.uint16":
		p.Report(c.Node, index.Value, "{expr} is given an index of type "+t+", which it does not take")
	}
}
