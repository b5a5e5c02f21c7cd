// Package gb806 is rule GB806, thrust-cub-temp: algorithms of Thrust that wait and allocate, CUB with raw memory.
package gb806

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB806.
var Rule = &checks.Rule{
	ID: "GB806", Name: "thrust-cub-temp", Group: checks.GroupNative, Severity: finding.Error, Tier: 2, Static: true,
	Title: "calls Thrust so that it waits and allocates, or CUB with memory from the driver",
	Text: "Without an execution policy, or with `thrust::device`, an algorithm of Thrust runs on the default stream, takes " +
		"temporary memory from the driver and holds the host until it is done. Naming a stream mends only the first of " +
		"these. In a capture the allocation or the wait ends the recording. CUB never waits by itself, but memory that is " +
		"taken with cudaMalloc for each call does.",
	Before: "thrust::sort_by_key(thrust::device, keys, keys + n, values);",
	After:  "auto policy = thrust::cuda::par_nosync(scratch).on(stream);  // scratch: an allocator over torch's memory\nthrust::sort_by_key(policy, keys, keys + n, values);",
	Fix:    "use thrust::cuda::par_nosync(allocator).on(stream), or the CUB function with workspace from torch's allocator",
	Fine: []string{
		"`par_nosync` with an allocator and a stream, for algorithms that return nothing or an iterator",
		"algorithms on the host: thrust::host, thrust::seq, thrust::host_vector, std::vector",
		"algorithms inside kernels",
	},
	Torch: "documented by Thrust; what its waits and allocations do to a capture was measured on an H200 (GB801, GB804)",
	Over:  []string{"GB804"},
	Native: &checks.Native{
		Words: []string{"thrust::", "cub::Device"},
		Call:  call,
		Decl:  decl,
	},
}

// algorithms are the functions of Thrust that run on the device. Those that are true return a value to the host.
var algorithms = map[string]bool{"adjacent_difference": false, "all_of": true, "any_of": true, "none_of": true,
	"binary_search": false, "copy": false, "copy_if": false, "copy_n": false, "count": true, "count_if": true, "equal": true,
	"equal_range": false, "exclusive_scan": false, "exclusive_scan_by_key": false, "fill": false, "fill_n": false, "find": true,
	"find_if": true, "find_if_not": true, "for_each": false, "for_each_n": false, "gather": false, "gather_if": false,
	"generate": false, "inclusive_scan": false, "inclusive_scan_by_key": false, "inner_product": true, "is_sorted": true,
	"lower_bound": false, "max_element": true, "merge": false, "min_element": true, "minmax_element": true, "mismatch": true,
	"partition": true, "reduce": true, "reduce_by_key": true, "remove": true, "remove_if": true, "replace": false,
	"replace_if": false, "reverse": false, "scatter": false, "scatter_if": false, "sequence": false, "set_difference": true,
	"set_intersection": true, "set_union": true, "sort": false, "sort_by_key": false, "stable_partition": true,
	"stable_sort": false, "stable_sort_by_key": false, "swap_ranges": false, "tabulate": false, "transform": false,
	"transform_exclusive_scan": false, "transform_inclusive_scan": false, "transform_reduce": true,
	"uninitialized_copy": false, "uninitialized_fill": false, "unique": true, "unique_by_key": true, "unique_copy": true,
	"upper_bound": false}

func call(p *checks.NativePass, c *checks.NativeCall) {
	if c.RecvV != nil {
		return
	}
	if c.Short == "cudaMalloc" {
		if strings.Contains(p.Body(), "cub::Device") && !p.FirstUse() {
			p.Report(c.Node, "{expr} takes the workspace of CUB from the driver in every call",
				checks.WithFix("take it from torch's allocator: at::empty({bytes}, …)"))
		}
		return
	}
	returns, known := algorithms[c.Short]
	if !known || c.Name != "thrust::"+c.Short && !strings.HasSuffix(c.Name, "::thrust::"+c.Short) {
		return
	}
	algorithm(p, c, returns)
}

func algorithm(p *checks.NativePass, c *checks.NativeCall, returns bool) {
	for _, v := range c.Vals {
		switch {
		case v.Kind == checks.NativeContainer && v.Place == checks.PlaceCPU, v.Kind == checks.NativePolicy && v.Place == checks.PlaceCPU:
			return
		case v.Kind != checks.NativePolicy:
			continue
		case !v.Stream:
			p.Report(c.Node, "{expr} runs on the default stream, allocates and makes the host wait")
		case v.Sync && !v.Alloc:
			p.Report(c.Node, "{expr} allocates temporary memory and makes the host wait")
		case v.Sync:
			p.Report(c.Node, "{expr} makes the host wait (its policy is not par_nosync)")
		case returns:
			p.Report(c.Node, "{expr} returns a value, for which the host waits whatever the policy says")
		case !v.Alloc:
			p.Report(c.Node, "{expr} takes temporary memory from the driver", checks.WithSeverity(finding.Warn))
		}
		return
	}
	p.Report(c.Node, "{expr} names no policy: it runs on the default stream, allocates and makes the host wait")
}

// decl is thrust::device_vector<T> v(n): memory from the driver, filled on the default stream.
func decl(p *checks.NativePass, d *checks.NativeDecl) {
	if strings.Contains(d.Node.Type, "device_vector") && !strings.ContainsAny(d.Node.Type, "&*") && !d.Node.Static && !p.FirstUse() {
		p.Report(d.Node, "{expr} takes memory from the driver, fills it on the default stream and waits")
	}
}
