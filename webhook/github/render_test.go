package github

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/internal/finding"
)

var update = flag.Bool("update", false, "write the golden files anew")

func hazard(path string, line int, severity finding.Severity) finding.Finding {
	return finding.Finding{
		Rule: "GB101", Name: "tensor-item", Severity: severity, Check: finding.CheckSource, Path: path, Line: line,
		Column: 9, EndLine: line, EndColumn: 25, Function: "Model.forward",
		Message:     "x.max().item() reads a device value on the host: a full sync each step",
		Fix:         "keep the value on the device and mask with torch.where",
		Fingerprint: fmt.Sprintf("%s-%d-%s", path, line, severity), Confidence: finding.Likely,
		Evidence: []finding.Evidence{
			{Kind: finding.EvidenceSource, Path: path, Line: line, Code: "if x.max().item() > 0:"},
			{Kind: finding.EvidenceFlow, Message: "x is the parameter of a forward", Path: path, Line: line - 4},
			{Kind: finding.EvidenceHotPath, Frames: []string{"Model.decode_step", "Model.forward"}},
		},
	}
}

func results(v finding.Verdict, fs ...finding.Finding) *finding.Results {
	status := finding.StatusPass
	if v == finding.VerdictFail {
		status = finding.StatusFail
	}
	return &finding.Results{
		Schema: finding.Schema, Tool: finding.Tool{Name: "gatebot", Version: "0.1.0"}, Verdict: v, Findings: fs,
		Commit: strings.Repeat("a1", 20), ConfigHash: "default",
		Checks: []finding.CheckResult{
			{Name: "source", Status: status, Required: true, DurationMS: 12},
			{Name: "capture", Status: finding.StatusNotRun, Reason: "no CUDA device on this machine"},
		},
		Summary: finding.Summary{Files: 3, Functions: 20, HotFunctions: 4},
	}
}

func TestRender(t *testing.T) {
	old := hazard("dsv4/moe.py", 40, finding.Error)
	old.Suppressed = &finding.Suppression{Reason: "in the base already", By: "baseline"}
	allowed := hazard("dsv4/moe.py", 50, finding.Error)
	allowed.Suppressed = &finding.Suppression{Reason: "once, at | load <b>", By: "inline"}
	wide := hazard("dsv4/model.py", 30, finding.Warn)
	wide.EndLine = 32
	possible := hazard("dsv4/model.py", 60, finding.Error)
	possible.Confidence = finding.Possible
	placeless := hazard("", 0, finding.Error)
	placeless.Region, placeless.Rule, placeless.Name, placeless.Confidence = "L00", "GB205", "sync-call", finding.Proven

	broken := results(finding.VerdictFail)
	broken.Checks = []finding.CheckResult{
		{Name: "source", Status: finding.StatusPass, Required: true},
		{Name: "capture", Status: finding.StatusFail, Required: true, DurationMS: 900, Regions: []finding.RegionResult{
			{Name: "L00", Status: finding.StatusPass},
			{Name: "L01", Status: finding.StatusFail, Reason: "empty graph"},
		}},
	}
	broken.Device = &finding.Device{Name: "NVIDIA B200", Driver: "580.65"}
	unknown := results(finding.VerdictError)
	unknown.Reasons = []string{"capture: not_run: no CUDA device on this machine"}

	ctx := Context{Head: strings.Repeat("a1", 20), Base: strings.Repeat("b2", 20), PR: 7, Attempt: 1, Runner: "b200-1"}
	for _, tc := range []struct {
		name string
		in   *finding.Results
	}{
		{"fail", results(finding.VerdictFail, old, allowed, wide, possible, placeless,
			hazard("dsv4/model.py", 14, finding.Error), hazard("dsv4/model.py", 14, finding.Error))},
		{"pass", results(finding.VerdictPass)},
		{"pass_preexisting", results(finding.VerdictPass, old, allowed)},
		{"check_failed", broken},
		{"no_verdict", unknown},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := Render(tc.in, ctx)
			annotations, err := json.MarshalIndent(r.Annotations, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("TITLE\n%s\nSUMMARY\n%sTEXT\n%sANNOTATIONS\n%s\n", r.Output.Title, r.Output.Summary,
				r.Output.Text, annotations)
			golden(t, filepath.Join("testdata", tc.name+".golden"), got)
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}

func TestRenderKeepsTheLimits(t *testing.T) {
	var fs []finding.Finding
	for i := range 400 {
		f := hazard("pkg/"+strings.Repeat("long", 60)+".py", i+10, finding.Error)
		f.Message = strings.Repeat("é|", 400)
		if i%2 == 1 {
			f.Severity = finding.Warn
		}
		fs = append(fs, f)
	}
	r := Render(results(finding.VerdictFail, fs...), Context{Head: "a"})
	if len(r.Annotations) != MaxAnnotations {
		t.Errorf("%d annotations, want %d", len(r.Annotations), MaxAnnotations)
	}
	for i, a := range r.Annotations {
		if a.Level != LevelFailure {
			t.Fatalf("annotation %d is a %s: errors go first", i, a.Level)
		}
	}
	if !strings.Contains(r.Output.Text, "200 findings not annotated") {
		t.Error("the text does not say how many were left out")
	}
	out := output(r.Output, r.Annotations)
	if n := len(out.GetText()); n > MaxText {
		t.Errorf("text of %d bytes", n)
	}
	if n := len(out.GetSummary()); n > MaxText {
		t.Errorf("summary of %d bytes", n)
	}
}
