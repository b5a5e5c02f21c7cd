// Package gb912 is rule GB912, jax-host-transfer: JAX waits for the device inside the step.
package gb912

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB912.
var Rule = &checks.Rule{
	ID: "GB912", Name: "jax-host-transfer", Group: checks.GroupLibraries, Severity: finding.Warn, Tier: 3, Static: true,
	Title: "brings JAX arrays to the host or waits for them inside the step",
	Text: "JAX queues work and returns at once, with an array that fills later. `jax.device_get` copies it to the host and " +
		"`block_until_ready` waits for it; both end the overlap of host and device in every step, and neither can be part of a graph. " +
		"`jax.transfer_guard(\"disallow\")` turns transfers that nobody wrote into errors.",
	Before: "tokens = jax.device_get(next_token(state))",
	After:  "tokens = next_token(state)  # read after the step, where it is needed",
	Fix:    "read arrays after the step, and run the step under jax.transfer_guard(\"disallow\")",
	Fine: []string{
		"`jax.device_put` at load time",
		"measuring: `block_until_ready` in benchmarks",
	},
	Torch:    "independent of torch",
	Calls:    []string{"jax.device_get", "jax.block_until_ready"},
	Call:     checks.Always("{expr} waits for the device"),
	Mentions: []string{"block_until_ready"},
	Done:     done,
}
