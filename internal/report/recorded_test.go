package report_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/gate"
	"github.com/gatebot/gatebot/internal/report"
	"github.com/gatebot/gatebot/internal/trace"
)

// recordedRoot is where the modules of testdata lay on the machine that recorded the traces.
const recordedRoot = "/tmp/gatebot-corpus"

// recorded is a page made of what an H200 recorded of one module of testdata/steps.
func recorded(t *testing.T, name string) (*report.Page, *finding.Results) {
	t.Helper()
	tr := &trace.Trace{}
	files := archive(t, "../../checks/judge/testdata/h200.tar.gz", "steps."+name+"/")
	for _, f := range slices.Sorted(keys(files)) {
		if err := tr.Read(bytes.NewReader(files[f]), f); err != nil {
			t.Fatal(err)
		}
	}
	tr.Arrange()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "steps", name), os.DirFS("../../testdata/steps/"+name)); err != nil {
		t.Fatal(err)
	}
	run, err := gate.Recorded(context.Background(), gate.CheckRequest{Request: gate.Request{Dir: dir}},
		&dynamic.Input{Trace: tr, Root: recordedRoot})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = run.Close() })
	run.Results.Tool = finding.Tool{Name: "gatebot", Version: "test"}
	return report.Build(report.Input{Results: run.Results, Trace: tr, Read: run.Read, Root: recordedRoot, Title: name,
		Recorded: "on an NVIDIA H200, 2026-11-29"}), run.Results
}

func keys(m map[string][]byte) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// archive reads the files of a tar.gz below a folder.
func archive(t *testing.T, name, under string) map[string][]byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(h.Name, under) {
			if out[h.Name], err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s has nothing below %s", name, under)
	}
	return out
}

func TestRecordedPages(t *testing.T) {
	for name, want := range map[string]struct {
		least, violations, regions int
		word                       string
	}{
		"ten":        {12, 18, 0, "fail"}, // most waits are two calls: the copy and what waits for it
		"layers":     {1, 0, 13, "pass"},
		"suppressed": {0, 0, 0, "fail"}, // the wait is allowed, its capture is refused all the same
	} {
		t.Run(name, func(t *testing.T) {
			p, r := recorded(t, name)
			loud := 0
			for _, f := range r.Findings {
				if f.Suppressed == nil && f.Confidence != finding.Possible && f.Severity.AtLeast(finding.Warn) {
					loud++
				}
			}
			regions, violations := 0, 0
			if p.Heat != nil {
				regions = len(p.Heat.Regions)
			}
			if p.Timeline != nil {
				violations = p.Timeline.Violations()
			}
			if len(p.Findings) != loud || loud < want.least || violations != want.violations || regions != want.regions || p.Word != want.word {
				t.Errorf("%d findings, %d violations drawn, %d regions, %s; want %d, %+v", len(p.Findings), violations, regions, p.Word, loud, want)
			}
			var b bytes.Buffer
			if err := report.Render(&b, p); err != nil {
				t.Fatal(err)
			}
			if dir := os.Getenv("GATEBOT_REPORT_DIR"); dir != "" { // for the browser tests
				if err := os.WriteFile(filepath.Join(dir, name+".html"), b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
