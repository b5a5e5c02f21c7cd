// Package gb811 is rule GB811, native-lazy-init: the first call allocates, loads code or asks the driver.
package gb811

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB811.
var Rule = &checks.Rule{
	ID: "GB811", Name: "native-lazy-init", Group: checks.GroupNative, Severity: finding.Warn, Tier: 2, Static: true,
	Title: "allocates, loads code or asks the driver on the first call",
	Text: "What an operation sets up when it is called for the first time happens during the capture if nothing has called " +
		"it before: memory is then taken from the driver in the middle of a recording, which is refused, and code that is " +
		"loaded or compiled there stalls it. Each new configuration, dtype or size can be a first call of its own. Asking " +
		"for the properties of the device on every call costs milliseconds each time.",
	Before: "static float* ws = [] { float* p; cudaMalloc(&p, kBytes); return p; }();",
	After:  "// made when the module is loaded, before anything is captured\nvoid init_workspace() { cudaMalloc(&ws, kBytes); }",
	Fix:    "do it at load time, or make sure that every configuration is warmed up before the capture",
	Fine: []string{
		"attributes and properties that are kept in a static: they are asked for once and take nothing",
		"cudaDeviceGetAttribute and at::cuda::getCurrentDeviceProperties, which are cheap",
		"cudaFuncSetAttribute before a launch",
	},
	Torch: "measured on an H200, driver 580: cuMemAlloc gives error 900 in a global or thread-local capture, cuModuleLoadData " +
		"succeeds; drivers before 12.3 refuse to load code in a capture",
	Native: &checks.Native{
		Calls: []string{"cudaMalloc", "cudaMallocHost", "cudaHostAlloc", "cuMemAlloc", "cuMemAlloc_v2", "cudaGetDeviceProperties",
			"cudaGetDeviceProperties_v2", "cuModuleLoad", "cuModuleLoadData", "cuModuleLoadDataEx", "cuLibraryLoadData",
			"nvrtcCompileProgram", "cublasCreate", "cublasCreate_v2", "cublasLtCreate", "cudnnCreate"},
		Call: call,
	},
}

func call(p *checks.NativePass, c *checks.NativeCall) {
	switch {
	case strings.HasPrefix(c.Short, "cudaGetDeviceProperties"):
		if !p.FirstUse() {
			p.Report(c.Node, "{expr} asks the driver in every call, which takes milliseconds",
				checks.WithFix("use at::cuda::getCurrentDeviceProperties(), or keep the answer in a static"))
		}
	case strings.Contains(c.Short, "alloc") || strings.Contains(c.Short, "Alloc"):
		if p.FirstUse() {
			p.Report(c.Node, "{expr} takes memory from the driver on the first call")
		}
	case strings.HasSuffix(c.Short, "Create") || strings.HasSuffix(c.Short, "Create_v2"):
		p.Report(c.Node, "{expr} makes a library handle in an operation, which allocates", checks.WithConfidence(finding.Possible))
	default:
		p.Report(c.Node, "{expr} loads or compiles code in an operation")
	}
}
