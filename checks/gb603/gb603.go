// Package gb603 is rule GB603, side-stream-not-joined: a side stream that nothing waits for.
package gb603

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB603.
var Rule = &checks.Rule{
	ID: "GB603", Name: "side-stream-not-joined", Group: checks.GroupStream, Severity: finding.Error, Tier: 1, Static: true,
	Title: "leaves work on a side stream that nothing waits for",
	Text: "A side stream that waited for the captured one is being captured too. When the capture ends while nothing has " +
		"waited for it, the driver does not know where its work belongs and the whole capture fails (error 904, " +
		"unjoined work). In eager mode the code after it may read results that are not there yet.",
	Before: "self.side.wait_stream(torch.cuda.current_stream())\nwith torch.cuda.stream(self.side):\n    y = self.branch(x)\nreturn x + y",
	After: "self.side.wait_stream(torch.cuda.current_stream())\nwith torch.cuda.stream(self.side):\n    y = self.branch(x)\n" +
		"torch.cuda.current_stream().wait_stream(self.side)\nreturn x + y",
	Fix: "let the current stream wait for the side stream before its results are used and before the step ends",
	Fine: []string{
		"a join anywhere in the file: wait_stream, an event that is recorded in the block and waited for",
		"a side stream that the host waits for (that is GB107)",
		"streams that have not forked: GB602 says so",
	},
	Torch:    "measured on an H200: ending a capture with unjoined work fails with error 904",
	Mentions: []string{"stream"},
	Done: func(p *checks.Pass) {
		var file string
		for _, s := range region.Sides(p) {
			if file == "" {
				file = p.Lines()
			}
			if !s.Waits(file) || s.Awaited(file) || records(file, s) {
				continue
			}
			p.Report(s.Item, s.Value, "nothing waits for `"+s.Name+"`: a capture cannot end, and what reads its results does not wait")
		}
	},
}

// records reports whether an event follows the work, for which something in the file waits.
func records(file string, s region.Side) bool {
	if !strings.Contains(file, ".wait_event(") && !strings.Contains(file, ".wait(") && !strings.Contains(file, ".synchronize()") {
		return false
	}
	if strings.Contains(file, ".record("+s.Name+")") || strings.Contains(file, ".record(self."+s.Name+")") {
		return true
	}
	for _, c := range region.CallsIn(s.With.Body) {
		switch _, name := region.Method(c); name {
		case "record", "record_event":
			return true
		}
	}
	return false
}
