package gate

import (
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/finding"
)

// hidden is a step module whose wait the scan cannot see; the recorded trace says that line 4 waits.
const hidden = "import torch, helper\ndef build(device): return torch.zeros(2, device=\"cuda\")\ndef step(state, i):\n    helper.go(state)COMMENT\n    return state\n"

func TestCommentsAllowWhatOnlyTheDeviceShows(t *testing.T) {
	for name, tc := range map[string]struct {
		comment    string
		only       []string
		suppressed string
		status     finding.Status
		idle       finding.Severity // of the GB001 finding, "" for none
	}{
		"no comment":              {"", []string{finding.CheckSync}, "", finding.StatusFail, ""},
		"allowed":                 {"  # gatebot: allow[GB103] once, after the sampler", []string{finding.CheckSync}, "once, after the sampler", finding.StatusPass, ""},
		"another rule":            {"  # gatebot: allow[GB301] pool", []string{finding.CheckSync}, "", finding.StatusFail, finding.Warn},
		"vLLM's form":             {"  # gpu-sync-ok: measured", []string{finding.CheckSync}, "measured", finding.StatusPass, ""},
		"only the source":         {"  # gatebot: allow[GB103] why", []string{finding.CheckSource}, "", finding.StatusNotRun, finding.Warn},
		"a rule of no GPU check":  {"  # gatebot: allow[GB001] why", []string{finding.CheckSync}, "", finding.StatusFail, finding.Warn},
		"a rule of the card only": {"  # gatebot: allow[GB716] why", []string{finding.CheckSource}, "", finding.StatusNotRun, finding.Info},
		"expired":                 {"  # gatebot: allow[GB103] until=2020-01-01 why", []string{finding.CheckSync}, "", finding.StatusFail, finding.Warn},
	} {
		t.Run(name, func(t *testing.T) {
			dir := stepTree(t, "record")
			put := map[string]string{"m.py": strings.Replace(hidden, "COMMENT", tc.comment, 1)}
			for name, text := range put {
				rewrite(t, dir, name, text)
			}
			run, err := Check(t.Context(), CheckRequest{Request: Request{Dir: dir}, GPU: onCard(), Only: tc.only})
			if err != nil {
				t.Fatal(err)
			}
			if c := result(run.Results, finding.CheckSync); c.Status != tc.status {
				t.Errorf("sync: %s (%s)", c.Status, c.Reason)
			}
			var idle finding.Severity
			for _, f := range run.Results.Findings {
				switch {
				case f.Rule == "GB001":
					idle = f.Severity
				case f.Check == finding.CheckSync && (f.Suppressed == nil) != (tc.suppressed == "") ||
					f.Suppressed != nil && (f.Suppressed.Reason != tc.suppressed || f.Suppressed.By != "inline"):
					t.Errorf("%s: suppressed %+v", f.Rule, f.Suppressed)
				}
			}
			if idle != tc.idle {
				t.Errorf("remark about the comment: %q, want %q", idle, tc.idle)
			}
		})
	}
}
