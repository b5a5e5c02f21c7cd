// Package gb304 is rule GB304, cache-flush: gives memory back to the driver in the step.
package gb304

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB304.
var Rule = &checks.Rule{
	ID: "GB304", Name: "cache-flush", Group: checks.GroupAlloc, Severity: finding.Error, Tier: 1, Static: true,
	Title: "gives memory back to the driver in the step",
	Text: "torch keeps freed memory to hand it out again without asking the driver. Emptying that cache frees memory for " +
		"real, which makes the driver wait for the device, and the next allocation pays again. Inside a capture the " +
		"call does nothing at best.",
	Before: "del logits\ntorch.cuda.empty_cache()",
	After:  "del logits",
	Fix:    "remove it from the step",
	Fine: []string{
		"memory hygiene at load time or between requests",
	},
	Torch: "torch skips it during a capture; the host variant is refused there",
	Calls: torchop.Family("cache-flush"),
	Call:  checks.Always("{expr} frees device memory, for which the driver waits for the device"),
}
