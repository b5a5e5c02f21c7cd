// Package gb116 is rule GB116, sampling-validation: builds a distribution that checks its arguments on the host.
package gb116

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB116.
var Rule = &checks.Rule{
	ID: "GB116", Name: "sampling-validation", Group: checks.GroupSync, Severity: finding.Error, Tier: 1, Static: true,
	Title: "builds a distribution that checks its arguments on the host",
	Text: "The classes of `torch.distributions` check on construction that the probabilities are valid, and the check " +
		"reads one value on the host. The check is on by default. Sampling itself stays on the device, and so does " +
		"`torch.multinomial`.",
	Before: "tok = torch.distributions.Categorical(logits=logits).sample()",
	After:  "tok = torch.multinomial(logits.softmax(-1), 1)",
	Fix:    "pass validate_args=False, or sample with torch.multinomial or argmax(logits + noise)",
	Fine: []string{
		"`torch.multinomial`: current torch neither waits nor breaks a capture",
		"`Categorical(…, validate_args=False)`",
		"`torch.normal` with a number as the deviation, `normal_`",
		"distributions over CPU tensors",
	},
	Torch: "measured on an H200, torch 2.11: one wait with validation, none without; multinomial in four forms none; torch.normal two with a tensor of deviations",
	Calls: torchop.Family("distribution"),
	Call: func(p *checks.Pass, c *checks.Call) {
		if strings.Contains(c.Name, ".Distribution.") {
			return // sample and log_prob of a distribution that exists
		}
		if c.Name == "torch.normal" {
			if v := c.ParamValue("std"); v.DeviceTensor() {
				p.Report(c.Node, v, "`torch.normal` checks its deviations on the host and waits for the stream")
			}
			return
		}
		if on, known := c.Value(-1, "validate_args").Bool(); known && !on {
			return
		}
		for _, a := range c.Args {
			if a.Value.DeviceTensor() {
				p.Report(c.Node, a.Value, "the check of the distribution's arguments reads a device value and waits for the stream")
				return
			}
		}
	},
}
