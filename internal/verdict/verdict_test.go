package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
)

func check(name string, s finding.Status, required bool) finding.CheckResult {
	return finding.CheckResult{Name: name, Status: s, Required: required}
}

func TestDecide(t *testing.T) {
	const (
		pass, fail, broke, notRun = finding.StatusPass, finding.StatusFail, finding.StatusError, finding.StatusNotRun
	)
	for name, tc := range map[string]struct {
		checks  []finding.CheckResult
		want    finding.Verdict
		reasons []string
	}{
		"all pass": {[]finding.CheckResult{check("source", pass, true), check("capture", pass, true)}, finding.VerdictPass, nil},
		"a pass says what it does not cover": {[]finding.CheckResult{check("source", pass, true), check("capture", notRun, false)},
			finding.VerdictPass, []string{"not covered: capture"}},
		"required and not run is no verdict": {[]finding.CheckResult{check("source", pass, true), check("capture", notRun, true)},
			finding.VerdictError, []string{"capture: not_run"}},
		"not run wins over fail": {[]finding.CheckResult{check("source", fail, true), check("capture", notRun, true)},
			finding.VerdictError, []string{"capture: not_run", "source: fail"}},
		"a violation beside a broken check is a violation": {[]finding.CheckResult{check("source", fail, true), check("capture", broke, true)},
			finding.VerdictFail, []string{"source: fail", "capture: error"}},
		"broken is no verdict":     {[]finding.CheckResult{check("source", pass, true), check("capture", broke, true)}, finding.VerdictError, []string{"capture: error"}},
		"failing and not required": {[]finding.CheckResult{check("source", pass, true), check("speed", fail, false)}, finding.VerdictPass, nil},
		"nothing required":         {[]finding.CheckResult{check("source", pass, false)}, finding.VerdictError, []string{"no check was required, so nothing was shown (ask for one whose level in checks: is error, such as capture)"}},
		"no checks at all":         {nil, finding.VerdictError, []string{"no check was required, so nothing was shown (ask for one whose level in checks: is error, such as capture)"}},
		"unknown status":           {[]finding.CheckResult{check("source", "skipped", true)}, finding.VerdictError, []string{"a check has an unknown status (results of another version?)"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := &finding.Results{Checks: tc.checks}
			Decide(r)
			if r.Verdict != tc.want {
				t.Errorf("verdict %s, want %s", r.Verdict, tc.want)
			}
			if d := cmp.Diff(tc.reasons, r.Reasons); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSource(t *testing.T) {
	f := func(s finding.Severity, c finding.Confidence, sup *finding.Suppression) finding.Finding {
		return finding.Finding{Severity: s, Confidence: c, Suppressed: sup}
	}
	guard := &finding.Suppression{By: "guard", Reason: "VERBOSE >= 2"}
	for name, tc := range map[string]struct {
		f      finding.Finding
		failOn finding.Severity
		want   finding.Status
	}{
		"error":            {f(finding.Error, finding.Likely, nil), finding.Error, finding.StatusFail},
		"warn":             {f(finding.Warn, finding.Likely, nil), finding.Error, finding.StatusPass},
		"warn at warn":     {f(finding.Warn, finding.Proven, nil), finding.Warn, finding.StatusFail},
		"possible":         {f(finding.Error, finding.Possible, nil), finding.Error, finding.StatusPass},
		"suppressed":       {f(finding.Error, finding.Likely, guard), finding.Error, finding.StatusPass},
		"unknown severity": {f("fatal", finding.Likely, nil), finding.Warn, finding.StatusPass},
		"info never gates": {f(finding.Info, finding.Likely, nil), finding.Warn, finding.StatusPass},
	} {
		t.Run(name, func(t *testing.T) {
			if c := Source([]finding.Finding{tc.f}, config.CheckLevel{}, tc.failOn); c.Status != tc.want || !c.Required {
				t.Errorf("got %+v, want %s", c, tc.want)
			}
		})
	}
	if c := Source(nil, config.CheckLevel{Level: finding.Off}, finding.Error); c.Status != finding.StatusNotRun || c.Required {
		t.Errorf("turned off: %+v", c)
	}
}

func TestExitCode(t *testing.T) {
	for v, want := range map[finding.Verdict]int{finding.VerdictPass: 0, finding.VerdictFail: 1, finding.VerdictError: 3, "": 3} {
		if got := ExitCode(v); got != want {
			t.Errorf("%q: %d, want %d", v, got, want)
		}
	}
}
