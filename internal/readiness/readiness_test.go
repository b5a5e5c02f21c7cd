package readiness

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
)

func f(rule, path string, line int) finding.Finding {
	return finding.Finding{Rule: rule, Path: path, Line: line, Severity: finding.Error, Confidence: finding.Likely,
		Check: finding.CheckSource, Fingerprint: rule + path}
}

// sample is what a project half-way has.
func sample() Input {
	allowed := f("GB101", "log.py", 3)
	allowed.Suppressed = &finding.Suppression{Reason: "outside of the graph", By: "inline"}
	fromTrace := f("GB908", "att.py", 7)
	fromTrace.Check = finding.CheckSync
	pass := finding.StatusPass
	return Input{
		Commit: strings.Repeat("b", 40), ResultsFile: "r.json", Ran: time.Date(2026, 6, 3, 22, 0, 0, 0, time.UTC),
		Results: &finding.Results{Commit: strings.Repeat("a", 40), Verdict: finding.VerdictFail,
			Device: &finding.Device{Name: "NVIDIA B200", ComputeCapability: "10.0", CUDA: "13.0"},
			Checks: []finding.CheckResult{{Name: "sync", Status: finding.StatusFail, Reason: "1 sync | step", Metrics: map[string]float64{"calls_per_step": 2}},
				{Name: "capture", Status: finding.StatusFail, Regions: []finding.RegionResult{{Name: "L00", Status: pass},
					{Name: "L01", Status: finding.StatusFail, Reason: "stream"}}},
				{Name: "replay", Status: pass, Metrics: map[string]float64{"steps": 12}},
				{Name: "speed", Status: pass, Metrics: map[string]float64{"speedup": 1.41666}}},
			Findings: []finding.Finding{fromTrace}},
		Now:       []finding.Finding{f("GB301", "moe.py", 9), allowed},
		Before:    []finding.Finding{f("GB101", "mhc.py", 4), f("GB101", "moe.py", 5), f("GB301", "moe.py", 9)},
		BeforeRev: strings.Repeat("c", 40),
		Classes: []Class{{"Device to host", []string{"GB101"}}, {"Shapes", []string{"GB201"}}, {"Allocations", []string{"GB301"}},
			{"Replay", []string{"GB908"}}},
		Fixes: []Fix{{Commit: strings.Repeat("d", 40), Rule: "GB101", Description: "mhc.py: .item() removed from __call__"},
			{Commit: strings.Repeat("e", 40), Rule: "GB101", Description: "moe.py", Regressed: true}},
		Hazards: []config.Hazard{{ID: "1", Title: "Compressor returns nothing", Status: "deferred", Phase: "2", Fix: "eager section", Rules: []string{"GB201"}},
			{ID: "2", Title: "Allocations", Status: "done", Fix: "buffers", Rules: []string{"GB3xx"}},
			{ID: "3", Title: "Counts | per expert", Status: "done", Rules: []string{"GB101"}},
			{ID: "4", Title: "By hand", Status: "done"}, {ID: "5", Title: "Attention", Rules: []string{"GB908"}}},
		GatedSince: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), GatedCommit: strings.Repeat("f", 40),
	}
}

func updated(t *testing.T, doc string, in Input) string {
	t.Helper()
	out, err := Update([]byte(doc), in, "Violation Fix Log")
	if err != nil {
		t.Fatal(err)
	}
	again, err := Update(out, in, "Violation Fix Log")
	if err != nil || string(again) != string(out) {
		t.Errorf("again: %v\n%s", err, cmp.Diff(string(out), string(again)))
	}
	return string(out)
}

func TestNewDocument(t *testing.T) {
	want, err := os.ReadFile(filepath.Join("testdata", "new.md"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), updated(t, "", sample())); d != "" {
		t.Error(d)
	}
}

// TestHandKeptDocument: every line that people wrote is there, in order, and each section lies below its heading.
func TestHandKeptDocument(t *testing.T) {
	doc := "Readiness\n\nSECTION A — The detector ✅ DONE\n\n• text\n\n```\n## B. not this one\n```\nSECTION B — The checklist\nright below\n\n" +
		"## C. Hazards\n\n#\tHazard\n1\tby hand\n\nViolation Fix Log\n\nCommit\tDescription\naaaaaa1\tby hand"
	out := updated(t, doc, sample())
	rest := out
	for _, l := range strings.Split(doc, "\n") {
		i := strings.Index(rest, l)
		if i < 0 {
			t.Fatalf("%q is gone:\n%s", l, out)
		}
		rest = rest[i+len(l):]
	}
	order := []string{"SECTION A —", "readiness:a:begin", "• text", "## B. not this one", "SECTION B —", "readiness:b:begin", "right below",
		"## C. Hazards", "readiness:c:begin", "by hand", "## D. Integration", "readiness:d:end", "Violation Fix Log"}
	at := 0
	for _, o := range order {
		i := strings.Index(out[at:], o)
		if i < 0 {
			t.Fatalf("%q is not where it belongs:\n%s", o, out)
		}
		at += i
	}
	if strings.HasSuffix(out, "\n") || !strings.HasSuffix(out, "aaaaaa1\tby hand") {
		t.Errorf("the end of the document changed: %q", out[len(out)-40:])
	}
	if before, err := Baseline([]byte(out)); err != nil || before != sample().BeforeRev {
		t.Errorf("baseline %q, %v", before, err)
	}
}

