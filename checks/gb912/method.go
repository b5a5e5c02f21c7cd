package gb912

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
)

// done reports x.block_until_ready(), a method that only JAX's arrays have.
func done(p *checks.Pass) {
	if !strings.Contains(p.Lines(), "jax") {
		return
	}
	for _, c := range region.Calls(p.Node()) {
		if recv, name := region.Method(c); recv != nil && name == "block_until_ready" && len(c.Args) == 0 && p.Callee(c) != "user" {
			p.Report(c, nil, "{expr} waits for the device")
		}
	}
}
