// Package gb708 is rule GB708, host-rng: draws random numbers on the host.
package gb708

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB708.
var Rule = &checks.Rule{
	ID: "GB708", Name: "host-rng", Group: checks.GroupReplay, Severity: finding.Warn, Tier: 2, Static: true,
	Title: "draws random numbers on the host",
	Text: "A random number of Python or NumPy is drawn when the code runs. A graph is recorded once and replayed without " +
		"the code, so every replay uses the one number that was drawn at capture: sampling that always takes the same " +
		"turn. The generator of the device is known to the graph and moves on with each replay.",
	Before: "noise = random.random()\nlogits = logits + noise",
	After:  "logits = logits + self.noise.uniform_()  # drawn on the device",
	Fix:    "draw on the device (uniform_, exponential_, torch.rand with device=)",
	Fine: []string{
		"random numbers at load time and in data loading",
		"host code without tensors, such as a scheduler that samples its metrics",
		"`torch.rand(…, device=dev)`, `x.uniform_()` with the default generator",
	},
	Torch: "independent of the version",
	Calls: drawing(),
	Call: func(p *checks.Pass, c *checks.Call) {
		if touchesTensors(p) {
			p.Report(c.Node, nil, "{expr} draws on the host: a graph keeps one draw")
		}
	},
}

// touchesTensors reports whether the function works with tensors at all: a scheduler that samples its metrics does not.
func touchesTensors(p *checks.Pass) bool {
	fn, ok := p.Node().(*pyast.FuncDef)
	if !ok {
		return false
	}
	for _, param := range fn.Params {
		if param.Annotation != nil && strings.Contains(p.Text(param.Annotation), "Tensor") {
			return true
		}
	}
	found := false
	for _, s := range fn.Body {
		pyast.Walk(s, func(n pyast.Node) bool {
			if id, ok := n.(*pyast.Name); ok && id.ID == "torch" {
				found = true
			}
			return !found
		})
	}
	return found
}

func drawing() []string {
	out := []string{"random.random", "random.randint", "random.choice", "random.choices", "random.uniform", "random.gauss",
		"random.sample", "random.shuffle", "random.randrange"}
	for op := range torchop.All() {
		if strings.HasPrefix(op.Name, "numpy.random.") {
			out = append(out, op.Name)
		}
	}
	return out
}
