// Package gb902 is rule GB902, jit-or-recompile-in-region: compiles a kernel or a function inside the step.
package gb902

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB902.
var Rule = &checks.Rule{
	ID: "GB902", Name: "jit-or-recompile-in-region", Group: checks.GroupLibraries, Severity: finding.Error, Tier: 1, Static: true,
	Title: "makes a compiled kernel or function inside the step",
	Text: "Compiling takes from milliseconds to minutes, loads a module into the driver and, for torch.compile, saves and restores " +
		"the state of the random generator, which a capture refuses. Done in the step it happens in every step, or in the first one " +
		"after something changed, in the middle of serving. A compiled object belongs to what is set up once; the step calls it.",
	Before: "def forward(self, x):\n    return torch.compile(self.block)(x)",
	After:  "def __init__(self):\n    self.compiled = torch.compile(self.block)\n\ndef forward(self, x):\n    return self.compiled(x)",
	Fix:    "compile once at set-up, warm every shape up, and call the result in the step",
	Fine: []string{
		"compiling on first use into something that lasts: `if key not in self.kernels:`, functions under a cache",
		"decorators at the top of a file or class",
		"calling what has been compiled: whether a call compiles again only a run tells (the drift check looks)",
	},
	Torch: "read from the sources; Dynamo reads the generator state, which was measured to raise in a capture",
	Calls: []string{"torch.compile", "torch.jit.script", "torch.jit.trace", "torch.export.export", "torch.utils.cpp_extension.load",
		"torch.utils.cpp_extension.load_inline", "torch.cuda._compile_kernel", "triton.compile", "cutlass.cute.compile", "cute.compile", "tilelang.compile",
		"cupy.RawKernel", "cupy.RawModule", "cupy.ElementwiseKernel", "cupy.ReductionKernel", "numba.cuda.jit",
		"pycuda.compiler.SourceModule"},
	Call: func(p *checks.Pass, c *checks.Call) {
		if !p.FirstUse() && len(c.Args) > 0 && !kept(p, c.Node) {
			p.Report(c.Node, nil, "{expr} compiles inside the step")
		}
	},
}

// kept reports whether what is compiled goes into a cache: the function stores it under a key or in an attribute, so that
// the next call finds it.
func kept(p *checks.Pass, call *pyast.Call) bool {
	names, found := map[string]bool{}, false
	region.Walk(p.Node(), func(n pyast.Node) {
		a, ok := n.(*pyast.Assign)
		if !ok {
			return
		}
		id, isName := a.Value.(*pyast.Name)
		if !region.Inside(call, a.Value) && (!isName || !names[id.ID]) {
			return
		}
		for _, t := range a.Targets {
			switch t := t.(type) {
			case *pyast.Name:
				names[t.ID] = true
			case *pyast.Subscript, *pyast.Attr:
				found = true
			}
		}
	})
	return found
}
