// Package verdict turns checks and findings into the one verdict of a run, with its reasons. It is the only place
// where a verdict is made; it reads data and never what the code under test printed.
package verdict

import (
	"fmt"
	"strings"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
)

// Decide sets r.Verdict and r.Reasons from the required checks:
//
//   - a required check that did not run means that there is no verdict (error): what was asked for was not looked at;
//   - otherwise a required check that failed is a violation (fail), whatever else went wrong beside it;
//   - otherwise a required check that broke is no verdict (error);
//   - a run in which nothing was required has no verdict either.
//
// A pass names the checks that it does not cover.
func Decide(r *finding.Results) {
	by := map[finding.Status][]string{}
	var required int
	var uncovered []string
	for _, c := range r.Checks {
		if c.Required {
			required++
			by[c.Status] = append(by[c.Status], reason(c))
		} else if c.Status == finding.StatusNotRun {
			uncovered = append(uncovered, c.Name)
		}
	}
	r.Reasons = nil
	known := len(by[finding.StatusPass]) + len(by[finding.StatusFail]) + len(by[finding.StatusError]) + len(by[finding.StatusNotRun])
	switch {
	case required == 0:
		r.Verdict = finding.VerdictError
		r.Reasons = []string{"no check was required, so nothing was shown (ask for one whose level in checks: is error, such as capture)"}
		return
	case known != required:
		r.Verdict = finding.VerdictError
		r.Reasons = []string{"a check has an unknown status (results of another version?)"}
		return
	case len(by[finding.StatusNotRun]) > 0:
		r.Verdict = finding.VerdictError
	case len(by[finding.StatusFail]) > 0:
		r.Verdict = finding.VerdictFail
	case len(by[finding.StatusError]) > 0:
		r.Verdict = finding.VerdictError
	default:
		r.Verdict = finding.VerdictPass
	}
	for _, s := range []finding.Status{finding.StatusNotRun, finding.StatusFail, finding.StatusError} {
		r.Reasons = append(r.Reasons, by[s]...)
	}
	if len(uncovered) > 0 {
		r.Reasons = append(r.Reasons, "not covered: "+strings.Join(uncovered, ", "))
	}
}

func reason(c finding.CheckResult) string {
	s := c.Name + ": " + string(c.Status)
	if c.Reason != "" {
		s += ": " + c.Reason
	}
	return s
}

// Source is the outcome of the source check. It fails on any finding that gates at failOn.
func Source(fs []finding.Finding, level config.CheckLevel, failOn finding.Severity) finding.CheckResult {
	c := finding.CheckResult{Name: finding.CheckSource, Status: finding.StatusPass, Required: level.Level != finding.Warn}
	if level.Level == finding.Off {
		c.Status, c.Required, c.Reason = finding.StatusNotRun, false, "turned off in "+config.FileName
		return c
	}
	var gating int
	for i := range fs {
		if fs[i].Gates(failOn) {
			gating++
		}
	}
	c.Metrics = map[string]float64{"gating_findings": float64(gating)}
	if gating > 0 {
		c.Status = finding.StatusFail
		c.Reason = fmt.Sprintf("%d gating finding", gating)
		if gating > 1 {
			c.Reason += "s"
		}
	}
	return c
}

// NotRun is a check that could not be run, with the reason.
func NotRun(name, why string, required bool) finding.CheckResult {
	return finding.CheckResult{Name: name, Status: finding.StatusNotRun, Reason: why, Required: required}
}

// ExitCode maps a verdict to the exit code of DESIGN 5.1.
func ExitCode(v finding.Verdict) int {
	switch v {
	case finding.VerdictPass:
		return 0
	case finding.VerdictFail:
		return 1
	}
	return 3
}
