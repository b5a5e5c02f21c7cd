package gate

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/internal/finding"
)

// pretend is an interpreter that runs no Python: it writes the trace that the harness would, from a recording. It is
// started as "pretend -u run.py CONFIG.json".
const pretend = `#!/bin/sh
trace=$(sed 's/.*"trace":"\([^"]*\)".*/\1/' "$3")
mode=$(sed 's/.*"mode":"\([^"]*\)".*/\1/' "$3")
case "$(cat behaviour)" in
record) cp "recorded.$mode" "$trace" ;;
exit) head -4 recorded.eager > "$trace"; echo goodbye; exit 7 ;;
silent) exit 1 ;;
garbage) echo '{"ev":"header","schema":"gatebot.trace/v1"}' > "$trace"; echo 'not json' >> "$trace" ;;
hang) sleep 600 & sleep 600 ;;
esac
`

// eagerTrace is a run whose step waits at line 4 in every measured step; captureTrace fails there.
const eagerTrace = `{"ev":"header","t":1,"pid":9,"schema":"gatebot.trace/v1","writer":"harness"}
{"ev":"measure","t":2,"name":"first_step","unit":"count","value":3}
{"ev":"phase","t":3,"name":"eager","at":"enter"}
{"ev":"tensor","t":4,"name":"out","role":"output","mode":"eager","i":3,"shape":[1],"dtype":"torch.float32","digest":"sha256:aa"}
{"ev":"phase","t":5,"name":"eager","at":"exit","status":"ok"}
{"ev":"phase","t":6,"name":"sync","at":"enter"}
{"ev":"step","t":7,"at":"enter","i":3}
{"ev":"region","t":8,"name":"step","at":"enter"}
{"ev":"warning","t":9,"source":"torch.sync_debug","text":"called a synchronizing CUDA operation","frames":[{"file":"m.py","line":4,"func":"step"}]}
{"ev":"region","t":10,"name":"step","at":"exit"}
{"ev":"step","t":11,"at":"exit","i":3}
{"ev":"phase","t":12,"name":"sync","at":"exit","status":"ok"}
{"ev":"end","t":13,"events":12}
`

const captureTrace = `{"ev":"header","t":21,"pid":10,"schema":"gatebot.trace/v1","writer":"harness"}
{"ev":"phase","t":22,"name":"capture","at":"enter"}
{"ev":"measure","t":23,"name":"region","of":"step","unit":"count","value":1}
{"ev":"error","t":24,"source":"user","code":"capture_failed","text":"refused","cuda":900,"of":"step","frames":[{"file":"m.py","line":4,"func":"step"}]}
{"ev":"phase","t":25,"name":"capture","at":"exit","status":"failed","reason":"region step cannot be captured"}
{"ev":"end","t":26,"events":5}
`

const stepModule = "import torch\ndef build(device): return torch.zeros(2, device=\"cuda\")\ndef step(state, i):\n    state.max().item()\n    return state\n"

