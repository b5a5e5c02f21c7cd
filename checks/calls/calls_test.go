package calls

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// recorded is where the traces of a real H200 lie; the repository was /work/main when they were made.
const recorded = "../../gpu/probe/testdata/h200"

func load(t *testing.T, name string) *trace.Trace {
	t.Helper()
	tr, err := trace.Load(filepath.Join(recorded, name+".ndjson.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if why := tr.Incomplete(); why != "" {
		t.Fatal(why)
	}
	return tr
}

// wanted reads the "# want RULE" comments of a program, as "line RULE".
func wanted(t *testing.T, name string) []string {
	t.Helper()
	f, err := os.Open(filepath.Join(recorded, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	var out []string
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		if _, rules, ok := strings.Cut(s.Text(), "  # want GB"); ok {
			for _, r := range strings.Fields("GB" + rules) {
				if strings.HasPrefix(r, "GB") {
					out = append(out, fmt.Sprintf("%d %s", n, strings.TrimSuffix(r, ":")))
				}
			}
		}
	}
	return out
}

func found(r *Result, atLeast finding.Severity) []string {
	var out []string
	for _, f := range r.Findings {
		if f.Severity.AtLeast(atLeast) {
			out = append(out, fmt.Sprintf("%d %s", f.Line, f.Rule))
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		var x, y int
		_, _ = fmt.Sscan(a, &x)
		_, _ = fmt.Sscan(b, &y)
		return x - y
	})
	return out
}

// TestH200 holds every planted hazard at its line and nothing at any other, from what an H200 did.
func TestH200(t *testing.T) {
	for _, tc := range []struct {
		name    string
		regions []string
	}{
		{"hazards", []string{"step"}},
		{"regions", []string{"__main__:Model.decode", "sample"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := Judge(load(t, tc.name), Scope{Root: "/work/main", Regions: tc.regions, Warmup: 1})
			if diff := cmp.Diff(wanted(t, tc.name+".py"), found(r, finding.Warn)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for _, f := range r.Findings {
				if f.Path != "gpu/probe/testdata/h200/"+tc.name+".py" && f.Severity != finding.Info {
					t.Errorf("%s at %s:%d", f.Rule, f.Path, f.Line)
				}
			}
			if r.Launches == 0 {
				t.Error("no launch inside the regions")
			}
		})
	}
}

// TestGenerate: transformers' own generate(), gated by the name of the model's forward: the read that was planted in it, once
// a token, and in the library's own file the kernels that only the second token needs.
func TestGenerate(t *testing.T) {
	forward := "transformers.models.llama.modeling_llama:LlamaForCausalLM.forward"
	r := Judge(load(t, "generate"), Scope{Root: "/work/main", Regions: []string{forward}, Warmup: 1})
	var got []string
	for _, f := range r.Findings {
		if f.Severity.AtLeast(finding.Warn) {
			got = append(got, fmt.Sprintf("%s %s:%d %s", f.Severity, f.Path, f.Line, f.Rule))
		}
	}
	want := []string{"error gpu/probe/testdata/h200/generate.py:21 GB101", "warn transformers/integrations/sdpa_attention.py:158 GB902"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if n := r.Entered[forward]; n != 6 {
		t.Errorf("entered %d times, want 6", n)
	}
}

func TestRegionsAreCounted(t *testing.T) {
	r := Judge(load(t, "regions"), Scope{Root: "/work/main", Regions: []string{"__main__:Model.decode", "sample", "never"}})
	want := map[string]int{"__main__:Model.decode": 3, "sample": 1, "never": 0}
	if diff := cmp.Diff(want, r.Entered); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestCapture: the call that broke a capture is named with its code, and its later symptom (901) is not a finding.
func TestCapture(t *testing.T) {
	r := Judge(load(t, "capture"), Scope{Root: "/work/main"})
	var broke []string
	for _, f := range r.Findings {
		if strings.Contains(f.Message, "broke the running capture") {
			broke = append(broke, fmt.Sprintf("%s:%d %s", filepath.Base(f.Path), f.Line, f.Rule))
		}
	}
	if diff := cmp.Diff([]string{"capture.py:18 GB101"}, broke); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestNative: a program without Python has its functions for places.
func TestNative(t *testing.T) {
	r := Judge(load(t, "plain"), Scope{Root: "/work/main"})
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.Rule+" "+f.Path+" "+f.Function)
	}
	want := []string{"GB801 plain decode_step", "GB803 plain decode_step", "GB804 plain main"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestPlace(t *testing.T) {
	for name, tc := range map[string]struct {
		frames []trace.Frame
		native []trace.NativeFrame
		want   place
	}{
		"ours below torch in /opt/torch": {frames: []trace.Frame{{File: "/opt/torch/.venv/lib/python3.12/site-packages/torch/_tensor.py", Line: 1},
			{File: "/repo/a/b.py", Line: 7, Func: "f"}}, want: place{path: "a/b.py", line: 7, function: "f", ours: true}},
		"relative file": {frames: []trace.Frame{{File: "a.py", Line: 2, Func: "g"}}, want: place{path: "a.py", line: 2, function: "g", ours: true}},
		"library only": {frames: []trace.Frame{{File: "/v/lib/python3.12/site-packages/torch/x.py", Line: 1},
			{File: "/v/lib/python3.12/site-packages/transformers/masking_utils.py", Line: 5, Func: "m"}}, want: place{path: "transformers/masking_utils.py", line: 5, function: "m"}},
		"environment inside the repository": {frames: []trace.Frame{{File: "/repo/.venv/lib/python3.12/site-packages/lib/x.py", Line: 1, Func: "f"}},
			want: place{path: "lib/x.py", line: 1, function: "f"}},
		"ours calls a library that makes the call": {frames: []trace.Frame{{File: "/v/lib/python3.12/site-packages/transformers/cache_utils.py", Line: 444},
			{File: "/repo/a.py", Line: 2, Func: "g"}}, want: place{path: "a.py", line: 2, function: "g", ours: true, inner: "transformers/cache_utils.py:444"}},
		"native": {native: []trace.NativeFrame{{Module: "/l/libcudart.so.13", Symbol: "cudaMemcpy"}, {Module: "/repo/bin/prog", Symbol: "_ZN3foo3barEv"}},
			want: place{path: "bin/prog", function: "foo::bar", ours: true}},
		"a library without symbols": {native: []trace.NativeFrame{{Module: "/l/libcuda.so.1", Offset: 1}, {Module: "/l/xla_cuda_plugin.so", Offset: 2}},
			want: place{path: "xla_cuda_plugin.so"}},
		"nothing": {want: place{path: "?"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := placeOf("/repo", tc.frames, tc.native); got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

// TestBelow: the caller of a region that is a function is not where its hazards are.
func TestBelow(t *testing.T) {
	frames := []trace.Frame{{File: "/v/lib/python3.12/site-packages/torch/_tensor.py", Func: "item"}, {File: "/v/lib/python3.12/site-packages/lib/x.py", Func: "mask"},
		{File: "/v/lib/python3.12/site-packages/lib/m.py", Func: "Model.forward"}, {File: "/repo/a.py", Line: 2, Func: "main"}}
	for region, want := range map[string]int{"lib.m:Model.forward": 3, "L00": 4, "lib.m:Other.forward": 4, "": 4} {
		if got := below(frames, region); len(got) != want {
			t.Errorf("%q: %d frames, want %d", region, len(got), want)
		}
	}
}
