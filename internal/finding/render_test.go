package finding

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const sample = "class Mixer:\n\tdef post(self, x):\n\t\tself.peak = max(self.peak, x.max().item())\n\t\treturn x\n"

func sampleResults() *Results {
	r := &Results{
		Tool: Tool{Name: "gatebot", Version: "1.2.3"},
		Findings: []Finding{
			{Rule: "GB101", Name: "tensor-item", Severity: Error, Check: CheckSource, Path: "m.py", Line: 3, Column: 30,
				EndLine: 3, EndColumn: 44, Function: "Mixer.post", Message: "`.item()` waits for the stream",
				Fix: "keep it a tensor", Confidence: Likely, Fingerprint: "aa",
				Evidence: []Evidence{{Kind: EvidenceHotPath, Message: "step → Mixer.post"}}},
			{Rule: "GB301", Name: "per-step-factory", Severity: Warn, Path: "gone, really.py", Line: 9, Column: 1, EndLine: 11,
				EndColumn: 2, Message: "new tensor\x1b[31m each step", Confidence: Possible, Fingerprint: "bb"},
			{Rule: "GB105", Name: "scalar-cast", Severity: Error, Path: "m.py", Line: 4, Column: 1, EndLine: 4, EndColumn: 2,
				Message: "reads", Confidence: Likely, Fingerprint: "cc", Suppressed: &Suppression{Reason: "VERBOSE >= 2", By: "guard"}},
		},
		Summary: Summary{Files: 2, Functions: 10, HotFunctions: 1},
	}
	r.Summary.Count(r.Findings)
	return r
}

func readSample(path string) ([]byte, error) {
	if path != "m.py" {
		return nil, errors.New("no such file")
	}
	return []byte(sample), nil
}

func TestGolden(t *testing.T) {
	rules := []RuleInfo{{ID: "GB101", Name: "tensor-item", Title: "Reads a scalar", Text: "Waits.", Fix: "Do not.", Severity: Error}}
	for name, render := range map[string]func(w *bytes.Buffer) error{
		"text":     func(w *bytes.Buffer) error { return Text{Read: readSample}.Write(w, sampleResults()) },
		"text-all": func(w *bytes.Buffer) error { return Text{Read: readSample, All: true}.Write(w, sampleResults()) },
		"color":    func(w *bytes.Buffer) error { return Text{Read: readSample, Color: true}.Write(w, sampleResults()) },
		"github":   func(w *bytes.Buffer) error { return WriteGitHub(w, sampleResults()) },
		"sarif":    func(w *bytes.Buffer) error { return WriteSARIF(w, sampleResults(), rules) },
		"json":     func(w *bytes.Buffer) error { return sampleResults().Write(w) },
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := render(&got); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("got\n%s\nwant\n%s", got.Bytes(), want)
			}
		})
	}
}

func TestCaretsStandBelowTheCode(t *testing.T) {
	var b bytes.Buffer
	if err := (Text{Read: readSample}).Write(&b, sampleResults()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	for i, l := range lines {
		if at := strings.Index(l, "^"); at >= 0 {
			// Both rows open with a gutter of one width; tabs are kept, so byte positions agree.
			if code := lines[i-1]; !strings.HasPrefix(code[at:], "x.max().item()") {
				t.Errorf("carets point at %q", code[at:])
			}
			return
		}
	}
	t.Error("no carets")
}

func TestTerminalNeverGetsControlCharacters(t *testing.T) {
	var b bytes.Buffer
	if err := (Text{All: true}).Write(&b, sampleResults()); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Errorf("escape sequence of a message reached the output: %q", b.String())
	}
}

func TestReadRefuses(t *testing.T) {
	for in, want := range map[string]string{
		`{"schema":"gatebot.results/v1","verdict":"pass"`: "unexpected end",
		`{"schema":"other/v1","verdict":"pass"}`:          `schema "other/v1"`,
		`{"schema":"gatebot.results/v1","verdict":"ok"}`:  `verdict "ok"`,
		`{"schema":"gatebot.results/v1"}`:                 `verdict ""`,
	} {
		if _, err := Read([]byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", in, err)
		}
	}
	var b bytes.Buffer
	r := sampleResults()
	r.Verdict = VerdictFail
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	back, err := Read(b.Bytes())
	if err != nil || len(back.Findings) != 3 || back.Findings[2].Suppressed.By != "guard" {
		t.Errorf("round trip: %v %+v", err, back)
	}
}

func TestBaseline(t *testing.T) {
	fs := sampleResults().Findings
	b := NewBaseline(fs[:1])
	var buf bytes.Buffer
	if err := b.Write(&buf); err != nil {
		t.Fatal(err)
	}
	back, err := ReadBaseline(buf.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	back.Mark(fs, "in the baseline")
	if fs[0].Suppressed == nil || fs[0].Suppressed.By != "baseline" || fs[1].Suppressed != nil || fs[2].Suppressed.By != "guard" {
		t.Errorf("marks: %v %v %v", fs[0].Suppressed, fs[1].Suppressed, fs[2].Suppressed)
	}
	if _, err := ReadBaseline([]byte(`{"schema":"x"}`)); err == nil {
		t.Error("another schema is accepted")
	}
}

func TestFingerprint(t *testing.T) {
	base := Fingerprint("GB101", "a.py", "f", []string{"x", ".", "item"}, 0)
	for name, other := range map[string]string{
		"rule":    Fingerprint("GB102", "a.py", "f", []string{"x", ".", "item"}, 0),
		"path":    Fingerprint("GB101", "b.py", "f", []string{"x", ".", "item"}, 0),
		"tokens":  Fingerprint("GB101", "a.py", "f", []string{"x.", "item"}, 0),
		"ordinal": Fingerprint("GB101", "a.py", "f", []string{"x", ".", "item"}, 1),
		"shift":   Fingerprint("GB101", "a.p", "yf", []string{"x", ".", "item"}, 0),
	} {
		if other == base {
			t.Errorf("%s does not change the fingerprint", name)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"schema":"gatebot.results/v1","verdict":"fail","findings":[{"line":1}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Read(data)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := (Text{All: true, Read: func(string) ([]byte, error) { return data, nil }}).Write(&b, r); err != nil {
			t.Fatal(err)
		}
		if err := WriteSARIF(&b, r, nil); err != nil && !json.Valid(data) {
			t.Fatal(err)
		}
		if err := WriteGitHub(&b, r); err != nil {
			t.Fatal(err)
		}
	})
}