func stepTree(t *testing.T, behaviour string) string {
	t.Helper()
	dir := treeWith(t, map[string]string{"m.py": stepModule, "behaviour": behaviour, "recorded.eager": eagerTrace,
		"recorded.capture": captureTrace, "pretend": pretend})
	if err := os.Chmod(filepath.Join(dir, "pretend"), 0o700); err != nil {
		t.Fatal(err)
	}
	cfg := "step: {entry: m.py, python: " + filepath.Join(dir, "pretend") + "}\n"
	if err := os.WriteFile(filepath.Join(dir, ".gatebot.yaml"), []byte(cfg), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func onCard() *fakeGPU {
	return &fakeGPU{dev: &finding.Device{Name: "NVIDIA H200"}, report: &device.Report{Status: finding.StatusPass}}
}

func result(r *finding.Results, name string) finding.CheckResult {
	i := slices.IndexFunc(r.Checks, func(c finding.CheckResult) bool { return c.Name == name })
	return r.Checks[i]
}

func TestStepsMergeWithTheSource(t *testing.T) {
	run, err := Check(t.Context(), CheckRequest{Request: Request{Dir: stepTree(t, "record")}, GPU: onCard()})
	if err != nil {
		t.Fatal(err)
	}
	r := run.Results
	if r.Verdict != finding.VerdictFail {
		t.Errorf("verdict %s: %v", r.Verdict, r.Reasons)
	}
	for name, want := range map[string]finding.Status{finding.CheckSync: finding.StatusFail, finding.CheckCapture: finding.StatusFail,
		finding.CheckReplay: finding.StatusNotRun, finding.CheckDrift: finding.StatusError} {
		if c := result(r, name); c.Status != want {
			t.Errorf("%s: %s (%s), want %s", name, c.Status, c.Reason, want)
		}
	}
	var here []finding.Finding
	for _, f := range r.Findings {
		if f.Line == 4 {
			here = append(here, f)
		}
	}
	if len(here) != 1 {
		t.Fatalf("%d findings at line 4: %+v", len(here), here)
	}
	f := here[0]
	kinds := map[string]bool{}
	for _, e := range f.Evidence {
		kinds[e.Kind] = true
	}
	if f.Rule != "GB101" || f.Check != finding.CheckSource || f.Confidence != finding.Proven || f.Region != "step" ||
		!kinds[finding.EvidenceSource] || !kinds[finding.EvidenceSyncDebug] || !kinds[finding.EvidenceAPICall] {
		t.Errorf("%+v", f)
	}
}

func TestStepsThatDoNotEndWell(t *testing.T) {
	for behaviour, want := range map[string]string{
		"exit":    "exit code 7",
		"silent":  "recorded nothing",
		"garbage": "not readable",
	} {
		t.Run(behaviour, func(t *testing.T) {
			run, err := Check(t.Context(), CheckRequest{Request: Request{Dir: stepTree(t, behaviour)}, GPU: onCard()})
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range stepChecks() {
				if c := result(run.Results, name); c.Status != finding.StatusError || !strings.Contains(c.Reason, want) {
					t.Errorf("%s: %s: %s", name, c.Status, c.Reason)
				}
			}
		})
	}
}

func TestTimeLimitEndsTheWholeTree(t *testing.T) {
	start := time.Now()
	_, err := Check(t.Context(), CheckRequest{Request: Request{Dir: stepTree(t, "hang")}, GPU: onCard(), Timeout: 2 * time.Second})
	if err == nil || !strings.Contains(err.Error(), "longer than 2s") {
		t.Errorf("error %v", err)
	}
	if took := time.Since(start); took > 5*time.Minute {
		t.Errorf("waited %s for a process that sleeps", took)
	}
}

func TestOnlyAndMissingEntry(t *testing.T) {
	dir := stepTree(t, "record")
	run, err := Check(t.Context(), CheckRequest{Request: Request{Dir: dir}, GPU: onCard(), Only: []string{finding.CheckSync}})
	if err != nil {
		t.Fatal(err)
	}
	if c := result(run.Results, finding.CheckSync); c.Status != finding.StatusFail {
		t.Errorf("sync: %+v", c)
	}
	if c := result(run.Results, finding.CheckCapture); c.Status != finding.StatusNotRun || c.Required {
		t.Errorf("capture: %+v", c)
	}
	if err := os.Remove(filepath.Join(dir, ".gatebot.yaml")); err != nil {
		t.Fatal(err)
	}
	run, err = Check(t.Context(), CheckRequest{Request: Request{Dir: dir}, GPU: onCard()})
	if err != nil {
		t.Fatal(err)
	}
	if c := result(run.Results, finding.CheckSync); c.Status != finding.StatusNotRun || c.Reason != noEntry || c.Required {
		t.Errorf("no entry: %+v", c)
	}
}

// TestStepsRunFromTheCommitThatIsChecked: a step runs from the working tree, and results name a commit.
func TestStepsRunFromTheCommitThatIsChecked(t *testing.T) {
	dir := stepTree(t, "record")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "a")
	sync := func(rev string) finding.CheckResult {
		t.Helper()
		run, err := Check(t.Context(), CheckRequest{Request: Request{Dir: dir, Rev: rev}, GPU: onCard()})
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Close(); err != nil {
			t.Fatal(err)
		}
		return result(run.Results, finding.CheckSync)
	}
	if c := sync("HEAD"); c.Status != finding.StatusFail {
		t.Errorf("the commit itself: %+v", c)
	}
	if err := os.WriteFile(filepath.Join(dir, "m.py"), []byte(stepModule+"# later\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c := sync("HEAD"); c.Status != finding.StatusNotRun || !c.Required || !strings.Contains(c.Reason, "m.py is changed") {
		t.Errorf("changed since: %+v", c)
	}
	git("commit", "-q", "-a", "-m", "b")
	if c := sync("HEAD~1"); c.Status != finding.StatusNotRun || !c.Required || !strings.Contains(c.Reason, "check it out") {
		t.Errorf("another commit: %+v", c)
	}
}

func rewrite(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
