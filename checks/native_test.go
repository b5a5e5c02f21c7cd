package checks

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/internal/finding"
)

// waits is a rule that reports a call of wait(…).
func waits() *Rule {
	return &Rule{ID: "GB801", Name: "native-sync-api", Severity: finding.Error,
		Native: &Native{Calls: []string{"cudaWait"}, Call: NativeAlways("{expr} waits")}}
}

func nativeScanOf(t *testing.T, files memory, opts Options) *Report {
	t.Helper()
	opts.Rules = []*Rule{waits(), {ID: "GB001", Name: "suppression", Severity: finding.Warn},
		{ID: "GB002", Name: "unreadable", Severity: finding.Warn}}
	return scanMemory(t, files, opts)
}

// summary is `path:line rule` of each finding, with what suppresses it.
func summary(rep *Report) string {
	var out []string
	for _, f := range rep.Findings {
		s := f.Path + ":" + string(rune('0'+f.Line)) + " " + f.Rule
		if f.Suppressed != nil {
			s += " (" + f.Suppressed.Reason + ")"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

func TestNativeHotPath(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files memory
		opts  Options
		want  string
	}{
		{"takes tensors", memory{"a.cpp": "void f(const at::Tensor& x) { cudaWait(); }"}, Options{}, "a.cpp:1 GB801"},
		{"takes a stream", memory{"a.hpp": "void f(cudaStream_t s) { cudaWait(); }"}, Options{}, "a.hpp:1 GB801"},
		{"launches", memory{"a.cuh": "void f(int n) { k<<<1, 2, 0, s>>>(); cudaWait(); }"}, Options{}, "a.cuh:1 GB801"},
		{"does none of these", memory{"a.cu": "void f(int n) { cudaWait(); }"}, Options{}, ""},
		{"all functions", memory{"a.cu": "void f(int n) { cudaWait(); }"}, Options{AllFunctions: true}, "a.cu:1 GB801"},
		{"bound", memory{"a.cu": "namespace n { int f(int n) { cudaWait(); } }", "b.cc": "TORCH_LIBRARY(x, m) { m.def(\"f(int n) -> int\", &n::f); }"},
			Options{}, "a.cu:1 GB801"},
		{"called", memory{"a.cu": "void g() { cudaWait(); }\nvoid f(at::Tensor x) { g(); }"}, Options{}, "a.cu:1 GB801"},
		{"called from a file without a word", memory{"a.cu": "void low() { cudaWait(); }", "b.cpp": "void mid() { low(); }",
			"c.cpp": "void op(at::Tensor x) { mid(); }"}, Options{}, "a.cu:1 GB801"},
		{"through a macro", memory{"a.cu": "#define RUN(x) cudaWait(x)\nvoid f(at::Tensor x) { RUN(x); }"}, Options{}, "a.cu:1 GB801"},
		{"a macro that nobody uses", memory{"a.cu": "#define RUN(x) cudaWait(x)\n"}, Options{}, ""},
		{"method of one class", memory{"a.h": "struct A { void go() { cudaWait(); } };", "b.cu": "void f(at::Tensor x, A& a) { a.go(); }"},
			Options{}, "a.h:1 GB801"},
		{"method of many", memory{"a.h": "struct A { void go() { cudaWait(); } };\nstruct B { void go() { cudaWait(); } };",
			"b.cu": "void f(at::Tensor x, A& a) { a.go(); }"}, Options{}, ""},
		{"load time", memory{"a.cu": "void load_it(at::Tensor x) { cudaWait(); }"}, Options{}, ""},
		{"load time of the configuration", memory{"a.cu": "void n::A::f(at::Tensor x) { cudaWait(); }"},
			Options{LoadTime: []Selector{{Name: "**.f"}}}, ""},
		{"roots of the configuration", memory{"a.cu": "void f(at::Tensor x) { cudaWait(); }\nvoid g(at::Tensor x) { cudaWait(); }"},
			Options{Roots: []Selector{{Path: "*.cu", Name: "g"}}}, "a.cu:2 GB801"},
		{"roots in Python", memory{"a.cu": "void f(at::Tensor x) { cudaWait(); }"},
			Options{Roots: []Selector{{Path: "m.py", Name: "step"}}}, "a.cu:1 GB801"},
		{"tests and code for the CPU", memory{"tests/a.cu": "void f(at::Tensor x) { cudaWait(); }",
			"csrc/cpu/a.cpp": "void f(at::Tensor x) { cudaWait(); }"}, Options{}, ""},
		{"left out", memory{"a.cu": "void f(at::Tensor x) { cudaWait(); }"}, Options{Exclude: []string{"*.cu"}}, ""},
		{"not included", memory{"a.cu": "void f(at::Tensor x) { cudaWait(); }"}, Options{Include: []string{"*.py"}}, ""},
		{"guard of the configuration", memory{"a.cu": "void f(at::Tensor x) { if (level > 2) cudaWait(); }"},
			Options{Guards: []string{"level>2"}}, "a.cu:1 GB801 (level > 2)"},
		{"severity off", memory{"a.cu": "void f(at::Tensor x) { cudaWait(); }"},
			Options{Severity: []SeverityRule{{Match: "GB8xx", Severity: finding.Off}}}, "a.cu:1 GB801 (severity off for GB8xx)"},
		{"suppressed", memory{"a.cu": "void f(at::Tensor x) {\n  // gatebot: allow[GB801] once a day\n  cudaWait();\n}"}, Options{},
			"a.cu:3 GB801 (once a day)"},
		{"suppressed in a block comment", memory{"a.cu": "void f(at::Tensor x) { cudaWait(); } /* gatebot: allow[GB801] why */"}, Options{},
			"a.cu:1 GB801 (why)"},
		{"unused suppression", memory{"a.h": "// gatebot: allow[GB801] why\nint x;"}, Options{}, "a.h:1 GB001"},
		{"vllm's mark", memory{"a.cu": "void f(at::Tensor x) { cudaWait(); }  // gpu-sync-ok: needed"}, Options{}, "a.cu:1 GB801 (needed)"},
		{"unreadable", memory{"a.cu": "void f( { ( cudaWait(x[); \n"}, Options{}, "a.cu:1 GB002"},
		{"too large", memory{"a.cu": strings.Repeat("// cudaWait\n", 100)}, Options{MaxFileSize: 100}, "a.cu:1 GB002"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, summary(nativeScanOf(t, tt.files, tt.opts))); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// What a finding says is what a Python one says: the chain, the code, a fingerprint without lines.
func TestNativeFinding(t *testing.T) {
	src := "void g() { cudaWait( 1 ); }\nvoid f(at::Tensor x) { g(); }"
	one := nativeScanOf(t, memory{"a.cu": src}, Options{}).Findings
	two := nativeScanOf(t, memory{"a.cu": "// moved\n\n" + strings.Replace(src, "( 1 )", "(1)", 1)}, Options{}).Findings
	if len(one) != 1 || len(two) != 1 {
		t.Fatal(one, two)
	}
	f := one[0]
	if f.Function != "g" || f.Column != 12 || f.EndColumn != 25 || f.Message != "`cudaWait( 1 )` waits" || f.Confidence != finding.Likely {
		t.Errorf("finding %+v", f)
	}
	chain := ""
	for _, e := range f.Evidence {
		if e.Kind == finding.EvidenceHotPath {
			chain = e.Message
		}
	}
	if chain != "f → g" {
		t.Errorf("chain %q", chain)
	}
	if one[0].Fingerprint != two[0].Fingerprint || two[0].Line != 3 {
		t.Errorf("the fingerprint moved with the line: %v and %v", one[0].Fingerprint, two[0].Fingerprint)
	}
}

func TestNativeCounts(t *testing.T) {
	rep := nativeScanOf(t, memory{"a.cu": "void f(at::Tensor x) { cudaWait(); }\nvoid g() {}\n__global__ void k() {}", "b.h": "int x;"}, Options{})
	if rep.Files != 2 || rep.Functions != 2 || rep.Hot != 1 {
		t.Errorf("%d files, %d functions, %d hot", rep.Files, rep.Functions, rep.Hot)
	}
}

func TestExplainNative(t *testing.T) {
	files := memory{"a.cu": "void g() {\n cudaWait(); }\nvoid f(at::Tensor x) { g(); }\nvoid init_x() { }\nvoid lonely() { cudaWait(); }\n"}
	for _, tt := range []struct {
		line int
		hot  bool
		why  string
	}{
		{2, true, "reached from f: it is given tensors"},
		{3, true, "a root of the hot path: it is given tensors"},
		{4, false, "init_x runs at load time, at the end, or in tests"},
		{5, false, "no function that is bound to an operation, takes tensors or issues device work calls it"},
		{6, false, "outside of any function that can run on the host"},
	} {
		x, err := Explain(context.Background(), files, Options{Rules: []*Rule{waits()}, Now: time.Now()}, "a.cu", tt.line)
		if err != nil {
			t.Fatal(err)
		}
		if x.Why != tt.why || x.Hot != tt.hot {
			t.Errorf("line %d: hot %v, %q, want %v, %q", tt.line, x.Hot, x.Why, tt.hot, tt.why)
		}
	}
}

func FuzzNative(f *testing.F) {
	f.Add("void f(at::Tensor x) { if (!p) cudaWait(&p, x.item<int>()); k<<<1, 2>>>(x); }")
	f.Add("#define M(a) a<<<1, 2>>>(cudaWait())\nvoid g(cudaStream_t s) { M(k); static auto t = [&] { return cudaWait(); }(); }")
	f.Fuzz(func(t *testing.T, src string) {
		opts := Options{Rules: []*Rule{waits()}, AllFunctions: true, ParseLimit: 2 * time.Second}
		if _, err := Scan(context.Background(), memory{"a.cu": src}, opts); err != nil {
			t.Fatal(err)
		}
	})
}
