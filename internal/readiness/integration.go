package readiness

import (
	"fmt"

	"github.com/gatebot/gatebot/internal/finding"
)

// integration is section D: how far the way to a captured and gated step is.
func integration(in Input) []Block {
	gated := "no: there is no gate configuration in the history"
	if !in.GatedSince.IsZero() {
		gated = fmt.Sprintf("%s (%s)", in.GatedSince.UTC().Format("2006-01-02"), short(in.GatedCommit))
	}
	return []Block{{Head: []string{"Step", "State"}, Rows: [][]string{
		{"Regions captured", captured(check(in.Results, finding.CheckCapture))},
		{"Replay verified", replayed(check(in.Results, finding.CheckReplay))},
		{"Speed-up", speedup(check(in.Results, finding.CheckSpeed))},
		{"Gated since", gated},
	}}}
}

func captured(c *finding.CheckResult) string {
	switch {
	case c == nil || c.Status == finding.StatusNotRun:
		return notRun(c)
	case len(c.Regions) == 0:
		return "the whole step: " + outcome(c)
	}
	n := 0
	for _, g := range c.Regions {
		if g.Status == finding.StatusPass {
			n++
		}
	}
	return fmt.Sprintf("%d of %d", n, len(c.Regions))
}

func replayed(c *finding.CheckResult) string {
	if c == nil || c.Status == finding.StatusNotRun {
		return notRun(c)
	}
	text := outcome(c)
	if n, ok := c.Metrics[metricSteps]; ok {
		text += fmt.Sprintf(" over %s steps", number(n))
	}
	return text
}

func speedup(c *finding.CheckResult) string {
	if c == nil || c.Status == finding.StatusNotRun {
		return notRun(c)
	}
	if x, ok := c.Metrics[metricSpeedup]; ok {
		return number(x) + "×"
	}
	return outcome(c)
}

func notRun(c *finding.CheckResult) string {
	if c == nil {
		return "no results"
	}
	return "not run: " + c.Reason
}

func outcome(c *finding.CheckResult) string {
	if c.Status == finding.StatusPass || c.Reason == "" {
		return string(c.Status)
	}
	return string(c.Status) + ": " + c.Reason
}
