package probe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/checks/calls"
	"github.com/gatebot/gatebot/checks/registry"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
	"github.com/gatebot/gatebot/internal/verdict"
)

// Ended says how the program ended, for the results; the zero value stands for a recorded trace of which nobody knows.
type Ended struct {
	Known bool
	Code  int
}

// Results judges a run. A trace that is not whole, a probe that could not record, a region that never ran and a program
// that failed without a finding are errors: nothing was shown then, and the findings there are, are given all the same.
func Results(t *trace.Trace, s calls.Scope, failOn finding.Severity, end Ended) *finding.Results {
	j := calls.Judge(t, s)
	for i := range j.Findings {
		f := &j.Findings[i]
		if e, ok := registry.Find(f.Rule); ok {
			f.Name = e.Name
			if e.Rule != nil {
				f.Fix = e.Rule.Fix
			}
		}
	}
	gating := 0
	for i := range j.Findings {
		if j.Findings[i].Gates(failOn) {
			gating++
		}
	}
	check := finding.CheckResult{Name: finding.CheckSync, Status: finding.StatusPass, Required: true, Metrics: map[string]float64{
		"launches": float64(j.Launches), "hazard_calls": float64(j.Calls), "blocked_us": float64(j.Blocked) / 1e3,
		"gating_findings": float64(gating),
	}, Regions: regions(j, s)}
	check.Reason = looked(j, s)
	switch why := broken(t, j, s); {
	case why != "":
		check.Status, check.Reason = finding.StatusError, why
		if end.Known && end.Code != 0 {
			check.Reason = fmt.Sprintf("%s; the command ended with code %d (its output is above)", why, end.Code)
		}
	case gating > 0:
		check.Status = finding.StatusFail
		what := fmt.Sprintf("%d places make the host wait or take memory", gating)
		if gating == 1 {
			what = "one place makes the host wait or takes memory"
		}
		check.Reason = what + ": " + check.Reason
	case end.Known && end.Code != 0:
		check.Status = finding.StatusError
		check.Reason = fmt.Sprintf("the command ended with code %d (its output is above)", end.Code)
	}
	r := &finding.Results{Schema: finding.Schema, Device: device(t), Checks: []finding.CheckResult{check}, Findings: j.Findings}
	r.Summary.Count(r.Findings)
	verdict.Decide(r)
	return r
}

// looked says what a pass rests on.
func looked(j *calls.Result, s calls.Scope) string {
	out := fmt.Sprintf("%d launches", j.Launches)
	if len(s.Regions) > 0 {
		var parts []string
		for _, name := range s.Regions {
			parts = append(parts, fmt.Sprintf("%s (%d×)", name, j.Entered[name]))
		}
		out = fmt.Sprintf("%d launches in %s", j.Launches, strings.Join(parts, ", "))
	}
	return out
}

// broken says why a run shows nothing.
func broken(t *trace.Trace, j *calls.Result, s calls.Scope) string {
	if es := t.Errors(); len(es) > 0 { // the first is the cause
		text := es[0].Source + ": " + es[0].Text
		if es[0].Hint != "" {
			text += " (" + es[0].Hint + ")"
		}
		return text
	}
	if why := t.Incomplete(); why != "" {
		return why
	}
	var never []string
	for _, name := range s.Regions {
		if j.Entered[name] == 0 {
			never = append(never, name)
		}
	}
	switch {
	case len(never) > 0:
		return fmt.Sprintf("%s never ran (is the name right? gatebot trace dump shows the regions there are)", strings.Join(never, ", "))
	case j.Launches == 0 && len(s.Regions) > 0 && !replays(t, s):
		return "no kernel was launched inside the regions"
	case j.Launches == 0 && len(s.Regions) == 0:
		return "no kernel was launched"
	}
	return ""
}

// replays reports whether a graph was launched inside the regions: work without a launch of its own.
func replays(t *trace.Trace, s calls.Scope) bool {
	return slices.ContainsFunc(trace.Of[*trace.API](t), func(a *trace.API) bool {
		return strings.HasSuffix(a.Name, "GraphLaunch") && slices.ContainsFunc(s.Regions, a.In)
	})
}

func regions(j *calls.Result, s calls.Scope) []finding.RegionResult {
	var out []finding.RegionResult
	for _, name := range s.Regions {
		r := finding.RegionResult{Name: name, Status: finding.StatusPass, Metrics: map[string]float64{"entered": float64(j.Entered[name])}}
		if j.Entered[name] == 0 {
			r.Status, r.Reason = finding.StatusNotRun, "never entered"
		}
		for i := range j.Findings {
			if j.Findings[i].Region == name && j.Findings[i].Gates(finding.Error) {
				r.Status = finding.StatusFail
			}
		}
		out = append(out, r)
	}
	return out
}

func device(t *trace.Trace) *finding.Device {
	ds := trace.Of[*trace.Device](t)
	if len(ds) == 0 {
		return nil
	}
	return &finding.Device{Name: ds[0].Name, ComputeCapability: ds[0].CC, Driver: ds[0].Driver, CUDA: ds[0].CUDA, UUID: ds[0].UUID}
}
