// Package gb901 is rule GB901, autotune-in-region: kernel variants that are measured inside the step.
package gb901

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB901.
var Rule = &checks.Rule{
	ID: "GB901", Name: "autotune-in-region", Group: checks.GroupLibraries, Severity: finding.Error, Tier: 1, Static: true,
	Title: "measures the variants of a kernel anew when a number that changes per step changes",
	Text: "Triton's autotuner runs every variant of a kernel, and waits for the device, whenever it meets a new value of its " +
		"key. With a step number or a current length in the key that happens in every step, and in the middle of a capture. " +
		"The number is also frozen in the graph, so that replays go on with that of the step that was recorded.",
	Before: "@triton.autotune(configs=CONFIGS, key=[\"n\"])\n@triton.jit\ndef copy(x, y, n, BLOCK: tl.constexpr): ...\n\ncopy[grid](x, y, step + 1)",
	After:  "@triton.autotune(configs=CONFIGS, key=[\"capacity\"])\n@triton.jit\ndef copy(x, y, n_ptr, capacity, BLOCK: tl.constexpr): ...\n\ncopy[grid](x, y, n, 1024)  # n is on the device",
	Fix:    "key the autotuner on what is fixed for the graph, and pass what changes in a device tensor",
	Fine: []string{
		"keys that follow shapes and dtypes: they are fixed for each graph, and warm-up meets them",
		"constants",
	},
	Torch: "measured on an H200, torch 2.11: the capture succeeds when the value is known to the tuner, and replays are wrong",
	Call:  call,
}

// perStep are the usual names of what grows by one in each step.
var perStep = map[string]bool{"i": true, "step": true, "step_idx": true, "step_id": true, "cur_step": true, "pos": true,
	"position": true, "cur_pos": true, "start_pos": true, "cur_len": true, "current_len": true, "past_len": true,
	"cache_len": true, "iteration": true}

func call(p *checks.Pass, c *checks.Call) {
	kernel, here := p.Kernel(c)
	if kernel == nil {
		return
	}
	key, names := keyOf(kernel)
	for _, name := range names {
		a, ok := argument(c, kernel, name)
		if !ok || a.Value != nil && (a.Value.Const != nil || a.Value.IsTensor()) || !changes(p, a.Node) {
			continue
		}
		p.Report(c.Node, a.Value, "{expr} gives the autotuner a new `"+name+"` in every step, for which it measures all variants",
			checks.WithConfidence(finding.Likely))
		if here {
			p.Report(key, a.Value, "{expr} holds `"+name+"`, which changes in every step", checks.WithConfidence(finding.Likely))
		}
	}
}

// keyOf is the key of the autotuner of a kernel: the names of parameters.
func keyOf(kernel *pyast.FuncDef) (key pyast.Node, names []string) {
	for _, d := range kernel.Decorators {
		c, ok := d.(*pyast.Call)
		if !ok {
			continue
		}
		switch f := c.Func.(type) {
		case *pyast.Attr:
			ok = f.Name == "autotune"
		case *pyast.Name:
			ok = f.ID == "autotune"
		default:
			ok = false
		}
		if !ok {
			continue
		}
		for _, a := range c.Args {
			list, isList := a.Value.(*pyast.List)
			if a.Name != "key" || !isList {
				continue
			}
			for _, e := range list.Elts {
				if s, ok := e.(*pyast.Const); ok && s.Kind == pyast.ConstString {
					names = append(names, s.Text)
				}
			}
			return list, names
		}
	}
	return nil, nil
}

// argument is what a launch passes for a parameter of the kernel.
func argument(c *checks.Call, kernel *pyast.FuncDef, name string) (checks.Arg, bool) {
	for i, param := range kernel.Params {
		if param.Name == name {
			return c.Arg(i, name)
		}
	}
	return checks.Arg{}, false
}

// changes reports whether an expression follows a parameter of the function that counts steps.
func changes(p *checks.Pass, e pyast.Expr) bool {
	f, ok := p.Node().(*pyast.FuncDef)
	if !ok || e == nil {
		return false
	}
	counts := map[string]bool{}
	for _, param := range f.Params {
		counts[param.Name] = perStep[param.Name]
	}
	found := false
	pyast.Walk(e, func(n pyast.Node) bool {
		if x, ok := n.(*pyast.Name); ok && counts[x.ID] {
			found = true
		}
		return !found
	})
	return found
}
