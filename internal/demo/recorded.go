package demo

import (
	"context"
	"fmt"
	"slices"

	"github.com/gatebot/gatebot/examples/dsv4"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/gate"
)

// onCard is what the verdicts of a recording have to be, by check.
var onCard = map[string]map[string]finding.Status{
	"01-mhc-item": {finding.CheckSync: finding.StatusFail, finding.CheckCapture: finding.StatusFail},
	"phase1-steps": {finding.CheckSync: finding.StatusPass, finding.CheckCapture: finding.StatusPass, finding.CheckReplay: finding.StatusPass,
		finding.CheckDrift: finding.StatusPass},
	"phase2": {finding.CheckCapture: finding.StatusPass, finding.CheckReplay: finding.StatusPass, finding.CheckSpeed: finding.StatusPass},
}

// recorded judges what a card recorded of the code that is checked out, and verifies the verdicts. There is no GPU here: the
// trace is a recording, and is shown as one.
func (s *scenario) recorded(ctx context.Context, name string) error {
	rec, err := dsv4.Recorded(name)
	if err != nil {
		return err
	}
	run, err := gate.Recorded(ctx, gate.CheckRequest{Request: gate.Request{Dir: s.clone.dir, Rev: "HEAD"}, Only: rec.Only}, rec.Input)
	if err != nil {
		return err
	}
	defer func() { _ = run.Close() }() // only readers end with it
	res := run.Results
	device := "an unnamed device"
	if res.Device != nil {
		device = res.Device.Name
	}
	line := s.print.bad
	if res.Verdict == finding.VerdictPass {
		line = s.print.good
	}
	line("recorded", "%s on %s, %s (a recording; judged here, now): %s", name, device, rec.When.Format("2006-01-02"), res.Verdict)
	for _, c := range res.Checks {
		if c.Status != finding.StatusNotRun && c.Name != finding.CheckSource {
			s.print.under(fmt.Sprintf("%-8s %-5s %s", c.Name, c.Status, told(&c)))
		}
	}
	for check, want := range onCard[name] {
		i := slices.IndexFunc(res.Checks, func(c finding.CheckResult) bool { return c.Name == check })
		if i < 0 || res.Checks[i].Status != want {
			return fmt.Errorf("the recording %s: check %s is not %s: %+v", name, check, want, res.Checks)
		}
	}
	return nil
}

// told is the reason of a check, or what it measured.
func told(c *finding.CheckResult) string {
	if c.Reason != "" {
		return c.Reason
	}
	m := c.Metrics
	switch {
	case c.Name == finding.CheckSync:
		return fmt.Sprintf("no wait in %.0f steps", m["steps"])
	case c.Name == finding.CheckReplay:
		return fmt.Sprintf("%.0f steps bit for bit", m["steps"])
	case len(c.Regions) > 1:
		return fmt.Sprintf("%d of %d regions", passed(c.Regions), len(c.Regions))
	}
	return ""
}

func passed(regions []finding.RegionResult) int {
	n := 0
	for _, r := range regions {
		if r.Status == finding.StatusPass {
			n++
		}
	}
	return n
}
