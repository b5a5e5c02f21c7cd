package judge

import (
	"strings"
	"testing"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
)

// TestBlindNeverPasses: a detector that is switched off finds nothing, and what it did not find is no pass.
func TestBlindNeverPasses(t *testing.T) {
	off, err := dynamic.Disabled(" sync, probe.copy,")
	if err != nil {
		t.Fatal(err)
	}
	in := run(t, "probe", phase("sync", waited))
	if r := Check(finding.CheckSync, in); r.Check.Status != finding.StatusFail {
		t.Errorf("not switched off: %+v", r.Check)
	}
	in.Disabled = off
	for _, name := range []string{finding.CheckSync, finding.CheckDrift} {
		if r := Check(name, in); r.Check.Status != finding.StatusError || len(r.Findings) > 0 || name == finding.CheckSync && !strings.Contains(r.Check.Reason, "sync, probe.copy") {
			t.Errorf("%s: %+v, %d findings", name, r.Check, len(r.Findings))
		}
	}
	recorded := run(t, "probe", `"ev":"error","source":"probe","code":"detector_disabled","text":"switched off"`+"\n"+phase("sync", nothing))
	if r := Check(finding.CheckSync, recorded); r.Check.Status != finding.StatusError || !strings.HasPrefix(r.Check.Reason, "switched off") {
		t.Errorf("recorded blind: %+v", r.Check)
	}
	if _, err := dynamic.Disabled("sink"); err == nil || !strings.Contains(err.Error(), `no detector "sink"`) {
		t.Errorf("unknown name: %v", err)
	}
}
