// Package gb906 is rule GB906, attention-wrapper-not-graph-mode: an attention wrapper without fixed buffers beside graphs.
package gb906

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB906.
var Rule = &checks.Rule{
	ID: "GB906", Name: "attention-wrapper-not-graph-mode", Group: checks.GroupLibraries, Severity: finding.Error, Tier: 1, Static: true,
	Title: "captures with an attention wrapper that is not in graph mode",
	Text: "A FlashInfer wrapper keeps the plan of a batch in buffers of its own. Without `use_cuda_graph=True` the next `plan` makes new " +
		"buffers and forgets the old ones. A graph that was captured with the wrapper goes on reading the old ones: it attends with " +
		"the plan of another batch, and later reads memory that was freed. Nothing raises, which has cost people days.",
	Before: "decode = BatchDecodeWithPagedKVCacheWrapper(workspace, \"NHD\")",
	After: "decode = BatchDecodeWithPagedKVCacheWrapper(\n    workspace, \"NHD\", use_cuda_graph=True, paged_kv_indptr_buffer=indptr,\n" +
		"    paged_kv_indices_buffer=indices, paged_kv_last_page_len_buffer=lens)",
	Fix: "make a wrapper for each captured batch size with use_cuda_graph=True and buffers that are kept",
	Fine: []string{
		"wrappers in graph mode: `use_cuda_graph=True`, `CUDAGraphBatchDecodeWithPagedKVCacheWrapper`",
		"eager wrappers in a file that also makes wrappers in graph mode, or that captures nothing",
	},
	Torch:    "read from FlashInfer's sources and its issue 3904",
	Mentions: wrappers,
	Setup:    true,
	Done: func(p *checks.Pass) {
		file := p.Lines()
		if !strings.Contains(file, "CUDAGraph(") && !strings.Contains(file, "cuda.graph(") || strings.Contains(file, "use_cuda_graph=True") {
			return
		}
		for _, c := range region.Calls(p.Node()) {
			_, name := region.Method(c)
			if !wrapper(name) || p.Callee(c) == "user" || given(c) {
				continue
			}
			p.Report(c, nil, "{expr} makes new buffers in each plan: a graph captured with it reads the old ones")
		}
	},
}

var wrappers = []string{"BatchDecodeWithPagedKVCacheWrapper", "BatchPrefillWithPagedKVCacheWrapper", "BatchPrefillWithRaggedKVCacheWrapper",
	"BatchMLAPagedAttentionWrapper", "BatchDecodeMlaWithPagedKVCacheWrapper", "MultiLevelCascadeAttentionWrapper"}

func wrapper(name string) bool {
	for _, w := range wrappers {
		if w == name {
			return true
		}
	}
	return false
}

// given reports whether the call says anything about graph mode other than False.
func given(c *pyast.Call) bool {
	for _, a := range c.Args {
		if a.Star > 0 {
			return true
		}
		if k, ok := a.Value.(*pyast.Const); a.Name == "use_cuda_graph" && (!ok || k.Kind != pyast.ConstFalse) {
			return true
		}
	}
	return false
}
