package judge

import (
	"strings"
	"testing"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
)

func TestMark(t *testing.T) {
	lines := `"ev":"lines","file":"/repo/m.py","lines":[3,5,9]`
	suspect := func(rule string, from, to int) finding.Finding {
		return finding.Finding{Rule: rule, Check: finding.CheckSource, Severity: finding.Error, Path: "m.py", Line: from, EndLine: to, Confidence: finding.Likely}
	}
	proven := suspect("GB101", 5, 5)
	proven.Confidence = finding.Proven
	sees := func(rule, check string) bool { return rule == "GB101" && check == finding.CheckSync }
	for name, tc := range map[string]struct {
		writer, lines string
		in            finding.Finding
		want          string // part of what is added, "" for nothing
	}{
		"ran, and nothing was seen":      {"probe", lines, suspect("GB101", 5, 5), "ran this line, and sync saw nothing"},
		"one line of several ran":        {"probe", lines, suspect("GB101", 8, 10), "ran this line"},
		"not run":                        {"probe", lines, suspect("GB101", 6, 8), "no step of the run came here"},
		"proven":                         {"probe", lines, proven, ""},
		"a rule that sync cannot see":    {"probe", lines, suspect("GB703", 5, 5), ""},
		"without the probe":              {"harness", lines, suspect("GB101", 5, 5), ""},
		"lines were not recorded":        {"probe", nothing, suspect("GB101", 5, 5), ""},
		"another finding of the line":    {"probe", lines + "\n" + phase("sync", waited), suspect("GB101", 5, 5), ""},
		"a detector was switched off":    {"probe", lines + "\n" + `"ev":"error","source":"probe","code":"detector_disabled","text":"off"`, suspect("GB101", 5, 5), ""},
		"the step waits at another line": {"probe", lines + "\n" + phase("sync", strings.ReplaceAll(waited, `"line":5`, `"line":9`)), suspect("GB101", 5, 5), "ran this line"},
	} {
		t.Run(name, func(t *testing.T) {
			in := run(t, tc.writer, strings.TrimSpace(tc.lines)+"\n"+phase("sync", nothing))
			all := []finding.Finding{tc.in}
			Mark(all, in, []*dynamic.Result{Check(finding.CheckSync, in)}, sees)
			got := ""
			for _, e := range all[0].Evidence {
				got += e.Message
			}
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
