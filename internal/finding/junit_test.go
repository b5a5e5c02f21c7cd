package finding

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"
)

func TestJUnit(t *testing.T) {
	r := &Results{Checks: []CheckResult{
		{Name: CheckSource, Status: StatusFail, Reason: "1 error", DurationMS: 1500},
		{Name: CheckSync, Status: StatusNotRun, Reason: "no CUDA device"},
		{Name: CheckReplay, Status: StatusNotRun, Reason: "no CUDA device", Required: true},
		{Name: CheckSpeed, Status: StatusPass}},
		Findings: []Finding{
			{Rule: "GB101", Name: "tensor-item", Check: CheckSource, Severity: Error, Confidence: Likely, Path: "a&b.py", Line: 3, Column: 5,
				Function: "f", Message: "reads \x00 <x>", Fix: "none"},
			{Rule: "GB301", Check: CheckSource, Severity: Warn, Confidence: Likely, Path: "a.py"},
			{Rule: "GB102", Check: CheckSource, Severity: Error, Confidence: Possible, Path: "a.py"},
			{Rule: "GB103", Check: CheckSource, Severity: Error, Confidence: Likely, Path: "a.py", Suppressed: &Suppression{}}}}
	for failOn, want := range map[Severity]int{Error: 2, Warn: 3} {
		var b bytes.Buffer
		if err := WriteJUnit(&b, r, failOn); err != nil {
			t.Fatal(err)
		}
		var got junitSuites
		if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatalf("not XML: %v\n%s", err, b.String())
		}
		s := got.Suites
		if len(s) != 4 || s[0].Tests != want || s[0].Failures != want || s[0].Time != "1.500" || s[1].Skipped != 1 || s[2].Errors != 1 ||
			s[3].Tests != 1 || s[3].Failures+s[3].Errors+s[3].Skipped != 0 {
			t.Errorf("fail on %s:\n%s", failOn, b.String())
		}
		if c := s[0].Cases[1]; c.Class != "a&b.py::f" || c.Line != 3 || c.Failure == nil || !strings.Contains(c.Failure.Text, "fix: none") ||
			!strings.HasPrefix(c.Failure.Message, "reads ") {
			t.Errorf("case %+v", c)
		}
	}
}
