// Package gb403 is rule GB403, assert-on-device-value: checks the content of a device tensor and raises.
package gb403

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB403.
var Rule = &checks.Rule{
	ID: "GB403", Name: "assert-on-device-value", Group: checks.GroupControl, Severity: finding.Error, Tier: 1, Static: true,
	Title: "checks the content of a device tensor and raises",
	Text: "An assertion on tensor content reads it on the host, with a wait, in every step. Under `python -O` the assertion " +
		"is gone, so test and production run different programs. `torch._assert_async` checks on the device and waits " +
		"for nothing.",
	Before: "assert (ids >= 0).all()",
	After:  "torch._assert_async((ids >= 0).all())",
	Fix:    "use torch._assert_async, or check under a guard that is off in production",
	Fine: []string{
		"`assert x.shape == (n, d)`, `assert x.is_cuda`: metadata of the host",
		"`torch._assert_async`",
		"checks under `if DEBUG`",
	},
	Torch: "measured on an H200, torch 2.11: one wait; _assert_async none",
	Over:  []string{"GB401"},
	Calls: torchop.Family("host-assert"),
	Call: func(p *checks.Pass, c *checks.Call) {
		if v := c.Value(0, "condition"); v.DeviceTensor() {
			p.Report(c.Node, v, "{expr} reads a device value on the host, which waits")
		}
	},
	Truth: func(p *checks.Pass, t *checks.Truth) {
		if !t.Value.DeviceTensor() {
			return
		}
		switch s := t.Stmt.(type) {
		case *pyast.Assert:
			p.Report(t.Node, t.Value, "the assertion on {expr} reads a device value on the host, which waits")
		case *pyast.If:
			if checks.Raises(s.Body) {
				p.Report(t.Node, t.Value, "the check of {expr} reads a device value on the host, which waits")
			}
		}
	},
}
