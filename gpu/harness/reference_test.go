package harness

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/checks/judge"
	"github.com/gatebot/gatebot/internal/finding"
)

// TestReferenceRunsFirst: in its own tree, without the probe's regions, and what breaks in it breaks nothing but the
// comparison.
func TestReferenceRunsFirst(t *testing.T) {
	whole := `{"ev":"end","t":30,"events":11}`
	asked := `{"ev":"measure","t":1,"name":"first_step","unit":"count","value":3}` + "\n" +
		`{"ev":"measure","t":1,"name":"reference","of":"base","unit":"count","value":1}`
	synced := `{"ev":"phase","t":4,"name":"sync","at":"enter"}` + "\n" + `{"ev":"step","t":5,"at":"enter","i":3}` + "\n" +
		`{"ev":"region","t":6,"name":"step","at":"enter"}` + "\n" + `{"ev":"region","t":7,"name":"step","at":"exit"}` + "\n" +
		`{"ev":"step","t":8,"at":"exit","i":3}` + "\n" + `{"ev":"phase","t":9,"name":"sync","at":"exit","status":"ok"}`
	for name, tc := range map[string]struct{ reference, want string }{
		"dies": {write(header) + "exit 4\n", "exit code 4"},
		"fails": {write(header, `{"ev":"phase","t":2,"name":"reference","at":"enter"}`, `{"ev":"error","t":3,"source":"user","code":"exception","text":"reference base: no"}`,
			`{"ev":"phase","t":4,"name":"reference","at":"exit","status":"failed"}`, `{"ev":"end","t":5,"events":4}`), "nothing was compared with base: reference base: no"},
		"silent": {"exit 0\n", "recorded nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "log")
			py := script(t, "pwd -P >> "+log+"\ncat \"$3\" >> "+log+"\necho >> "+log+"\ncase \"$(cat \"$3\")\" in\n"+
				`*'"mode":"reference"'*)`+"\n"+tc.reference+";;\n"+`*'"mode":"eager"'*)`+"\n"+write(header, asked, eager, synced, whole)+";;\nesac\n")
			head, base := module(t, nil), module(t, nil)
			run, err := Drive(t.Context(), Request{Root: head, Entry: head + "/m.py", Python: py, Capture: []string{"a.pre"}, Checks: []string{finding.CheckSync},
				Reference: &Reference{Root: base, Entry: base + "/m.py", Label: "base"}, Batch: []string{"x"}})
			if err != nil {
				t.Fatal(err)
			}
			in := &dynamic.Input{Trace: run.Trace, Root: head, Died: run.Died}
			if r := judge.Check(finding.CheckSync, in); r.Check.Status != finding.StatusPass {
				t.Errorf("sync: %+v", r.Check)
			}
			if r := judge.Check(finding.CheckReplay, in); r.Check.Status != finding.StatusError || !strings.Contains(r.Check.Reason, tc.want) {
				t.Errorf("replay: %+v", r.Check)
			}
			data, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Split(strings.TrimSpace(string(data)), "\n")
			if len(got) != 4 || got[0] != base || got[2] != head {
				t.Fatalf("%q", got)
			}
			for i, want := range map[int][]string{1: {`"entry":"` + base + `/m.py"`, `"root":"` + base + `"`, `"step":"step"`, `"foreign":"` + head + `"`, `"capture":[]`, `"against":null`, `"invariance":null`},
				3: {`"entry":"` + head + `/m.py"`, `"capture":["a.pre"]`, `"against":{"label":"base","tolerance":"exact"}`, `"invariance":{"batch":["x"],"scratch":[]}`}} {
				for _, w := range want {
					if !strings.Contains(got[i], w) {
						t.Errorf("%s lacks %s", got[i], w)
					}
				}
			}
		})
	}
}
