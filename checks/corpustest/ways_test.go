package corpustest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/registry"
	"github.com/gatebot/gatebot/checks/ruletest"
	"github.com/gatebot/gatebot/internal/finding"
)

// TestWays: the ways in which Python, torch and C++ can be made to read a device value, written down by somebody who wanted
// to get past the scan. Each line with an H has a finding that gates or warns; no other line has an error that gates.
func TestWays(t *testing.T) {
	for _, name := range []string{"statements.py", "numbers.py", "objects.py", "runtime.py", "calls.py", "serving.py", "extension.cu"} {
		t.Run(name, func(t *testing.T) {
			files, path := map[string][]byte{}, "gate_step.py"
			if strings.HasSuffix(name, ".cu") {
				path = name
				files["gate_step.py"] = way(t, strings.TrimSuffix(name, ".cu")+".py")
			}
			src := way(t, name)
			files[path] = src
			told := map[int]string{}
			for _, f := range ruletest.Scan(t, files, checks.Options{Rules: registry.Rules}) {
				if f.Path == path && f.Confidence != finding.Possible && f.Severity.AtLeast(finding.Warn) && told[f.Line] != "error" {
					told[f.Line] = string(f.Severity)
				}
			}
			marked := 0
			for i, line := range strings.Split(string(src), "\n") {
				hazard := strings.HasSuffix(line, "  # H") || strings.HasSuffix(line, "  // H")
				if hazard {
					marked++
				}
				switch got := told[i+1]; {
				case hazard && got == "":
					t.Errorf("%s:%d: not found: %s", name, i+1, strings.TrimSpace(line))
				case !hazard && got == string(finding.Error):
					t.Errorf("%s:%d: an error on code that is fine: %s", name, i+1, strings.TrimSpace(line))
				}
			}
			t.Logf("%d lines with a hazard, all others fine", marked)
		})
	}
}

func way(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "ways", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
