package github

import (
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/finding"
)

func TestProse(t *testing.T) {
	for in, want := range map[string]string{
		"`.item()` waits":        "`.item()` waits",
		"a * b | `x|y` <b>":      "a \\* b \\| `x\\|y` &lt;b&gt;",
		"odd ` tick":             "odd \\` tick",
		"empty `` span":          "empty \\`\\` span",
		"":                       "–",
		"two `a` and `b`\nlines": "two `a` and `b` lines",
	} {
		if got := prose(in); got != want {
			t.Errorf("prose(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestChecksThatDidNotRunForOneReasonShareARow(t *testing.T) {
	var b strings.Builder
	checkTable(&b, []finding.CheckResult{
		{Name: "source", Status: finding.StatusPass, Required: true, DurationMS: 7},
		{Name: "sync", Status: finding.StatusNotRun, Reason: "no CUDA device"},
		{Name: "capture", Status: finding.StatusNotRun, Reason: "no CUDA device"},
		{Name: "replay", Status: finding.StatusNotRun, Reason: "no CUDA device", Required: true},
	})
	want := "| Check | Status | Required | Time | Reason |\n|---|---|---|---:|---|\n" +
		"| source | pass | yes | 7 ms | – |\n" +
		"| sync, capture | not run | no | – | no CUDA device |\n" +
		"| replay | not run | yes | – | no CUDA device |\n\n"
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
