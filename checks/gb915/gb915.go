// Package gb915 is rule GB915, tracer-formats-tensors: a hook reads or prints the tensors of the step.
package gb915

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB915.
var Rule = &checks.Rule{
	ID: "GB915", Name: "tracer-formats-tensors", Group: checks.GroupLibraries, Severity: finding.Warn, Tier: 2, Static: true,
	Title: "registers a hook that reads or prints the tensors of the step",
	Text: "A forward hook runs in the middle of the step, after the layer that it was put on. One that prints a norm, stores `.item()` or " +
		"copies the activations to the host makes the host wait there, in every layer and every step, although no line of the model " +
		"shows it. In a capture it breaks the recording, and in a replay it does not run at all. The same holds for anomaly detection, " +
		"which looks for NaN in every result.",
	Before: "layer.register_forward_hook(lambda m, a, out: stats.append(out.norm().item()))",
	After:  "layer.register_forward_hook(lambda m, a, out: stats_buf.copy_(out.norm()))  # read after the step",
	Fix:    "let the hook write into a device buffer, or register it in debug runs only",
	Fine: []string{
		"hooks that stay on the device, or look at shapes",
		"hooks under a debug or verbose guard",
		"hooks that are removed again in the same function: a measurement, not the step",
		"tests and benchmarks",
	},
	Torch:    "measured on an H200, torch 2.11: item, print and format of a tensor wait",
	Mentions: []string{"register_forward_hook", "register_forward_pre_hook", "register_module_forward_hook", "set_detect_anomaly", "detect_anomaly"},
	Setup:    true,
	Done: func(p *checks.Pass) {
		calls := region.Calls(p.Node())
		for _, c := range calls {
			switch _, name := region.Method(c); name {
			case "register_forward_hook", "register_forward_pre_hook", "register_module_forward_hook":
				hook(p, c, calls)
			case "set_detect_anomaly", "detect_anomaly":
				if !p.Setup() && strings.HasPrefix(p.Callee(c), "torch.autograd.") && !off(c) {
					p.Report(c, nil, "{expr} reads every result for NaN and waits for each")
				}
			}
		}
	},
}

func off(c *pyast.Call) bool {
	if len(c.Args) == 0 {
		return false
	}
	k, ok := c.Args[0].Value.(*pyast.Const)
	return !ok || k.Kind == pyast.ConstFalse
}

func hook(p *checks.Pass, c *pyast.Call, calls []*pyast.Call) {
	if len(c.Args) == 0 {
		return
	}
	for _, other := range calls {
		if _, name := region.Method(other); name == "remove" {
			return
		}
	}
	var body pyast.Node
	var params []pyast.Param
	switch f := c.Args[0].Value.(type) {
	case *pyast.Lambda:
		body, params = f, f.Params
	default:
		if d := p.Def(p.Value(f)); d != nil {
			body, params = d, d.Params
		}
	}
	if body == nil {
		return
	}
	if at := reads(p, body, params); at != nil {
		p.Report(c, nil, "the hook waits for the device in every step: `"+strings.Join(strings.Fields(p.Text(at)), " ")+"`")
	}
}

// reads is the first place in a hook that brings a tensor to the host, nil when there is none.
func reads(p *checks.Pass, body pyast.Node, params []pyast.Param) pyast.Node {
	tensors := map[string]bool{}
	for i, param := range params {
		if i > 0 && param.Name != "self" && param.Name != "module" {
			tensors[param.Name] = true
		}
	}
	var at pyast.Node
	region.Walk(body, func(n pyast.Node) {
		c, ok := n.(*pyast.Call)
		if !ok || at != nil {
			return
		}
		recv, name := region.Method(c)
		switch {
		case recv != nil && (name == "item" || name == "tolist" || name == "cpu" || name == "numpy") && len(c.Args) == 0:
			at = n
		case recv == nil && (name == "print" || name == "float") && mentions(c, tensors):
			at = n
		}
	})
	return at
}

// mentions reports whether a call is given one of the tensors itself, or a reduction of it.
func mentions(c *pyast.Call, tensors map[string]bool) bool {
	for _, a := range c.Args {
		e := a.Value
		if call, ok := e.(*pyast.Call); ok {
			if recv, _ := region.Method(call); recv != nil {
				e = recv
			}
		}
		if n, ok := e.(*pyast.Name); ok && tensors[n.ID] {
			return true
		}
	}
	return false
}
