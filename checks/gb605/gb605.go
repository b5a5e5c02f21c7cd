// Package gb605 is rule GB605, query-during-capture: polls a stream or an event in the step.
package gb605

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB605.
var Rule = &checks.Rule{
	ID: "GB605", Name: "query-during-capture", Group: checks.GroupStream, Severity: finding.Error, Tier: 1, Static: true,
	Title: "polls a stream or an event in the step",
	Text: "Asking whether a stream or an event is done does not block, but during a capture there is nothing to ask: the " +
		"work is being recorded and not run. The driver refuses the question and the capture is lost. What follows the " +
		"answer would be a host branch on device progress anyway.",
	Before: "if copied.query():\n    use(buf)",
	After:  "torch.cuda.current_stream().wait_event(copied)\nuse(buf)",
	Fix:    "order the work with wait_event and drop the question",
	Fine: []string{
		"a scheduler that polls between steps",
		"`query` of other classes",
	},
	Torch: "measured on an H200, torch 2.11: querying the capturing stream breaks the capture",
	Calls: torchop.Family("query"),
	Call:  checks.Always("{expr} asks the driver for progress, which a capture does not allow"),
}
