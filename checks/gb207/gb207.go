// Package gb207 is rule GB207, size-from-device-tensor: uses a device tensor where a size, a count or a number is
// expected.
package gb207

import (
	"slices"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB207.
var Rule = &checks.Rule{
	ID: "GB207", Name: "size-from-device-tensor", Group: checks.GroupShape, Severity: finding.Error, Tier: 1, Static: true,
	Title: "uses a device tensor where a size, a count or a number is expected",
	Text: "Sizes, lengths, steps and fill values are host numbers. Given a device tensor torch reads it silently, as if " +
		"`.item()` were written there. If it is a size, the shape of the result then changes with the data, which a " +
		"graph cannot replay.",
	Before: "mask = torch.arange(lens.max(), device=dev) < lens[:, None]",
	After:  "mask = self.positions < lens[:, None]  # positions up to the capacity, made once",
	Fix:    "use a capacity that the host knows and mask what is too much",
	Fine: []string{
		"sizes from `.shape`, `.numel()`, `len()` and configuration",
		"a device tensor as an operand of arithmetic, of `**`, `lerp`, `clamp` or `fill_`: it stays on the device",
		"CPU tensors as sizes",
	},
	Torch: "measured on an H200, torch 2.11: one wait for zeros, arange, full, expand, narrow, index_fill_; which other arguments are " +
		"numbers is from the schemas of torch 2.11, tried on a CPU",
	Over:  []string{"GB105"},
	Calls: torchop.WithNumbersOr("size"),
	Call: func(p *checks.Pass, c *checks.Call) {
		for _, a := range number(c) {
			v := a.Value
			if !v.DeviceTensor() {
				var ok bool
				if v, ok = v.HoldsDevice(); !ok {
					continue
				}
			}
			p.Report(c.Node, v, "`"+p.Text(a.Node)+"` is a device tensor where a number is expected: it is read on the host, which waits")
			return
		}
	},
}

// number returns the arguments that torch takes for numbers. What the hand-written table says of an operation wins, and
// operands that another rule speaks of are left to it.
func number(c *checks.Call) []checks.Arg {
	op, known := torchop.Lookup(c.Name)
	if known && op.Family == "size" {
		return c.Operands()
	}
	n, ok := torchop.Numbers(c.Name)
	if !ok || c.Recv != nil && !c.Recv.IsTensor() { // a module called norm, sub of a regular expression
		return nil
	}
	var others []checks.Arg
	if known {
		others = c.Operands()
	}
	var out []checks.Arg
	at, told := 0, true
	for _, a := range c.Args {
		var number bool
		switch {
		case a.Star > 0: // where the ones behind it stand is not known; their names are
			told = false
		case a.Name != "":
			number = n.Named(a.Name)
		default:
			number = told && n.At(at)
			at++
		}
		if d, known := a.Value.Dim(); !number || known && d > 0 { // of more dimensions torch would raise
			continue
		}
		if !slices.ContainsFunc(others, func(o checks.Arg) bool { return o.Node == a.Node }) {
			out = append(out, a)
		}
	}
	return out
}
