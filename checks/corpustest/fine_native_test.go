package corpustest

import (
	"strings"
	"testing"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/registry"
	"github.com/gatebot/gatebot/checks/ruletest"
)

// FINE-26: waits in destructors, in tests, under #ifdef DEBUG and on the way to an abort, with every rule on.
func TestFineNative(t *testing.T) {
	body := "\n  scale<<<1, 32, 0, stream>>>(x.data_ptr<float>());\n"
	for _, tt := range []struct {
		name, path, src string
		suppressed      int
	}{
		{"destructor", "a.cu", "struct A { ~A() { cudaStreamSynchronize(s); cudaFree(p); } cudaStream_t s; void* p; };", 0},
		{"tests", "tests/kernels/a.cu", "void f(at::Tensor x) { cudaDeviceSynchronize(); }", 0},
		{"test beside the code", "csrc/test_a.cu", "void f(at::Tensor x) { cudaDeviceSynchronize(); }", 0},
		{"debug", "a.cu", "void f(at::Tensor x, cudaStream_t stream) {" + body + "#ifdef DEBUG\n  cudaStreamSynchronize(stream);\n#endif\n}", 1},
		{"assertions on", "a.cu", "void f(at::Tensor x, cudaStream_t stream) {" + body + "#ifndef NDEBUG\n  cudaDeviceSynchronize();\n#endif\n}", 1},
		{"abort", "a.cu", "void f(at::Tensor x, cudaStream_t stream) {" + body + "  if (bad) {\n    cudaDeviceSynchronize();\n    abort();\n  }\n}", 0},
		{"throw", "a.cu", "void f(at::Tensor x, cudaStream_t stream) {" + body + "  if (bad) {\n    x.cpu();\n    throw E();\n  }\n}", 0},
	} {
		found := ruletest.Source{tt.path: []byte(tt.src)}
		suppressed := 0
		rep, err := checks.Scan(t.Context(), found, checks.Options{Rules: registry.Rules})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range rep.Findings {
			if f.Suppressed == nil {
				t.Errorf("%s: reported: %s %s", tt.name, f.Rule, f.Message)
			} else if strings.HasPrefix(f.Rule, "GB8") {
				suppressed++
			}
		}
		if suppressed != tt.suppressed {
			t.Errorf("%s: %d suppressed findings, want %d", tt.name, suppressed, tt.suppressed)
		}
	}
}
