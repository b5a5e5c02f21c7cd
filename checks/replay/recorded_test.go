package replay

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// recordings are traces of torch 2.11 on a CPU (2026-11-30, gpu/harness TestReferencesOnTorch and TestEntersOnTorch with GATEBOT_KEEP): what needs
// no graph was recorded without a card. By name of the case.
func recordings(t *testing.T) map[string]*trace.Trace {
	t.Helper()
	f, err := os.Open("testdata/references-cpu.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*trace.Trace{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		name := path.Dir(h.Name)
		if all[name] == nil {
			all[name] = &trace.Trace{}
		}
		if err := all[name].Read(r, h.Name); err != nil {
			t.Fatal(err)
		}
	}
	for _, one := range all {
		one.Arrange()
	}
	return all
}

// TestRecordedReferences: the two cases of the corpus that are wrong in value alone fail beside a twin and under the
// invariance that is declared for them, with the lines that the corpus names where the harness could find them; their fixed
// forms do not.
func TestRecordedReferences(t *testing.T) {
	all := recordings(t)
	type fails struct {
		why  string
		line int // 0: the definition of step
	}
	for name, want := range map[string]fails{
		"067-beside-its-twin":          {"returns something else than good.py (compared bit for bit); first in step 0: out, 40 of 48 elements", 0},
		"068-beside-its-twin":          {"step 0-10 returns something else than good.py (compared bit for bit)", 0},
		"067-with-its-rows-moved":      {"step 0-10 returns something else with its rows in another order (compared within 1.3e-06 relatively and 1e-05 absolutely)", 21},
		"068-with-other-scratch":       {"something else with other values in its scratch memory (compared bit for bit); first in step 0: out, 512 of 1024 elements", 18},
		"067-good":                     {},
		"068-good":                     {},
		"067-good-with-its-rows-moved": {},
		"068-good-with-other-scratch":  {},
		"a-sum-over-the-batch":         {"with its first row alone", 4},
		"padding-that-is-cut-off":      {"with other values in its scratch memory", 8},
		"rows-in-other-dimensions":     {"with its rows in another order", 8},
		"memory-that-nobody-wrote":     {"with other values in its scratch memory", 5},
		"what-torch-does-not-see":      {"with other values in its scratch memory", 0},
		"other-operations":             {"with other values in its scratch memory", 0},
	} {
		in := &dynamic.Input{Trace: all[name]}
		if in.Trace == nil {
			t.Errorf("%s: no recording", name)
			continue
		}
		in.Root = in.Trace.Files[0].Header.Dir
		r := Check(in)
		delete(all, name)
		if want.why == "" {
			// On a CPU nothing is replayed, which is an error of its own and no violation.
			if r.Check.Status != finding.StatusError || r.Check.Metrics["references"] < 8 || r.Check.Metrics["wrong_against_reference"] != 0 || len(r.Findings) > 0 {
				t.Errorf("%s: %+v", name, r.Check)
			}
			continue
		}
		if r.Check.Status != finding.StatusFail || !strings.Contains(r.Check.Reason, want.why) {
			t.Errorf("%s: %s: %s", name, r.Check.Status, r.Check.Reason)
		}
		for _, f := range r.Findings {
			if f.Rule != "GB716" || f.Path != "bad.py" && f.Path != "m.py" || want.line == 0 && f.Function != "step" || want.line > 0 && f.Line != want.line {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
	if len(all) > 0 {
		t.Errorf("recordings that nobody looks at: %d", len(all))
	}
}
