// Package gb802 is rule GB802, native-tensor-item: C++ code that reads values of a device tensor on the host.
package gb802

import (
	"slices"
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/cppast"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB802.
var Rule = &checks.Rule{
	ID: "GB802", Name: "native-tensor-item", Group: checks.GroupNative, Severity: finding.Error, Tier: 1, Static: true,
	Title: "reads values of a tensor on the host, in C++",
	Text: "The operation copies a value out of the device and waits for it, as `.item()` does in Python, only that nobody " +
		"sees it in the Python code. The step stalls at each call, a capture refuses it, and what is computed from the " +
		"number would be frozen in a graph. Where the count or the maximum is needed on the device, the kernel can read it.",
	Before: "int rows = active.sum().item<int>();\nscale<<<rows, 128, 0, stream>>>(out, in);",
	After: "// one block for each row there can be; the kernel reads how many are active\n" +
		"scale<<<capacity, 128, 0, stream>>>(out, in, active_count.data_ptr<int>());",
	Fix: "pass a host integer into the operation, or read the value in the kernel",
	Fine: []string{
		"tensors on the CPU: metadata that the caller made there, a `*_cpu` parameter, one that is checked with is_cpu()",
		"`.size()`, `.numel()`, `.dim()` and the pointer itself: host data about a tensor",
		"code for the CPU (csrc/cpu and the like)",
	},
	Torch: "the read is that of GB101, measured on an H200, torch 2.11; torch's sync debug mode prints it from C++ in mode " +
		"warn and raises in mode error",
	Native: &checks.Native{
		Words: []string{".data_ptr<", ".data_ptr()", ".const_data_ptr"},
		Calls: []string{".item", ".cpu", ".to", "at::equal", "torch::equal", "_local_scalar_dense", ".nonzero", "at::nonzero",
			"torch::nonzero", "at::masked_select", "torch::masked_select", ".masked_select", "at::_unique2", "at::unique_dim",
			"at::allclose", "torch::allclose", ".equal", ".is_nonzero", ".index", ".index_put_"},
		Call:  call,
		Deref: deref,
	},
}

func call(p *checks.NativePass, c *checks.NativeCall) {
	subject := c.RecvV
	if subject == nil {
		subject = c.Arg(0)
	}
	if subject.OnHost() || subject == nil {
		return
	}
	tensor := subject.IsTensor()
	switch c.Short {
	case "item":
		switch {
		case len(c.Args) > 0 || subject.Kind == checks.NativeObject && len(c.Targs) == 0:
		case tensor || len(c.Targs) > 0:
			p.Report(c.Node, "{expr} copies a value to the host and waits for it")
		default:
			p.Report(c.Node, "{expr} may copy a value to the host and wait for it", checks.WithConfidence(finding.Possible))
		}
	case "cpu":
		if len(c.Args) == 0 && (tensor || subject.Kind == checks.NativeUnknown) {
			p.Report(c.Node, "{expr} copies the tensor to the host and waits for it")
		}
	case "to":
		if v := p.Value(c.Node); v == nil {
			toCPU(p, c, subject)
		}
	case "equal", "allclose", "is_nonzero":
		if tensor {
			p.Report(c.Node, "{expr} compares on the device and reads the answer on the host")
		}
	case "index", "index_put_":
		if tensor && masked(c) {
			p.Report(c.Node, "{expr} counts on the host where the mask is true")
		}
	default:
		if tensor {
			p.Report(c.Node, "{expr} reads on the host how many values there are")
		}
	}
}

// masked reports whether one of the indices is a comparison: x.index({lens > 0}). For x.index_put_ the value has to be a
// tensor too: a number is filled in, and nothing is read.
func masked(c *checks.NativeCall) bool {
	if len(c.Args) == 0 || c.Short == "index_put_" && (c.Arg(1) == nil || !c.Arg(1).IsTensor()) {
		return false
	}
	found := false
	cppast.Walk(c.Args[0], func(n cppast.Node) bool {
		switch n := n.(type) {
		case *cppast.Binary:
			found = found || slices.Contains([]string{">", "<", ">=", "<=", "==", "!="}, n.Op)
		case *cppast.Cond, *cppast.Lambda:
			return false // a choice on the host
		}
		return true
	})
	return found
}

// toCPU is x.to(kCPU) without non_blocking.
func toCPU(p *checks.NativePass, c *checks.NativeCall, subject *checks.NativeValue) {
	if !subject.IsTensor() && subject.Kind != checks.NativeUnknown {
		return
	}
	for i, a := range c.Args {
		text := p.Text(a)
		cpu := strings.HasSuffix(text, "kCPU") || strings.HasSuffix(text, "DeviceType::CPU") || text == `"cpu"` ||
			strings.Contains(text, "device(at::kCPU)") || strings.Contains(text, "device(torch::kCPU)")
		if !cpu {
			continue
		}
		for _, b := range c.Args[i+1:] {
			if p.Text(b) == "true" || strings.Contains(p.Text(b), "non_blocking") {
				return
			}
		}
		p.Report(c.Node, "{expr} copies the tensor to the host and waits for it")
		return
	}
}

// deref is a read through the pointer of a device tensor on the host: it faults, or with unified memory waits.
func deref(p *checks.NativePass, d *checks.NativeDeref) {
	x := d.Node
	switch e := d.Node.(type) {
	case *cppast.Unary:
		x = e.X
	case *cppast.Index:
		x = e.X
	}
	c, ok := x.(*cppast.Call)
	if !ok {
		return
	}
	m, ok := c.Func.(*cppast.Member)
	if !ok || !strings.HasSuffix(m.Name, "data_ptr") || d.Value.Place != checks.PlaceDevice {
		return
	}
	p.Report(d.Node, "{expr} reads memory of the device on the host", checks.WithConfidence(finding.Possible))
}
