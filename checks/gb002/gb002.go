// Package gb002 is rule GB002, unreadable-file: could not be read or parsed, so nothing is known about it.
package gb002

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB002.
var Rule = &checks.Rule{
	ID: "GB002", Name: "unreadable-file", Group: checks.GroupGate, Severity: finding.Warn, Tier: 1, Static: true,
	Title: "could not be read or parsed, so nothing is known about it",
	Text: "A file that the scan cannot look into (too large, not Python as the grammar knows it, too slow to parse, not " +
		"text) may hold any hazard. Saying nothing about it would look like a clean bill, so the file itself is a " +
		"finding, with the reason.",
	Before: "print \"step\", n",
	After:  "print(\"step\", n)",
	Fix:    "make the file readable, or exclude its path in the configuration",
	Fine: []string{
		"files that `hot_path.exclude` names",
	},
	Torch: "independent of torch",
}
