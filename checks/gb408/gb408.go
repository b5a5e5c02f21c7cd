// Package gb408 is rule GB408, stop-check-in-region: tests for the end of generation inside the step.
package gb408

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB408.
var Rule = &checks.Rule{
	ID: "GB408", Name: "stop-check-in-region", Group: checks.GroupControl, Severity: finding.Warn, Tier: 2, Static: true,
	Title: "tests for the end of generation inside the step",
	Text: "Whether a sequence has produced its end token is a device value. Testing it on the host inside the step waits " +
		"for the device in every token. The test belongs after the step, where the token is fetched anyway; inside, a " +
		"mask of finished sequences does.",
	Before: "if (next_tok == eos_id).all():\n    return None",
	After:  "finished.logical_or_(next_tok == eos_id)  # the scheduler reads it after the step",
	Fix:    "keep a device mask of finished sequences in the step, and test it on the host after the step",
	Fine: []string{
		"the stop check after the step, outside the captured region",
		"comparing host token ids",
		"a branch on finished sequences that goes on with other work: that is GB401, an error",
	},
	Torch: "measured on an H200, torch 2.11: one wait per test",
	Over:  []string{"GB401", "GB402", "GB404"},
	Truth: func(p *checks.Pass, t *checks.Truth) {
		switch t.Kind {
		case checks.TruthIf, checks.TruthWhile:
			if t.Value.DeviceTensor() && stops(p.Text(t.Node)) && leaves(t.Stmt) {
				p.Report(t.Node, t.Value, "the stop test {expr} reads a device value on the host, which waits")
			}
		}
	},
	Membership: func(p *checks.Pass, m *checks.Membership) {
		if m.Container.DeviceTensor() && stops(p.Text(m.Node)) {
			p.Report(m.Node, m.Container, "the stop test {expr} reads a device value on the host, which waits")
		}
	},
}

// stops reports whether a condition talks about the end of generation.
func stops(text string) bool {
	text = strings.ToLower(text)
	for _, word := range []string{"eos", "stop_", "_stop", "finished", "end_token"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// leaves reports whether the test ends the generation: it is that of a loop, or its suite returns or breaks.
func leaves(s pyast.Stmt) bool {
	branch, ok := s.(*pyast.If)
	if !ok {
		return true
	}
	for _, body := range [][]pyast.Stmt{branch.Body, branch.Else} {
		if len(body) == 0 {
			continue
		}
		switch last := body[len(body)-1].(type) {
		case *pyast.Return:
			return true
		case *pyast.Jump:
			return last.Keyword == "break"
		}
	}
	return false
}
