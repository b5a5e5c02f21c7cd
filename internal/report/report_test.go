package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

func render(t testing.TB, in Input) string {
	t.Helper()
	var b bytes.Buffer
	if err := Render(&b, Build(in)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// load reads a trace of hand-written events.
func load(t testing.TB, lines []string) *trace.Trace {
	t.Helper()
	tr := &trace.Trace{}
	all := append([]string{`{"ev":"header","t":1,"pid":7,"tid":7,"schema":"gatebot.trace/v1","writer":"probe"}`}, lines...)
	all = append(all, fmt.Sprintf(`{"ev":"end","t":999999999999,"pid":7,"events":%d}`, len(all)))
	if err := tr.Read(strings.NewReader(strings.Join(all, "\n")+"\n"), "hand"); err != nil {
		t.Fatal(err)
	}
	tr.Arrange()
	return tr
}

const hostile = `</script></style><script>alert(1)</script><img src=x onerror=alert(1)>"'` + "`"

// Everything in a page comes from the code under test. None of it may become markup.
func TestHostileTextStaysText(t *testing.T) {
	q, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	x := string(q)
	tr := load(t, []string{
		`{"ev":"phase","t":2,"tid":7,"name":"sync","at":"enter"}`,
		`{"ev":"step","t":3,"tid":7,"at":"enter","i":4,"bucket":` + x + `}`,
		`{"ev":"region","t":4,"tid":7,"name":` + x + `,"at":"enter"}`,
		`{"ev":"launch","t":5,"tid":7,"name":` + x + `,"kernel":` + x + `,"grid":[1,1,1],"block":[1,1,1],"smem":0,"stream":"0x0","dur":2,"code":0}`,
		`{"ev":"api","t":8,"tid":7,"name":` + x + `,"level":"runtime","class":"sync","dur":5,"code":3,"frames":[{"file":` + x + `,"line":3,"func":` + x + `}]}`,
		`{"ev":"region","t":20,"tid":7,"name":` + x + `,"at":"exit"}`,
		`{"ev":"step","t":21,"tid":7,"at":"exit","i":4}`,
		`{"ev":"phase","t":22,"tid":7,"name":"sync","at":"exit"}`,
	})
	f := finding.Finding{Rule: hostile, Name: hostile, Severity: finding.Error, Check: hostile, Path: hostile, Line: 1, Column: 1, EndLine: 1, EndColumn: 3,
		Function: hostile, Region: hostile, Message: hostile, Fix: hostile, Fingerprint: hostile, Confidence: finding.Proven,
		Evidence: []finding.Evidence{{Kind: finding.EvidenceAPICall, Message: hostile, Code: hostile, Path: hostile, Frames: []string{hostile}},
			{Kind: finding.EvidenceHotPath, Message: hostile}, {Kind: finding.EvidenceReplay, Message: hostile}, {Kind: hostile, Message: hostile}}}
	g := f
	g.Suppressed = &finding.Suppression{Reason: hostile, By: hostile}
	r := &finding.Results{Verdict: finding.VerdictFail, Reasons: []string{hostile}, Commit: hostile, Tree: hostile,
		Tool: finding.Tool{Version: hostile, Rules: hostile}, Device: &finding.Device{Name: hostile, Driver: hostile, CUDA: hostile, ComputeCapability: hostile},
		Findings: []finding.Finding{f, g}, Checks: []finding.CheckResult{{Name: hostile, Status: hostile, Reason: hostile, Metrics: map[string]float64{hostile: 1},
			Regions: []finding.RegionResult{{Name: hostile, Status: hostile, Reason: hostile}, {Name: "other", Status: "fail"}}}}}
	html := render(t, Input{Results: r, Trace: tr, Title: hostile, Root: "/r", Recorded: hostile, Read: func(string) ([]byte, error) { return []byte(hostile), nil }})
	for _, bad := range []string{"<script>alert", "<img", "onerror=alert(1)>\"'`<"} {
		if strings.Contains(html, bad) {
			i := strings.Index(html, bad)
			t.Errorf("%q became markup: …%s…", bad, html[max(0, i-80):min(len(html), i+80)])
		}
	}
	for tag, n := range map[string]int{"<script": 2, "</script": 2, "<style": 1, "</style": 1} {
		if got := strings.Count(html, tag); got != n {
			t.Errorf("%d times %s, want %d", got, tag, n)
		}
	}
}

// layers is a step of the first user's model as the probe sees it: 61 layers of two captured regions with an eager one
// between them, about 2,500 launches, one hidden wait in one layer.
func layers(t testing.TB) (*finding.Results, *trace.Trace) {
	var lines []string
	now := int64(1_000_000)
	put := func(format string, args ...any) {
		now += 700
		lines = append(lines, fmt.Sprintf(`{"t":%d,"pid":7,"tid":7,`, now)+fmt.Sprintf(format, args...)+"}")
	}
	put(`"ev":"phase","name":"sync","at":"enter"`)
	put(`"ev":"step","at":"enter","i":7,"mode":"eager"`)
	capture := finding.CheckResult{Name: finding.CheckCapture, Status: finding.StatusFail, Required: true, Reason: "region layers.12.moe: refused"}
	for l := range 61 {
		for _, part := range []struct {
			name  string
			eager bool
			n     int
		}{{"pre", false, 14}, {"attn", true, 12}, {"moe", false, 15}} {
			name := fmt.Sprintf("layers.%d.%s", l, part.name)
			put(`"ev":"region","name":%q,"at":"enter","eager":%v`, name, part.eager)
			for k := range part.n {
				now += 4000
				put(`"ev":"launch","name":"cuLaunchKernel","kernel":"_ZN2at6native%02dkernel_of_somethingE","grid":[32,1,1],"block":[128,1,1],"smem":0,"stream":"0x7","dur":3300,"code":0`, 10+k%20)
			}
			if l == 12 && part.name == "moe" {
				put(`"ev":"api","name":"cudaStreamSynchronize","level":"runtime","class":"sync","dur":83000,"code":0,"stream":"0x7","frames":[{"file":"/r/moe.py","line":3,"func":"MoE.forward"}]`)
				now += 83000
			}
			put(`"ev":"region","name":%q,"at":"exit"`, name)
			if !part.eager {
				status := finding.StatusPass
				if l == 12 && part.name == "moe" {
					status = finding.StatusFail
				}
				capture.Regions = append(capture.Regions, finding.RegionResult{Name: name, Status: status})
			}
		}
	}
	put(`"ev":"step","at":"exit","i":7,"mode":"eager"`)
	put(`"ev":"phase","name":"sync","at":"exit","status":"ok"`)
	r := &finding.Results{Verdict: finding.VerdictFail, Checks: []finding.CheckResult{
		{Name: finding.CheckSync, Status: finding.StatusFail, Required: true, Reason: "the host waits for the device at 1 line, 1× a step"}, capture},
		Findings: []finding.Finding{{Rule: "GB101", Severity: finding.Error, Check: finding.CheckSync, Path: "moe.py", Line: 3, EndLine: 3, Region: "layers.12.moe",
			Message: "reads 4 bytes", Confidence: finding.Proven, Evidence: []finding.Evidence{{Kind: finding.EvidenceAPICall, Message: "1× a step"}}}}}
	return r, load(t, lines)
}

func TestSixtyOneLayers(t *testing.T) {
	r, tr := layers(t)
	p := Build(Input{Results: r, Trace: tr, Root: "/r", Read: func(string) ([]byte, error) { return nil, errors.New("gone") }})
	if n := len(p.Heat.Regions); n != 122 {
		t.Errorf("%d regions in the heat map, want 122", n)
	}
	for _, row := range p.Heat.Rows {
		var wrong []string
		for _, c := range row.Cells {
			if c.Status != finding.StatusPass {
				wrong = append(wrong, c.Region+"="+string(c.Status)+"→"+c.Target)
			}
		}
		want := []string{"layers.12.moe=fail→" + p.Findings[0].ID}
		if !slices.Equal(wrong, want) {
			t.Errorf("%s: %v, want %v", row.Check, wrong, want)
		}
	}
	tl := p.Timeline
	if tl.Launches != 61*41 || tl.Violations() != 1 || tl.Waited != 83 || len(tl.Bands) != 183 {
		t.Errorf("%d launches, %d violations, %v µs waited, %d regions", tl.Launches, tl.Violations(), tl.Waited, len(tl.Bands))
	}
	for _, b := range tl.Bands {
		if b.Violates != (b.Name == "layers.12.moe") {
			t.Errorf("%s: violates %v", b.Name, b.Violates)
		}
	}
	var out bytes.Buffer
	if err := Render(&out, p); err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("GATEBOT_REPORT_DIR"); dir != "" { // for the browser tests
		if err := os.WriteFile(filepath.Join(dir, "sixtyone.html"), out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out.Len() > 2<<20 {
		t.Errorf("%d bytes, at most 2 MB are useful", out.Len())
	}
}

func TestNaturalOrder(t *testing.T) {
	got := []string{"head", "layers.10.pre", "layers.9.pre", "layers.9", "layers.100.pre", "9", "10", "a", ""}
	slices.SortFunc(got, natural)
	want := []string{"", "9", "10", "a", "head", "layers.9", "layers.9.pre", "layers.10.pre", "layers.100.pre"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

func TestKernelNames(t *testing.T) {
	for in, want := range map[string]string{
		"": "kernel without a name",
		"_ZN2at6native13reduce_kernelILi512ELi1EEEvT1_": "at::native::reduce_kernel",
		"_Z3addPfS_": "add",
		"_ZN2at6native54_GLOBAL__N__00000000_4_x_cu_00000000_000000_00000000006gatherE": "at::native::gather",
		"triton_poi_fused_add":     "triton_poi_fused_add",
		"_ZN99999999999999999999x": "_ZN99999999999999999999x",
		"_Z9short":                 "_Z9short",
	} {
		if got := kernel(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func FuzzKernel(f *testing.F) {
	f.Add("_ZN2at6native13reduce_kernelILi512E")
	f.Fuzz(func(t *testing.T, s string) {
		if kernel(s) == "" {
			t.Error("no name")
		}
	})
}

// FuzzBuild takes results files from elsewhere: any of them makes a page.
func FuzzBuild(f *testing.F) {
	f.Add([]byte(`{"schema":"gatebot.results/v1","verdict":"fail","checks":[{"name":"sync","status":"fail","regions":[{"name":"a1"},{"name":"a10"}]}],
"findings":[{"rule":"GB101","path":"a.py","line":2,"column":3,"end_line":9,"end_column":1,"region":"a1","evidence":[{"kind":"hot_path","frames":["b","a"]}]}]}`), []byte("a\n\tb = x.item()\n"))
	f.Fuzz(func(t *testing.T, data, source []byte) {
		r, err := finding.Read(data)
		if err != nil {
			return
		}
		render(t, Input{Results: r, Read: func(string) ([]byte, error) { return source, nil }})
	})
}

// A check that failed without saying where must not leave green cells behind.
func TestAFailureWithoutARegionIsNoPass(t *testing.T) {
	r := &finding.Results{Verdict: finding.VerdictFail, Checks: []finding.CheckResult{
		{Name: finding.CheckCapture, Status: finding.StatusPass, Regions: []finding.RegionResult{{Name: "a", Status: finding.StatusPass}, {Name: "b", Status: finding.StatusPass}}},
		{Name: finding.CheckReplay, Status: finding.StatusFail, Reason: "replay differs from eager in step 3"}}}
	for _, row := range Build(Input{Results: r}).Heat.Rows {
		for _, c := range row.Cells {
			if want := map[string]finding.Status{finding.CheckCapture: finding.StatusPass, finding.CheckReplay: ""}[row.Check]; c.Status != want {
				t.Errorf("%s of %s: %q, want %q", row.Check, c.Region, c.Status, want)
			}
		}
	}
}