// TestFirstUsersDocument runs over the document itself where it lies beside this checkout: no byte of it is lost, and
// its four sections get theirs.
func TestFirstUsersDocument(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "first-user-readiness.md"))
	if err != nil {
		t.Skip("the first user's document is not here")
	}
	out := updated(t, string(doc), sample())
	if strings.Contains(out, "\n## ") {
		t.Errorf("a section was not found in the document:\n%s", out)
	}
	ours := regexp.MustCompile(`(?s)\n<!-- gatebot:readiness:([a-d]):begin.*?readiness:[a-d]:end -->\n`)
	if n := len(ours.FindAllString(out, -1)); n != 4 {
		t.Errorf("%d sections", n)
	}
	if d := cmp.Diff(string(doc), ours.ReplaceAllString(out, "")); d != "" {
		t.Error(d)
	}
}

func TestOnlyWhatIsBetweenTheMarkersChanges(t *testing.T) {
	doc := "x\r\n" + begin("d", "") + "\r\nold\r\n" + end("d") + "\r\ny\r\n\r\nz"
	out := updated(t, doc, sample())
	if !strings.HasPrefix(out, "x\r\n"+begin("d", "")+"\r\n|") || !strings.Contains(out, end("d")+"\r\ny\r\n\r\nz\r\n\r\n## A. ") ||
		strings.Contains(out, "old") || strings.Count(out, "\n") != strings.Count(out, "\r\n") {
		t.Errorf("%q", out)
	}
}

func TestNothingIsClaimedWithoutData(t *testing.T) {
	out := updated(t, "", Input{ResultsFile: "r.json"})
	for _, want := range []string{"No results: there is no r.json", "No hazards are listed", "| Regions captured | no results |",
		"| Gated since | no: there is no gate configuration in the history |"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in:\n%s", want, out)
		}
	}
	in := Input{Results: &finding.Results{Verdict: finding.VerdictPass, Checks: []finding.CheckResult{
		{Name: "capture", Status: finding.StatusNotRun, Reason: "no CUDA device"}, {Name: "replay", Status: finding.StatusError, Reason: "cut off"},
		{Name: "speed", Status: finding.StatusFail, Reason: "slower"}}}}
	out = updated(t, "", in)
	for _, want := range []string{"PASS on a machine without a CUDA device", "| capture | not\\_run | no CUDA device |",
		"| Regions captured | not run: no CUDA device |", "| Replay verified | error: cut off |", "| Speed-up | fail: slower |"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in:\n%s", want, out)
		}
	}
}

func TestBrokenMarkers(t *testing.T) {
	for _, doc := range []string{begin("a", ""), end("a"), begin("a", "") + "\n" + begin("b", "") + "\n" + end("a"), begin("z", "") + "\n" + end("z"),
		begin("a", "") + "\n" + end("a") + "\n" + begin("a", "") + "\n" + end("a")} {
		if out, err := Update([]byte(doc), sample(), ""); err == nil {
			t.Errorf("%q was accepted: %s", doc, out)
		}
	}
}

// FuzzUpdate: whatever the document and the words of people are, no line outside the markers is lost and a second
// update changes nothing.
func FuzzUpdate(fz *testing.F) {
	fz.Add("SECTION A — x\r\n\r\nViolation Fix Log\n", "title")
	fz.Add(begin("c", "")+"\nold\n"+end("c"), end("c")+"\n|`_*\\")
	fz.Fuzz(func(t *testing.T, doc, words string) {
		in := sample()
		in.Hazards[0].Title, in.Fixes[0].Description, in.Results.Checks[0].Reason = words, words, words
		out, err := Update([]byte(doc), in, "Violation Fix Log")
		if err != nil {
			return
		}
		again, err := Update(out, in, "Violation Fix Log")
		if err != nil || string(again) != string(out) {
			t.Fatalf("again: %v\n%q\n%q", err, out, again)
		}
		if spans, err := find(strings.SplitAfter(string(out), "\n")); err != nil || len(spans) != len(sections) {
			t.Fatalf("%d sections, %v:\n%q", len(spans), err, out)
		}
		if len(doc) > 0 && !strings.Contains(doc, "gatebot:readiness") {
			rest := string(out)
			for _, l := range strings.Split(doc, "\n") {
				l = strings.TrimRight(l, "\r")
				i := strings.Index(rest, l)
				if i < 0 {
					t.Fatalf("the line %q is gone:\n%q", l, out)
				}
				rest = rest[i+len(l):]
			}
		}
	})
}
